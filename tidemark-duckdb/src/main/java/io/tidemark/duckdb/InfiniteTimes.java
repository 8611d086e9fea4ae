package io.tidemark.duckdb;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Map;

/**
 * Refuses infinite dates and timestamps. DuckDB writes them as the greatest and least numbers; other readers of a table
 * have no such values and would show days of the years 294247 or -290308. The statistics of what was written tell, so
 * nothing is read for it.
 */
final class InfiniteTimes {
    private static final List<String> SPELLINGS = List.of("infinity", "-infinity");

    private final Map<String, Map<String, String>> printed;

    private InfiniteTimes(Map<String, Map<String, String>> printed) {
        this.printed = printed;
    }

    /**
     * Looks for infinite times in columns, fields of structs and elements of arrays.
     *
     * @param schema the written columns
     * @param printed by quoted path, what COPY returned
     * @throws TidemarkException {@code INFINITE_TIME} naming the first column that has one
     */
    static void refuse(StructType schema, Map<String, Map<String, String>> printed) {
        new InfiniteTimes(printed).refuse(schema, "", "");
    }

    private void refuse(StructType schema, String prefix, String shown) {
        for (StructField field : schema.fields()) {
            String key = FileStatistics.key(List.of(field.name()));
            refuse(field.type(), prefix + key, shown + field.name());
        }
    }

    private void refuse(DataType type, String key, String shown) {
        if (type instanceof StructType struct) {
            refuse(struct, key + ".", shown + ".");
        } else if (type instanceof ArrayType array) {
            refuse(array.element(), key + "." + FileStatistics.key(List.of("element")), shown + "[]");
        } else if (type == ScalarType.DATE || type == ScalarType.TIMESTAMP || type == ScalarType.TIMESTAMP_NTZ) {
            Map<String, String> values = printed.getOrDefault(key, Map.of());
            for (String bound : List.of("max", "min")) {
                String value = values.getOrDefault(bound, "");
                if (SPELLINGS.contains(value)) {
                    throw TidemarkException.of(
                                    ErrorCode.INFINITE_TIME, "column " + shown + " would receive the time " + value)
                            .detail("Other readers of the table would see a day of the year "
                                    + (value.startsWith("-") ? "-290308" : "294247") + ". Nothing was committed.")
                            .hint("turn it into NULL or into a far day in the query: CASE WHEN isfinite(" + shown
                                    + ") THEN " + shown + " END")
                            .build();
                }
            }
        }
    }
}
