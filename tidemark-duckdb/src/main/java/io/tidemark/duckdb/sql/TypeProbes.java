package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks the binder for the types of expressions. An expression is wrapped into a struct with one numbered field and
 * taken out again; the bound plan then shows the struct's type. Equal expressions of one SELECT share a number, so
 * that grouped expressions stay equal to each other.
 */
final class TypeProbes {
    private static final String FIELD_PREFIX = "__probe_";

    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<Integer, Found> found = new HashMap<>();
    private boolean probing = true;

    /** What the binder says; the type is null for intervals. */
    record Found(@Nullable DataType type, boolean interval) {}

    /** Whether expressions are to be wrapped. */
    boolean isProbing() {
        return probing;
    }

    /** Whether any expression was wrapped. */
    boolean isAsked() {
        return !numbers.isEmpty();
    }

    /** Stops wrapping. */
    void stop() {
        probing = false;
    }

    /** Wraps an expression. */
    String wrap(String key, String sql) {
        Integer known = numbers.get(key);
        int number = known == null ? numbers.size() : known;
        numbers.putIfAbsent(key, number);
        String field = FIELD_PREFIX + number;
        return "struct_extract(struct_pack(" + field + " := " + sql + "), '" + field + "')";
    }

    /** The type of an expression, as far as it is known by now. */
    Optional<Found> find(String key) {
        Integer number = numbers.get(key);
        return number == null ? Optional.empty() : Optional.ofNullable(found.get(number));
    }

    /** Learns from a bound plan; returns whether anything is new. */
    boolean learn(JsonNode node) {
        boolean changed = false;
        if (node.isObject()) {
            JsonNode fields = node.path("child_types");
            for (JsonNode field : fields) {
                String name = field.path("first").asText();
                if (name.startsWith(FIELD_PREFIX)) {
                    int number = Integer.parseInt(name.substring(FIELD_PREFIX.length()));
                    Found now = read(field.path("second"));
                    changed |= !now.equals(found.put(number, now));
                }
            }
        }
        for (JsonNode child : node) {
            changed |= learn(child);
        }
        return changed;
    }

    private static Found read(JsonNode type) {
        return new Found(type(type), type.path("id").asText().equals("INTERVAL"));
    }

    /** The type that a bound plan describes; null for types that tables cannot have. */
    static @Nullable DataType type(JsonNode type) {
        JsonNode info = type.path("type_info");
        return switch (type.path("id").asText()) {
            case "BOOLEAN" -> ScalarType.BOOLEAN;
            case "TINYINT" -> ScalarType.BYTE;
            case "SMALLINT" -> ScalarType.SHORT;
            case "INTEGER", "INTEGER_LITERAL" -> ScalarType.INTEGER;
            case "BIGINT" -> ScalarType.LONG;
            case "HUGEINT", "UHUGEINT" -> new DecimalType(DecimalType.PRECISION_MAX, 0);
            case "FLOAT" -> ScalarType.FLOAT;
            case "DOUBLE" -> ScalarType.DOUBLE;
            case "VARCHAR", "STRING_LITERAL" -> ScalarType.STRING;
            case "BLOB" -> ScalarType.BINARY;
            case "DATE" -> ScalarType.DATE;
            case "TIMESTAMP WITH TIME ZONE" -> ScalarType.TIMESTAMP;
            case "TIMESTAMP" -> ScalarType.TIMESTAMP_NTZ;
            case "NULL", "\"NULL\"" -> ScalarType.VOID;
            case "VARIANT" -> ScalarType.VARIANT;
            case "DECIMAL" ->
                new DecimalType(info.path("width").asInt(), info.path("scale").asInt());
            case "LIST" -> {
                DataType element = type(info.path("child_type"));
                yield element == null ? null : new ArrayType(element, true);
            }
            case "MAP" -> {
                JsonNode entry = info.path("child_type").path("type_info").path("child_types");
                DataType key = type(entry.path(0).path("second"));
                DataType value = type(entry.path(1).path("second"));
                yield key == null || value == null ? null : new MapType(key, value, true);
            }
            case "STRUCT" -> struct(info.path("child_types"));
            default -> null;
        };
    }

    private static @Nullable DataType struct(JsonNode children) {
        List<StructField> fields = new ArrayList<>();
        for (JsonNode child : children) {
            DataType type = type(child.path("second"));
            if (type == null) {
                return null;
            }
            fields.add(StructField.of(child.path("first").asText(), type));
        }
        return new StructType(fields);
    }
}
