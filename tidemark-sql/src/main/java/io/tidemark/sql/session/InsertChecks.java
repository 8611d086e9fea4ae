package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;

/** Checks of the rows that an INSERT brings, whatever the table. */
final class InsertChecks {
    private final Engine engine;
    private final TableName table;

    InsertChecks(Engine engine, TableName table) {
        this.engine = engine;
        this.table = table;
    }

    /** Refuses NULLs in NOT NULL columns, and in such fields of structs that are not NULL themselves. */
    void notNull(String relation, StructType schema) {
        schema.fields()
                .forEach(field -> notNull(relation, field, engine.dialect().name(field.name()), "TRUE", field.name()));
    }

    private void notNull(String relation, StructField field, String expression, String condition, String path) {
        if (!field.nullable()) {
            long count = count("SELECT count(*) FROM " + engine.dialect().name(relation) + " WHERE (" + condition
                    + ") AND " + expression + " IS NULL");
            if (count > 0) {
                throw TidemarkException.of(
                                ErrorCode.NOT_NULL_VIOLATED,
                                "column " + path + " of table " + table + " is NOT NULL, and " + count
                                        + (count == 1 ? " row has" : " rows have") + " NULL")
                        .hint("give the column a value")
                        .build();
            }
        }
        if (field.type() instanceof StructType struct) {
            String present = "(" + condition + ") AND " + expression + " IS NOT NULL";
            for (StructField part : struct.fields()) {
                String value = engine.dialect().field(expression, part.name());
                notNull(relation, part, value, present, path + "." + part.name());
            }
        }
    }

    private long count(String sql) {
        long[] result = new long[1];
        engine.stream(sql, row -> {
            result[0] = row.get(0) instanceof Number number ? number.longValue() : 0;
            return false;
        });
        return result[0];
    }
}
