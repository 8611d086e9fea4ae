package io.tidemark.duckdb;

import static io.tidemark.duckdb.session.Spelling.string;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Session;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Refuses VARIANT columns that a file does not mark as such, as Spark 4.0 writes them: they would be read as structs of
 * their two encoded parts.
 */
final class VariantFiles {
    private VariantFiles() {}

    /** Whether the files of a scan must be opened: only if the table has a VARIANT somewhere. */
    static boolean mustCheck(FileScan scan) {
        return !scan.files().isEmpty() && hasVariant(scan.schema());
    }

    /** Checks the files of a scan. */
    static void check(Session session, FileScan scan) {
        String files = scan.files().stream()
                .map(DataFile::location)
                .map(file -> "{'filename': " + string(file) + "}")
                .collect(Collectors.joining(", "));
        List<List<@Nullable Object>> found = session.rows("SELECT file_name FROM (SELECT file_name, logical_type,"
                + " num_children, list(name) OVER (PARTITION BY file_name ORDER BY place"
                + " ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) AS parts"
                + " FROM (SELECT *, row_number() OVER () AS place FROM parquet_schema([" + files + "])))"
                + " WHERE num_children >= 2 AND logical_type IS NULL"
                + " AND list_sort(parts) = ['metadata', 'value'] LIMIT 1");
        if (!found.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.TABLE_FEATURE_UNSUPPORTED,
                            "data file " + found.get(0).get(0) + " holds a VARIANT column and does not mark it as one")
                    .detail("Spark 4.0 writes such files; the embedded engine cannot read them.")
                    .hint("Write the table anew with Spark 4.1 or later.")
                    .build();
        }
    }

    private static boolean hasVariant(DataType type) {
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> type == ScalarType.VARIANT;
            case STRUCT -> ((StructType) type).fields().stream().anyMatch(field -> hasVariant(field.type()));
            case ARRAY -> hasVariant(((ArrayType) type).element());
            case MAP -> hasVariant(((MapType) type).key()) || hasVariant(((MapType) type).value());
        };
    }
}
