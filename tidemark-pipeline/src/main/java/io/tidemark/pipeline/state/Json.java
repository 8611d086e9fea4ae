package io.tidemark.pipeline.state;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reading and writing of the small JSON documents of the state. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Json() {}

    static ObjectNode object() {
        return MAPPER.createObjectNode();
    }

    static JsonNode parse(String text, String what) {
        try {
            JsonNode node = MAPPER.readTree(text);
            if (!node.isObject()) {
                throw corrupt(what, null);
            }
            return node;
        } catch (JsonProcessingException e) {
            throw corrupt(what, e);
        }
    }

    static String write(JsonNode node) {
        try {
            return MAPPER.writeValueAsString(node);
        } catch (JsonProcessingException e) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "a JSON document could not be written")
                    .cause(e)
                    .build();
        }
    }

    /** A text field that must be there. */
    static String text(JsonNode node, String field, String what) {
        JsonNode value = node.get(field);
        if (value == null || !value.isTextual()) {
            throw corrupt(what + " (field " + field + ")", null);
        }
        return value.asText();
    }

    static List<String> texts(@Nullable JsonNode node) {
        List<String> texts = new ArrayList<>();
        if (node != null) {
            node.forEach(value -> texts.add(value.isNull() ? null : value.asText()));
        }
        return texts;
    }

    static Map<String, String> textMap(@Nullable JsonNode node) {
        Map<String, String> texts = new LinkedHashMap<>();
        if (node != null) {
            node.properties()
                    .forEach(field -> texts.put(field.getKey(), field.getValue().asText()));
        }
        return texts;
    }

    static ArrayNode array(List<String> texts) {
        ArrayNode array = MAPPER.createArrayNode();
        texts.forEach(array::add);
        return array;
    }

    static ObjectNode map(Map<String, String> texts) {
        ObjectNode node = object();
        texts.forEach(node::put);
        return node;
    }

    static TidemarkException corrupt(String what, @Nullable Exception cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.STATE_CORRUPT, what + " is not what it must be")
                .hint("restore the file from a copy, or rebuild the table with --full-refresh");
        if (cause != null) {
            error.cause(cause);
        }
        return error.build();
    }
}
