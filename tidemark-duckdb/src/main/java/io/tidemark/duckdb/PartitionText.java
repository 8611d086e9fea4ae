package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.name;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import java.util.Locale;
import java.util.Optional;

/** The spelling of partition values in a Delta log, and of the folders that bear them. */
final class PartitionText {
    /** What stands for NULL in the name of a folder. */
    private static final String NULL_FOLDER = "__HIVE_DEFAULT_PARTITION__";
    /** Characters that Hive writes as their number in names of folders. */
    private static final String ESCAPED = "\"#%'*/:=?\\{[]^\u007F";

    private PartitionText() {}

    /** An expression for a column's value as text; NULL for NULL and for an empty text, which Delta does not tell apart. */
    static String expression(StructField field) {
        String column = name(field.name());
        DataType type = field.type();
        if (type == ScalarType.TIMESTAMP) {
            return time("(" + column + " AT TIME ZONE 'UTC')", "%Y-%m-%dT%H:%M:%S") + " || 'Z'";
        }
        if (type == ScalarType.TIMESTAMP_NTZ) {
            return time(column, "%Y-%m-%d %H:%M:%S");
        }
        if (type == ScalarType.FLOAT || type == ScalarType.DOUBLE) {
            return "CASE WHEN isnan(" + column + ") THEN 'NaN' WHEN isinf(" + column + ") AND " + column
                    + " > 0 THEN 'Infinity' WHEN isinf(" + column + ") THEN '-Infinity' ELSE CAST(" + column
                    + " AS VARCHAR) END";
        }
        return "nullif(CAST(" + column + " AS VARCHAR), '')";
    }

    private static String time(String value, String format) {
        return "lpad(strftime(" + value + ", '" + format + "'), 19, '0') || '.' || strftime(" + value + ", '%f')";
    }

    /** The folder of a value. */
    static String folder(String column, Optional<String> value) {
        return escaped(column) + "=" + value.map(PartitionText::escaped).orElse(NULL_FOLDER);
    }

    private static String escaped(String text) {
        StringBuilder escaped = new StringBuilder();
        text.codePoints().forEach(c -> {
            if (c < ' ' || ESCAPED.indexOf(c) >= 0) {
                escaped.append('%').append(String.format(Locale.ROOT, "%02X", c));
            } else {
                escaped.appendCodePoint(c);
            }
        });
        return escaped.toString();
    }
}
