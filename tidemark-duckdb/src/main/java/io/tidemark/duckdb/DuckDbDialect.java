package io.tidemark.duckdb;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Spelling;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** DuckDB's spelling of what engines spell differently. */
public final class DuckDbDialect implements Dialect {
    @Override
    public String name(String identifier) {
        return Spelling.name(identifier);
    }

    @Override
    public String relation(String relation) {
        return "main." + Spelling.name(relation);
    }

    @Override
    public String string(String value) {
        return Spelling.string(value);
    }

    @Override
    public String type(DataType type) {
        return Spelling.type(type);
    }

    @Override
    public String struct(List<String> names, List<String> expressions) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            parts.add(name(names.get(i)) + " := " + expressions.get(i));
        }
        return "struct_pack(" + String.join(", ", parts) + ")";
    }

    @Override
    public String field(String expression, String name) {
        return "struct_extract(" + expression + ", " + Spelling.string(name) + ")";
    }

    @Override
    public String lastNonNull(String expression, String window) {
        return "last_value(" + expression + " IGNORE NULLS) OVER (" + window + ")";
    }

    @Override
    public String containsIgnoreCase(String array, String literal) {
        return "list_contains(list_transform(" + array + ", lambda x: lower(x)), "
                + Spelling.string(literal.toLowerCase(Locale.ROOT)) + ")";
    }

    @Override
    public String hasElementOutside(String array, List<String> names) {
        String outside = names.isEmpty()
                ? ""
                : " OR lower(x) NOT IN ("
                        + names.stream()
                                .map(each -> Spelling.string(each.toLowerCase(Locale.ROOT)))
                                .collect(Collectors.joining(", "))
                        + ")";
        String condition = names.isEmpty() ? "true" : "x IS NULL" + outside;
        return "coalesce(len(list_filter(" + array + ", lambda x: " + condition + ")) > 0, false)";
    }

    @Override
    public String comparable(String expression, DataType type) {
        return holdsMap(type) ? normal(expression, type, 0) : expression;
    }

    @Override
    public String hash(List<String> expressions) {
        return "hash(" + String.join(", ", expressions) + ")";
    }

    @Override
    public Optional<String> orderNumber(String expression, DataType type) {
        if (type instanceof ScalarType scalar) {
            return switch (scalar) {
                case BYTE, SHORT, INTEGER, LONG -> Optional.of("CAST(" + expression + " AS BIGINT)");
                case DATE -> Optional.of("CAST(" + expression + " - DATE '1970-01-01' AS BIGINT)");
                case TIMESTAMP, TIMESTAMP_NTZ -> Optional.of("epoch_us(" + expression + ")");
                default -> Optional.empty();
            };
        }
        return Optional.empty();
    }

    @Override
    public String ofOrderNumber(String number, DataType type) {
        if (type == ScalarType.DATE) {
            return "DATE '1970-01-01' + CAST(" + number + " AS INTEGER)";
        }
        if (type == ScalarType.TIMESTAMP_NTZ) {
            return "make_timestamp(" + number + ")";
        }
        return type == ScalarType.TIMESTAMP
                ? "make_timestamptz(" + number + ")"
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

    /** Maps compare entry by entry in the order of writing, so the normal form is the list of entries sorted by key. */
    private static String normal(String expression, DataType type, int depth) {
        if (!holdsMap(type)) {
            return expression;
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> expression;
            case MAP -> {
                String entry = "m" + depth;
                MapType map = (MapType) type;
                yield "list_sort(list_transform(map_entries(" + expression + "), lambda " + entry
                        + ": struct_pack(k := "
                        + normal("struct_extract(" + entry + ", 'key')", map.key(), depth + 1) + ", v := "
                        + normal("struct_extract(" + entry + ", 'value')", map.value(), depth + 1) + ")))";
            }
            case ARRAY -> {
                String element = "m" + depth;
                yield "list_transform(" + expression + ", lambda " + element + ": "
                        + normal(element, ((ArrayType) type).element(), depth + 1) + ")";
            }
            case STRUCT -> {
                List<String> parts = new ArrayList<>();
                StructType struct = (StructType) type;
                for (int i = 0; i < struct.fields().size(); i++) {
                    String field = "struct_extract_at(" + expression + ", " + (i + 1) + ")";
                    parts.add("f" + i + " := "
                            + normal(field, struct.fields().get(i).type(), depth));
                }
                yield "CASE WHEN " + expression + " IS NOT NULL THEN struct_pack(" + String.join(", ", parts) + ") END";
            }
        };
    }
}
