package io.tidemark.duckdb.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How nested values enter the database exactly: as JSON whose leaves are texts, as they leave by {@link Values}. */
public final class NestedText {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private NestedText() {}

    /** The text of a nested value. */
    public static String write(Object value, DataType type) {
        try {
            return JSON.writeValueAsString(node(value, type));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode node(@Nullable Object value, DataType type) {
        if (value == null) {
            return NullNode.getInstance();
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> NODES.textNode(leaf(value));
            case ARRAY -> {
                ArrayNode array = NODES.arrayNode();
                for (Object element : (List<?>) value) {
                    array.add(node(element, ((ArrayType) type).element()));
                }
                yield array;
            }
            case MAP -> {
                ArrayNode entries = NODES.arrayNode();
                MapType map = (MapType) type;
                for (Map.Entry<?, ?> entry : ((Map<?, ?>) value).entrySet()) {
                    ObjectNode pair = entries.addObject();
                    pair.set("k", node(entry.getKey(), map.key()));
                    pair.set("v", node(entry.getValue(), map.value()));
                }
                yield entries;
            }
            case STRUCT -> {
                ObjectNode object = NODES.objectNode();
                List<StructField> fields = ((StructType) type).fields();
                Map<?, ?> values = (Map<?, ?>) value;
                for (int i = 0; i < fields.size(); i++) {
                    StructField field = fields.get(i);
                    object.set("f" + i, node(values.get(field.name()), field.type()));
                }
                yield object;
            }
        };
    }

    private static String leaf(Object value) {
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof LocalDate date) {
            return String.valueOf(date.toEpochDay());
        }
        if (value instanceof Instant instant) {
            return String.valueOf(EpochMicros.of(instant));
        }
        if (value instanceof LocalDateTime local) {
            return String.valueOf(EpochMicros.of(local));
        }
        return value instanceof byte[] bytes ? Base64.getEncoder().encodeToString(bytes) : value.toString();
    }

    /** An expression that reads what {@link #write} wrote from a text column. */
    public static String read(String column, DataType type) {
        return value("from_json(" + column + ", " + Spelling.string(structure(type)) + ")", type, 0);
    }

    private static String structure(DataType type) {
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> "\"VARCHAR\"";
            case ARRAY -> "[" + structure(((ArrayType) type).element()) + "]";
            case MAP ->
                "[{\"k\":" + structure(((MapType) type).key()) + ",\"v\":" + structure(((MapType) type).value()) + "}]";
            case STRUCT -> {
                List<String> fields = new ArrayList<>();
                for (StructField field : ((StructType) type).fields()) {
                    fields.add("\"f" + fields.size() + "\":" + structure(field.type()));
                }
                yield "{" + String.join(",", fields) + "}";
            }
        };
    }

    private static String value(String expression, DataType type, int depth) {
        String element = "x" + depth;
        return switch (type.kind()) {
            case SCALAR ->
                switch ((ScalarType) type) {
                    case STRING -> expression;
                    case BINARY -> "from_base64(" + expression + ")";
                    case DATE -> "CAST(DATE '1970-01-01' + CAST(" + expression + " AS INTEGER) AS DATE)";
                    case TIMESTAMP -> "CAST(make_timestamp(CAST(" + expression + " AS BIGINT)) AS TIMESTAMPTZ)";
                    case TIMESTAMP_NTZ -> "make_timestamp(CAST(" + expression + " AS BIGINT))";
                    default -> "CAST(" + expression + " AS " + Spelling.type(type) + ")";
                };
            case DECIMAL -> "CAST(" + expression + " AS " + Spelling.type(type) + ")";
            case ARRAY ->
                "list_transform(" + expression + ", lambda " + element + ": "
                        + value(element, ((ArrayType) type).element(), depth + 1) + ")";
            case MAP ->
                "map_from_entries(list_transform(" + expression + ", lambda " + element + ": struct_pack(k := "
                        + value("struct_extract(" + element + ", 'k')", ((MapType) type).key(), depth + 1) + ", v := "
                        + value("struct_extract(" + element + ", 'v')", ((MapType) type).value(), depth + 1) + ")))";
            case STRUCT -> {
                List<String> parts = new ArrayList<>();
                List<StructField> fields = ((StructType) type).fields();
                for (int i = 0; i < fields.size(); i++) {
                    String field = "struct_extract(" + expression + ", 'f" + i + "')";
                    parts.add(Spelling.name(fields.get(i).name()) + " := "
                            + value(field, fields.get(i).type(), depth));
                }
                yield "CASE WHEN " + expression + " IS NOT NULL THEN struct_pack(" + String.join(", ", parts) + ") END";
            }
        };
    }
}
