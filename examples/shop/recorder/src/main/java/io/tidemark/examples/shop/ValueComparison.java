// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;

/** Compares a value of the feed with the same value in PostgreSQL's CSV. */
final class ValueComparison {

    private static final DateTimeFormatter LOCAL = new DateTimeFormatterBuilder()
            .append(DateTimeFormatter.ISO_LOCAL_DATE).appendLiteral(' ').append(DateTimeFormatter.ISO_LOCAL_TIME)
            .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter ZONED = new DateTimeFormatterBuilder()
            .append(LOCAL).appendOffset("+HH", "+00").toFormatter(Locale.ROOT);

    private ValueComparison() {
    }

    static boolean equal(ShopTable.Kind kind, JsonNode feed, String csv, ObjectMapper json) {
        if (feed == null) {
            return false;
        }
        if (feed.isNull() || csv == null) {
            return feed.isNull() && csv == null;
        }
        return switch (kind) {
            case INTEGER -> feed.isIntegralNumber() && feed.asText().equals(csv);
            case DECIMAL -> feed.isTextual() && new BigDecimal(feed.textValue()).equals(new BigDecimal(csv));
            case TEXT -> feed.isTextual() && feed.textValue().equals(csv);
            case BOOLEAN -> feed.isBoolean() && feed.booleanValue() == csv.equals("t");
            case DATE -> LocalDate.parse(withoutZone(feed)).equals(LocalDate.parse(csv));
            case TIMESTAMP -> LocalDateTime.parse(withoutZone(feed)).equals(LocalDateTime.parse(csv, LOCAL));
            case INSTANT -> Instant.parse(feed.textValue()).equals(OffsetDateTime.parse(csv, ZONED).toInstant());
            case ARRAY -> feed.isArray() && feed.equals(tree(csv, json));
        };
    }

    private static JsonNode tree(String text, ObjectMapper json) {
        try {
            return json.readTree(text);
        } catch (JsonProcessingException notJson) {
            throw new IllegalArgumentException("not JSON: " + text, notJson);
        }
    }

    /** Debezium writes a Z behind dates and local timestamps too. */
    private static String withoutZone(JsonNode feed) {
        String text = feed.textValue();
        if (!text.endsWith("Z")) {
            throw new IllegalArgumentException("no Z at the end of " + text);
        }
        return text.substring(0, text.length() - 1);
    }
}
