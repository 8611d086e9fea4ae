package io.tidemark.spark.engine.write;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.spark.engine.value.SparkDialect;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils;

/** The spelling of partition values in a Delta log, and of the folders that bear them. */
final class PartitionTexts {
    private static final Dialect DIALECT = new SparkDialect();

    private PartitionTexts() {}

    /** An expression for a column's value as text; NULL for NULL and for an empty text, which Delta does not tell apart. */
    static String expression(StructField field) {
        String column = DIALECT.name(field.name());
        if (field.type() == ScalarType.TIMESTAMP) {
            return "date_format(" + column + ", \"yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'\")";
        }
        if (field.type() == ScalarType.TIMESTAMP_NTZ) {
            return "date_format(" + column + ", 'yyyy-MM-dd HH:mm:ss.SSSSSS')";
        }
        return "nullif(CAST(" + column + " AS STRING), '')";
    }

    /**
     * The values of a file's folder.
     *
     * @param path path of the file in the table's folder
     * @param columns the partition columns
     */
    static Map<String, Optional<String>> values(String path, List<String> columns) {
        Map<String, Optional<String>> values = new LinkedHashMap<>();
        String[] folders = path.split("/", -1);
        for (int i = 0; i < columns.size(); i++) {
            String text = folders[i].substring(folders[i].indexOf('=') + 1);
            boolean isNull = text.equals(ExternalCatalogUtils.DEFAULT_PARTITION_NAME());
            values.put(
                    columns.get(i),
                    isNull ? Optional.empty() : Optional.of(ExternalCatalogUtils.unescapePathName(text)));
        }
        return values;
    }
}
