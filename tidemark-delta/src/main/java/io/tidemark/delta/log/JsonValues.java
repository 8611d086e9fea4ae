package io.tidemark.delta.log;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * JSON values as plain Java values, without loss: objects are maps in order, integers are {@code Long} or
 * {@code BigInteger}, other numbers are {@code BigDecimal}.
 */
public final class JsonValues {
    /** Schemas and inline vectors are long texts, so the parser's default limits would refuse sound logs. */
    private static final int TEXT_LENGTH_MAX = Integer.MAX_VALUE;

    private static final int NUMBER_LENGTH_MAX = 10_000;

    static final JsonFactory FACTORY = ((JsonFactoryBuilder) JsonFactory.builder())
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(TEXT_LENGTH_MAX)
                    .maxNumberLength(NUMBER_LENGTH_MAX)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private JsonValues() {}

    /**
     * Parses a text that is one JSON object.
     *
     * @throws IOException if it is anything else
     */
    public static Map<String, @Nullable Object> parseObject(String text) throws IOException {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new JsonParseException(parser, "expected a JSON object");
            }
            Map<String, @Nullable Object> object = readObject(parser);
            if (parser.nextToken() != null) {
                throw new JsonParseException(parser, "text after the JSON object");
            }
            return object;
        }
    }

    /** Writes a value of the kinds that {@link #parseObject} makes, without blanks, keys in the order of the maps. */
    public static String write(@Nullable Object value) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = FACTORY.createGenerator(text)) {
            write(generator, value);
        } catch (IOException e) {
            throw new IllegalStateException("writing to memory failed", e);
        }
        return text.toString();
    }

    static void write(JsonGenerator generator, @Nullable Object value) throws IOException {
        if (value == null) {
            generator.writeNull();
        } else if (value instanceof String text) {
            generator.writeString(text);
        } else if (value instanceof Boolean flag) {
            generator.writeBoolean(flag);
        } else if (value instanceof Long || value instanceof Integer) {
            generator.writeNumber(((Number) value).longValue());
        } else if (value instanceof BigInteger number) {
            generator.writeNumber(number);
        } else if (value instanceof BigDecimal number) {
            generator.writeNumber(number);
        } else if (value instanceof Double number) {
            generator.writeNumber(number);
        } else if (value instanceof Float number) {
            generator.writeNumber(number);
        } else if (value instanceof Map<?, ?> map) {
            generator.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                generator.writeFieldName(String.valueOf(entry.getKey()));
                write(generator, entry.getValue());
            }
            generator.writeEndObject();
        } else if (value instanceof List<?> list) {
            generator.writeStartArray();
            for (Object element : list) {
                write(generator, element);
            }
            generator.writeEndArray();
        } else {
            throw new IllegalArgumentException("a " + value.getClass().getName() + " has no JSON form here");
        }
    }

    static Map<String, @Nullable Object> readObject(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            parser.nextToken();
            object.put(name, readValue(parser).orElse(null));
        }
        return Collections.unmodifiableMap(object);
    }

    /** The value at the current token; nothing for NULL. */
    static Optional<Object> readValue(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new JsonParseException(parser, "the text ends within a value");
        }
        return switch (token) {
            case START_OBJECT -> Optional.of(readObject(parser));
            case START_ARRAY -> Optional.of(readArray(parser));
            case VALUE_STRING -> Optional.of(parser.getText());
            case VALUE_TRUE -> Optional.of(true);
            case VALUE_FALSE -> Optional.of(false);
            case VALUE_NULL -> Optional.empty();
            case VALUE_NUMBER_INT -> Optional.of(integer(parser));
            case VALUE_NUMBER_FLOAT -> Optional.of(parser.getDecimalValue());
            default -> throw new JsonParseException(parser, "unexpected " + token);
        };
    }

    private static Object integer(JsonParser parser) throws IOException {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? parser.getBigIntegerValue()
                : (Object) parser.getLongValue();
    }

    private static List<@Nullable Object> readArray(JsonParser parser) throws IOException {
        List<@Nullable Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(readValue(parser).orElse(null));
        }
        return Collections.unmodifiableList(array);
    }
}
