package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.NestedText;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.sql.Functions.Rule;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code from_json}: text becomes a nested value. A field that is not of its type is NULL, and so are all fields if the
 * text is no JSON; a bad element of an array or map is an error, for it is not documented what becomes of the others.
 */
final class JsonFunctions {
    private static final Set<ScalarType> TYPES = Set.of(
            ScalarType.STRING,
            ScalarType.BOOLEAN,
            ScalarType.BYTE,
            ScalarType.SHORT,
            ScalarType.INTEGER,
            ScalarType.LONG,
            ScalarType.DOUBLE);
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();
    private static final Map<String, DataType> SCHEMAS = new ConcurrentHashMap<>();

    private JsonFunctions() {}

    static void addTo(Map<String, Rule> rules) {
        rules.put("from_json", JsonFunctions::fromJson);
    }

    private static String fromJson(CallSite site) {
        if (site.count() != 2) {
            throw site.unsupported("options are not possible");
        }
        String schema = site.literal(1);
        DataType type = parse(schema, site);
        String text = "spark_from_json(" + site.coerced(0, ScalarType.STRING) + ", " + Spelling.string(schema) + ")";
        // A list of one lets the text be named, so that it is parsed once and not once per field.
        return "list_extract(list_transform(list_value(" + text + "), lambda j: " + NestedText.read("j", type)
                + "), 1)";
    }

    private static DataType parse(String schema, CallSite site) {
        DataType type;
        try {
            type = schema(schema);
        } catch (TidemarkException e) {
            throw site.invalid("the schema '" + schema + "' cannot be read: " + e.primary());
        }
        if (!Typed.isNested(type) || !isReadable(type)) {
            throw site.unsupported(
                    "the schema may hold structs, arrays and maps of STRING, BOOLEAN, whole numbers, DOUBLE"
                            + " and DECIMAL; read others as STRING and cast them");
        }
        return type;
    }

    private static DataType schema(String text) {
        return SCHEMAS.computeIfAbsent(
                text, schema -> SparkTypes.parse(schema, new Positions(new QueryText(schema, TextLocation.NONE))));
    }

    private static boolean isReadable(DataType type) {
        return switch (type.kind()) {
            case SCALAR -> TYPES.contains((ScalarType) type);
            case DECIMAL -> true;
            case ARRAY -> isReadable(((ArrayType) type).element());
            case MAP -> ((MapType) type).key() == ScalarType.STRING && isReadable(((MapType) type).value());
            case STRUCT -> ((StructType) type).fields().stream().allMatch(field -> isReadable(field.type()));
        };
    }

    /** A value that is not of its type. */
    private static final class BadValue extends Exception {
        private static final long serialVersionUID = 1L;

        BadValue() {
            super("bad value", null, false, false);
        }
    }

    /** The nested text of a JSON text; null for NULL. */
    static @Nullable String read(String json, String schema) {
        DataType type = schema(schema);
        JsonNode node;
        try {
            node = JSON.readTree(json);
        } catch (JsonProcessingException e) {
            node = JSON.missingNode();
        }
        try {
            Object value = value(node, type);
            return value == null ? null : NestedText.write(value, type);
        } catch (BadValue e) {
            return type instanceof StructType struct ? NestedText.write(empty(struct), struct) : null;
        }
    }

    private static Map<String, @Nullable Object> empty(StructType struct) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        struct.fields().forEach(field -> values.put(field.name(), null));
        return values;
    }

    private static @Nullable Object value(JsonNode node, DataType type) throws BadValue {
        if (node.isNull()) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR -> scalar(node, (ScalarType) type);
            case DECIMAL -> decimal(node, (DecimalType) type);
            case STRUCT -> struct(node, (StructType) type);
            case ARRAY -> {
                require(node.isArray());
                List<@Nullable Object> values = new ArrayList<>();
                for (JsonNode element : node) {
                    values.add(element(element, ((ArrayType) type).element()));
                }
                yield values;
            }
            case MAP -> {
                require(node.isObject());
                Map<String, @Nullable Object> values = new LinkedHashMap<>();
                for (Map.Entry<String, JsonNode> entry : node.properties()) {
                    values.put(entry.getKey(), element(entry.getValue(), ((MapType) type).value()));
                }
                yield values;
            }
        };
    }

    private static @Nullable Object element(JsonNode node, DataType type) {
        try {
            return value(node, type);
        } catch (BadValue e) {
            throw TidemarkException.of(ErrorCode.QUERY_FAILED, "from_json: an element " + node + " is no " + type.sql())
                    .build();
        }
    }

    private static Object struct(JsonNode node, StructType type) throws BadValue {
        require(node.isObject());
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (StructField field : type.fields()) {
            JsonNode member = node.path(field.name());
            Object value = null;
            if (!member.isMissingNode()) {
                try {
                    value = value(member, field.type());
                } catch (BadValue e) {
                    value = null;
                }
            }
            values.put(field.name(), value);
        }
        return values;
    }

    private static Object scalar(JsonNode node, ScalarType type) throws BadValue {
        if (type == ScalarType.STRING) {
            require(!node.isMissingNode());
            return node.isTextual() ? node.textValue() : node.toString();
        }
        if (type == ScalarType.BOOLEAN) {
            require(node.isBoolean());
            return node.booleanValue();
        }
        if (type == ScalarType.DOUBLE) {
            require(node.isNumber());
            return node.doubleValue();
        }
        require(node.isIntegralNumber() && node.canConvertToLong());
        long number = node.longValue();
        long limit = type == ScalarType.BYTE
                ? Byte.MAX_VALUE
                : type == ScalarType.SHORT
                        ? Short.MAX_VALUE
                        : type == ScalarType.INTEGER ? Integer.MAX_VALUE : Long.MAX_VALUE;
        require(number <= limit && number >= -limit - 1);
        return number;
    }

    private static Object decimal(JsonNode node, DecimalType type) throws BadValue {
        require(node.isNumber());
        BigDecimal scaled = node.decimalValue().setScale(type.scale(), RoundingMode.HALF_UP);
        require(scaled.precision() <= type.precision());
        return scaled;
    }

    private static void require(boolean condition) throws BadValue {
        if (!condition) {
            throw new BadValue();
        }
    }
}
