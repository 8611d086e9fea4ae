package io.tidemark.app.conformance;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Rows in a normal form in which those of a case and those of a table can be compared as multisets. */
final class CaseRows {
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter(Locale.ROOT);

    private CaseRows() {}

    /** A row of a table. */
    static String row(List<String> columns, List<@Nullable Object> values) {
        Map<String, String> parts = new TreeMap<>();
        for (int i = 0; i < columns.size(); i++) {
            boolean bound = columns.get(i).startsWith("__");
            parts.put(columns.get(i), actual(values.get(i), bound));
        }
        return parts.toString();
    }

    /** A row of a case. */
    static String row(JsonNode row) {
        Map<String, String> parts = new TreeMap<>();
        row.fieldNames().forEachRemaining(name -> parts.put(name, expected(row.get(name))));
        return parts.toString();
    }

    /** The first difference between two multisets of rows, if they differ. */
    static Optional<String> difference(List<String> expected, List<String> actual) {
        List<String> missing = new ArrayList<>(expected);
        List<String> surplus = new ArrayList<>();
        for (String row : actual) {
            if (!missing.remove(row)) {
                surplus.add(row);
            }
        }
        if (missing.isEmpty() && surplus.isEmpty()) {
            return Optional.empty();
        }
        String text = missing.isEmpty() ? "" : "missing " + missing.get(0);
        String more = surplus.isEmpty() ? "" : (text.isEmpty() ? "" : ", ") + "surplus " + surplus.get(0);
        return Optional.of(text + more);
    }

    private static String actual(@Nullable Object value, boolean bound) {
        if (value == null) {
            return "null";
        }
        if (value instanceof Instant instant) {
            return TIMESTAMP.format(instant.atOffset(ZoneOffset.UTC));
        }
        if (value instanceof LocalDateTime time) {
            return TIMESTAMP.format(time);
        }
        if (value instanceof Float || value instanceof Double) {
            return number(BigDecimal.valueOf(((Number) value).doubleValue()));
        }
        if (value instanceof Number number) {
            return number(new BigDecimal(number.toString()));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(element -> actual(element, bound)).toList().toString();
        }
        if (value instanceof Map<?, ?> map) {
            if (bound) {
                return map.values().stream()
                        .map(part -> actual(part, true))
                        .toList()
                        .toString();
            }
            Map<String, String> parts = new TreeMap<>();
            map.forEach((name, part) -> parts.put(String.valueOf(name), actual(part, false)));
            return parts.toString();
        }
        return text(value.toString());
    }

    private static String expected(JsonNode value) {
        if (value.isNull()) {
            return "null";
        }
        if (value.isNumber()) {
            return number(value.decimalValue());
        }
        if (value.isArray()) {
            List<String> parts = new ArrayList<>();
            value.forEach(element -> parts.add(expected(element)));
            return parts.toString();
        }
        if (value.isObject()) {
            return row(value);
        }
        return value.isTextual() ? text(value.asText()) : value.asText();
    }

    private static String number(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }

    /** Timestamps are compared without trailing zeros; decimals in quotes as numbers. */
    private static String text(String text) {
        if (text.matches("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d+")) {
            return text.replaceFirst("\\.?0+$", "");
        }
        return text;
    }
}
