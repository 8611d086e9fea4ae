package io.tidemark.spark.engine.value;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Spark's spelling of what engines spell differently. */
public final class SparkDialect implements Dialect {
    @Override
    public String name(String identifier) {
        return "`" + identifier.replace("`", "``") + "`";
    }

    @Override
    public String string(String value) {
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    @Override
    public String type(DataType type) {
        return type.sql();
    }

    @Override
    public String struct(List<String> names, List<String> expressions) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            parts.add(string(names.get(i)) + ", " + expressions.get(i));
        }
        return "named_struct(" + String.join(", ", parts) + ")";
    }

    @Override
    public String field(String expression, String name) {
        return "(" + expression + ")." + name(name);
    }

    @Override
    public String lastNonNull(String expression, String window) {
        return "last_value(" + expression + ") IGNORE NULLS OVER (" + window + ")";
    }

    @Override
    public String containsIgnoreCase(String array, String value) {
        // Without the NULL check a NULL element would make the answer NULL instead of false.
        return "exists(" + array + ", x -> x IS NOT NULL AND lower(x) = " + string(value.toLowerCase(Locale.ROOT))
                + ")";
    }

    @Override
    public String hasElementOutside(String array, List<String> names) {
        String known = names.stream()
                .map(each -> string(each.toLowerCase(Locale.ROOT)))
                .collect(Collectors.joining(", "));
        String condition = names.isEmpty() ? "true" : "x IS NULL OR lower(x) NOT IN (" + known + ")";
        return "coalesce(exists(" + array + ", x -> " + condition + "), false)";
    }

    @Override
    public String comparable(String expression, DataType type) {
        return normal(expression, type, 0);
    }

    @Override
    public String hash(List<String> expressions) {
        return "xxhash64(" + String.join(", ", expressions) + ")";
    }

    @Override
    public Optional<String> orderNumber(String expression, DataType type) {
        if (type instanceof ScalarType scalar) {
            return switch (scalar) {
                case BYTE, SHORT, INTEGER, LONG -> Optional.of("CAST(" + expression + " AS BIGINT)");
                case DATE -> Optional.of("CAST(unix_date(" + expression + ") AS BIGINT)");
                case TIMESTAMP -> Optional.of("unix_micros(" + expression + ")");
                // The session's time zone is UTC, so that the cast moves nothing.
                case TIMESTAMP_NTZ -> Optional.of("unix_micros(CAST(" + expression + " AS TIMESTAMP))");
                default -> Optional.empty();
            };
        }
        return Optional.empty();
    }

    @Override
    public String ofOrderNumber(String number, DataType type) {
        if (type == ScalarType.DATE) {
            return "date_from_unix_date(CAST(" + number + " AS INT))";
        }
        if (type == ScalarType.TIMESTAMP_NTZ) {
            return "CAST(timestamp_micros(" + number + ") AS TIMESTAMP_NTZ)";
        }
        return type == ScalarType.TIMESTAMP
                ? "timestamp_micros(" + number + ")"
                : "CAST(" + number + " AS " + type(type) + ")";
    }

    private static boolean holdsMap(DataType type) {
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> false;
            case MAP -> true;
            case ARRAY -> holdsMap(((ArrayType) type).element());
            case STRUCT -> ((StructType) type).fields().stream().anyMatch(field -> holdsMap(field.type()));
        };
    }

    /** Spark refuses to compare maps, so that their normal form is the list of entries sorted by key. */
    private String normal(String expression, DataType type, int depth) {
        if (!holdsMap(type)) {
            return expression;
        }
        String element = "m" + depth;
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> expression;
            case MAP -> {
                MapType map = (MapType) type;
                yield "array_sort(transform(map_entries(" + expression + "), " + element + " -> named_struct('k', "
                        + normal(element + ".key", map.key(), depth + 1) + ", 'v', "
                        + normal(element + ".value", map.value(), depth + 1) + ")))";
            }
            case ARRAY ->
                "transform(" + expression + ", " + element + " -> "
                        + normal(element, ((ArrayType) type).element(), depth + 1) + ")";
            case STRUCT -> {
                List<String> parts = new ArrayList<>();
                for (StructField field : ((StructType) type).fields()) {
                    parts.add(string(field.name()) + ", "
                            + normal(field(expression, field.name()), field.type(), depth + 1));
                }
                yield "CASE WHEN " + expression + " IS NOT NULL THEN named_struct(" + String.join(", ", parts)
                        + ") END";
            }
        };
    }
}
