package io.tidemark.spark.engine.write;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** Refuses NULL in columns that may not hold it, before anything is written. */
final class NotNull {
    private NotNull() {}

    static void check(StructType schema, Dataset<Row> rows, Dialect dialect) {
        Map<String, String> conditions = new LinkedHashMap<>();
        collect(schema, "", "", dialect, conditions);
        if (conditions.isEmpty()) {
            return;
        }
        List<Row> sample = rows.where(functions.expr(String.join(" OR ", conditions.values())))
                .limit(1)
                .collectAsList();
        if (sample.isEmpty()) {
            return;
        }
        for (Map.Entry<String, String> each : conditions.entrySet()) {
            List<Row> broken =
                    rows.where(functions.expr(each.getValue())).limit(1).collectAsList();
            if (!broken.isEmpty()) {
                throw TidemarkException.of(
                                ErrorCode.NOT_NULL_VIOLATED,
                                "column " + each.getKey() + " is NOT NULL but would receive NULL")
                        .detail("A row: " + shown(broken.get(0)) + ".")
                        .build();
            }
        }
    }

    /** By path, a condition that broken rows meet. */
    private static void collect(
            StructType struct, String parent, String path, Dialect dialect, Map<String, String> conditions) {
        for (StructField field : struct.fields()) {
            String value = parent.isEmpty() ? dialect.name(field.name()) : dialect.field(parent, field.name());
            String fieldPath = path + field.name();
            if (!field.nullable()) {
                String there = parent.isEmpty() ? "" : parent + " IS NOT NULL AND ";
                conditions.put(fieldPath, "(" + there + value + " IS NULL)");
            }
            if (field.type() instanceof StructType nested) {
                collect(nested, value, fieldPath + ".", dialect, conditions);
            }
        }
    }

    /** In folder names an empty text and NULL are the same, as Delta has it. */
    static void checkPartitions(WriteSpec spec, Dataset<Row> rows, Dialect dialect) {
        for (String column : spec.partitionBy()) {
            StructField field = spec.schema().field(column).orElseThrow();
            if (field.nullable() || field.type() != ScalarType.STRING) {
                continue;
            }
            List<Row> broken = rows.where(functions.expr(dialect.name(field.name()) + " = ''"))
                    .limit(1)
                    .collectAsList();
            if (!broken.isEmpty()) {
                throw TidemarkException.of(
                                ErrorCode.NOT_NULL_VIOLATED,
                                "column " + field.name() + " is NOT NULL but would receive an empty text")
                        .detail("A partition column stores it as NULL. A row: " + shown(broken.get(0)) + ".")
                        .hint("write another value, or take NOT NULL away from the column")
                        .build();
            }
        }
    }

    private static String shown(Row row) {
        List<String> values = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            Object value = row.get(i);
            values.add(row.schema().fields()[i].name() + " = " + ("".equals(value) ? "''" : value));
        }
        return String.join(", ", values);
    }
}
