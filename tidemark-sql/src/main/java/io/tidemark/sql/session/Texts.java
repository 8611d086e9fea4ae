package io.tidemark.sql.session;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** JSON texts, and values as people read them. */
final class Texts {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private Texts() {}

    static String json(Object value) {
        try {
            return MAPPER.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "a value cannot be written as JSON")
                    .cause(e)
                    .build();
        }
    }

    static JsonNode parse(String json, String what) {
        try {
            return MAPPER.readTree(json);
        } catch (JsonProcessingException e) {
            throw TidemarkException.of(ErrorCode.STATE_CORRUPT, what + " is not JSON")
                    .cause(e)
                    .build();
        }
    }

    /** A number of rows in a message. */
    static String rows(long count) {
        return count + (count == 1 ? " row" : " rows");
    }

    /** A condition as histories show it. */
    static String predicates(String condition) {
        return json(List.of("(" + condition + ")"));
    }

    /** A value in a message. */
    static String shown(@Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof byte[] bytes) {
            return "X'" + HexFormat.of().formatHex(bytes) + "'";
        }
        return value instanceof String text ? "'" + text + "'" : value.toString();
    }
}
