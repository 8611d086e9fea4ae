package io.tidemark.app.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Spellings of values. Timestamps are printed in UTC, as Spark does in a session of that zone. */
final class Values {
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter(java.util.Locale.ROOT);

    private Values() {}

    /** The spelling for people and CSV; nested values look as in Spark. */
    static String text(@Nullable Object value) {
        if (value == null) {
            return "NULL";
        }
        if (value instanceof Instant instant) {
            return TIMESTAMP.format(instant.atOffset(ZoneOffset.UTC));
        }
        if (value instanceof LocalDateTime time) {
            return TIMESTAMP.format(time);
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        if (value instanceof byte[] bytes) {
            return HexFormat.of().withUpperCase().formatHex(bytes);
        }
        if (value instanceof List<?> list) {
            return list.stream().map(Values::text).collect(Collectors.joining(", ", "[", "]"));
        }
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> text(entry.getKey()) + ": " + text(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        return value.toString();
    }

    /** Whether values of this kind are aligned to the right. */
    static boolean isNumber(@Nullable Object value) {
        return value instanceof Number;
    }

    static void json(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof BigDecimal number) {
            json.writeNumber(number);
        } else if (value instanceof Double number) {
            floating(json, number);
        } else if (value instanceof Float number) {
            floating(json, number.doubleValue());
        } else if (value instanceof Number number) {
            json.writeNumber(number.longValue());
        } else if (value instanceof byte[] bytes) {
            json.writeString(Base64.getEncoder().encodeToString(bytes));
        } else if (value instanceof Instant instant) {
            json.writeString(TIMESTAMP.format(instant.atOffset(ZoneOffset.UTC)).replace(' ', 'T') + "Z");
        } else if (value instanceof LocalDateTime time) {
            json.writeString(TIMESTAMP.format(time).replace(' ', 'T'));
        } else if (value instanceof LocalDate date) {
            json.writeString(date.toString());
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object element : list) {
                json(json, element);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName(text(entry.getKey()));
                json(json, entry.getValue());
            }
            json.writeEndObject();
        } else {
            json.writeString(value.toString());
        }
    }

    /** JSON has no NaN and no infinity: they become texts. */
    private static void floating(JsonGenerator json, double number) throws IOException {
        if (Double.isFinite(number)) {
            json.writeNumber(number);
        } else {
            json.writeString(Double.toString(number));
        }
    }
}
