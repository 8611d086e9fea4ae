package io.tidemark.files;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.files.TextValues.BadValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Turns JSON values into values of declared types. */
final class JsonValues {
    private final TextValues texts;
    private final Times times;

    /** What whole numbers mean where a date or time is declared. */
    enum Times {
        /** Dates are refused, timestamps are seconds. */
        SECONDS(ChronoUnit.SECONDS, false),
        MILLIS(ChronoUnit.MILLIS, true),
        MICROS(ChronoUnit.MICROS, true),
        NANOS(ChronoUnit.NANOS, true);

        private final ChronoUnit unit;
        private final boolean daysAllowed;

        Times(ChronoUnit unit, boolean daysAllowed) {
            this.unit = unit;
            this.daysAllowed = daysAllowed;
        }
    }

    JsonValues(TextValues texts, Times times) {
        this.texts = texts;
        this.times = times;
    }

    /** The value of a JSON node; NULL for JSON's null. */
    @Nullable
    Object parse(JsonNode node, DataType type) throws BadValue {
        if (node.isNull() || node.isMissingNode()) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR -> scalar(node, (ScalarType) type);
            case DECIMAL -> decimal(node, (DecimalType) type);
            case ARRAY -> array(node, (ArrayType) type);
            case MAP -> map(node, (MapType) type);
            case STRUCT -> struct(node, (StructType) type);
        };
    }

    private Object decimal(JsonNode node, DecimalType type) throws BadValue {
        if (node.isNumber()) {
            try {
                return TextValues.decimal(node.decimalValue(), type);
            } catch (NumberFormatException | ArithmeticException e) {
                throw new BadValue();
            }
        }
        if (node.isTextual()) {
            return texts.parse(node.textValue(), type);
        }
        JsonNode unscaled = node.get("value");
        if (node.isObject() && node.path("scale").isInt() && unscaled != null && unscaled.isTextual()) {
            BigInteger digits = new BigInteger(bytes(unscaled.textValue()));
            return TextValues.decimal(new BigDecimal(digits, node.path("scale").intValue()), type);
        }
        throw new BadValue();
    }

    private Object scalar(JsonNode node, ScalarType type) throws BadValue {
        return switch (type) {
            case STRING -> TextValues.wellFormed(node.isTextual() ? node.textValue() : node.toString());
            case BINARY -> {
                if (!node.isTextual()) {
                    throw new BadValue();
                }
                yield bytes(node.textValue());
            }
            case BOOLEAN -> {
                if (node.isBoolean()) {
                    yield node.booleanValue();
                }
                throw new BadValue();
            }
            case BYTE, SHORT, INTEGER, LONG -> whole(node, type);
            case FLOAT, DOUBLE -> {
                if (!node.isNumber() && !node.isTextual()) {
                    throw new BadValue();
                }
                double value = node.isNumber() ? node.doubleValue() : TextValues.floating(node.textValue());
                if (type == ScalarType.FLOAT) {
                    yield (float) value;
                }
                yield value;
            }
            case DATE -> date(node);
            case TIMESTAMP -> node.isIntegralNumber() ? instant(node) : text(node, type);
            case TIMESTAMP_NTZ ->
                node.isIntegralNumber() ? LocalDateTime.ofInstant(instant(node), ZoneOffset.UTC) : text(node, type);
            case VARIANT, VOID -> throw new BadValue();
        };
    }

    private Object text(JsonNode node, ScalarType type) throws BadValue {
        if (!node.isTextual()) {
            throw new BadValue();
        }
        return texts.parse(node.textValue(), type);
    }

    private Object whole(JsonNode node, ScalarType type) throws BadValue {
        if (node.isIntegralNumber()) {
            return texts.parse(node.asText(), type);
        }
        return text(node, type);
    }

    private Object date(JsonNode node) throws BadValue {
        if (node.isIntegralNumber() && times.daysAllowed && node.canConvertToInt()) {
            return LocalDate.ofEpochDay(node.intValue());
        }
        return text(node, ScalarType.DATE);
    }

    private Instant instant(JsonNode node) throws BadValue {
        if (!node.canConvertToLong()) {
            throw new BadValue();
        }
        try {
            return Instant.EPOCH.plus(node.longValue(), times.unit).truncatedTo(ChronoUnit.MICROS);
        } catch (DateTimeException | ArithmeticException e) {
            throw new BadValue();
        }
    }

    private static byte[] bytes(String base64) throws BadValue {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw new BadValue();
        }
    }

    private Object array(JsonNode node, ArrayType type) throws BadValue {
        if (!node.isArray()) {
            throw new BadValue();
        }
        List<@Nullable Object> values = new ArrayList<>(node.size());
        for (JsonNode element : node) {
            values.add(parse(element, type.element()));
        }
        return values;
    }

    private Object map(JsonNode node, MapType type) throws BadValue {
        if (!node.isObject()) {
            throw new BadValue();
        }
        Map<Object, @Nullable Object> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            values.put(texts.parse(entry.getKey(), type.key()), parse(entry.getValue(), type.value()));
        }
        return values;
    }

    private Object struct(JsonNode node, StructType type) throws BadValue {
        if (!node.isObject()) {
            throw new BadValue();
        }
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        for (StructField field : type.fields()) {
            values.put(field.name(), parse(member(node, field.name()), field.type()));
        }
        return values;
    }

    /** The member of an object: under the exact name, else under one that differs in case only. */
    static JsonNode member(JsonNode object, String name) {
        JsonNode exact = object.get(name);
        if (exact != null) {
            return exact;
        }
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            if (entry.getKey().equalsIgnoreCase(name)) {
                return entry.getValue();
            }
        }
        return MissingNode.getInstance();
    }
}
