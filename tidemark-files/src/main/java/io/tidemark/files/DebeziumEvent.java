package io.tidemark.files;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** One event, out of any wrapping. */
final class DebeziumEvent {
    private final Operation operation;
    private final JsonNode key;
    private final JsonNode value;
    private List<String> authored = List.of();

    /** What happened. */
    enum Operation {
        READ("r"),
        CREATE("c"),
        UPDATE("u"),
        DELETE("d"),
        TRUNCATE("t"),
        MESSAGE("m");

        private final String letter;

        Operation(String letter) {
            this.letter = letter;
        }

        String letter() {
            return letter;
        }

        static Optional<Operation> of(String letter) {
            return Arrays.stream(values())
                    .filter(each -> each.letter.equals(letter))
                    .findFirst();
        }
    }

    private DebeziumEvent(Operation operation, JsonNode key, JsonNode value) {
        this.operation = operation;
        this.key = key;
        this.value = value;
    }

    /** Takes a line apart; empty for tombstones. */
    static Optional<DebeziumEvent> read(JsonNode line, InputErrors.Place place) {
        if (!line.isObject()) {
            throw InputErrors.malformed(place, "an event must be a JSON object");
        }
        boolean pair = line.has("value") && !line.has("op") && !line.has("payload");
        JsonNode key = pair ? unwrapped(line.path("key")) : line.path("key");
        JsonNode value = unwrapped(pair ? line.path("value") : line);
        if (value.isNull()) {
            return Optional.empty();
        }
        Operation operation = Operation.of(value.path("op").asText())
                .orElseThrow(() -> InputErrors.malformed(
                        place,
                        value.has("op")
                                ? "the event has the unknown op " + value.path("op")
                                : "this is no event of Debezium: it has no op"));
        boolean needsAfter = switch (operation) {
            case READ, CREATE, UPDATE -> true;
            case DELETE, TRUNCATE, MESSAGE -> false;
        };
        if (needsAfter && !value.path("after").isObject()) {
            throw InputErrors.malformed(place, "the event has no new row (after)");
        }
        return Optional.of(new DebeziumEvent(operation, key, value));
    }

    private static JsonNode unwrapped(JsonNode node) {
        return node.isObject() && node.has("payload") && !node.has("op") ? node.path("payload") : node;
    }

    Operation operation() {
        return operation;
    }

    JsonNode key() {
        return key;
    }

    JsonNode before() {
        return value.path("before");
    }

    JsonNode after() {
        return value.path("after");
    }

    JsonNode source() {
        return value.path("source");
    }

    JsonNode timestamp() {
        return value.path("ts_ms");
    }

    List<String> authored() {
        return authored;
    }

    void authored(List<String> names) {
        authored = List.copyOf(names);
    }
}
