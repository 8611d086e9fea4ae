package io.tidemark.tests.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.spark.engine.value.SparkDialect;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Java values as a relation in an engine's SQL. */
final class RowsSql {
    private static final DateTimeFormatter TIMESTAMP = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private RowsSql() {}

    /** A SELECT of the given rows, in their order, with the columns of a schema. */
    static String select(StructType schema, List<? extends List<? extends @Nullable Object>> rows, Dialect dialect) {
        if (rows.isEmpty()) {
            return dialect.emptySelect(schema);
        }
        List<StructField> fields = schema.fields();
        List<String> tuples = new ArrayList<>();
        for (List<? extends @Nullable Object> row : rows) {
            List<String> values = new ArrayList<>();
            for (int i = 0; i < fields.size(); i++) {
                values.add(value(row.get(i), fields.get(i).type(), dialect));
            }
            tuples.add("(" + String.join(", ", values) + ")");
        }
        List<String> columns = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            StructField field = fields.get(i);
            columns.add("CAST(v.c" + i + " AS " + dialect.type(field.type()) + ") AS " + dialect.name(field.name()));
            names.add("c" + i);
        }
        return "SELECT " + String.join(", ", columns) + " FROM (VALUES " + String.join(", ", tuples) + ") AS v("
                + String.join(", ", names) + ")";
    }

    private static String value(@Nullable Object value, DataType type, Dialect dialect) {
        if (value == null) {
            return "NULL";
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> scalar(value, type, dialect);
            case STRUCT -> {
                List<String> values = new ArrayList<>();
                StructType struct = (StructType) type;
                for (StructField field : struct.fields()) {
                    values.add(value(((Map<?, ?>) value).get(field.name()), field.type(), dialect));
                }
                yield cast(dialect.struct(struct.names(), values), type, dialect);
            }
            case ARRAY -> {
                DataType element = ((ArrayType) type).element();
                String values = String.join(
                        ", ",
                        ((List<?>) value)
                                .stream()
                                        .map(each -> value(each, element, dialect))
                                        .toList());
                boolean spark = dialect instanceof SparkDialect;
                yield cast(spark ? "array(" + values + ")" : "[" + values + "]", type, dialect);
            }
            case MAP -> throw new IllegalArgumentException("no test needs literals of " + type.sql());
        };
    }

    private static String scalar(Object value, DataType type, Dialect dialect) {
        if (value instanceof String text) {
            return dialect.string(text);
        }
        if (value instanceof Number || value instanceof Boolean) {
            return value.toString();
        }
        String text = value instanceof Instant instant ? TIMESTAMP.format(instant) : value.toString();
        return cast(dialect.string(text), type, dialect);
    }

    private static String cast(String expression, DataType type, Dialect dialect) {
        return "CAST(" + expression + " AS " + dialect.type(type) + ")";
    }
}
