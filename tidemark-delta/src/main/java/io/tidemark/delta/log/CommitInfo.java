package io.tidemark.delta.log;

import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a writer says about its commit. Only {@code inCommitTimestamp} has a meaning to readers.
 *
 * @param values the entries in their order: texts, {@code Long}, {@code BigDecimal}, {@code Boolean}, lists and maps
 */
public record CommitInfo(Map<String, @Nullable Object> values) implements Action {
    /** Copies the entries. */
    public CommitInfo {
        values = Copies.of(values);
    }

    /** The name of the operation. */
    public Optional<String> operation() {
        return text("operation");
    }

    /** The parameters of the operation. */
    public Map<String, @Nullable Object> operationParameters() {
        return map("operationParameters");
    }

    /** Counters of the operation, texts by custom. */
    public Map<String, @Nullable Object> operationMetrics() {
        return map("operationMetrics");
    }

    /** Which program wrote the commit. */
    public Optional<String> engineInfo() {
        return text("engineInfo");
    }

    /** The random id of the transaction. */
    public Optional<String> txnId() {
        return text("txnId");
    }

    /** Free text of the user. */
    public Optional<String> userMetadata() {
        return text("userMetadata");
    }

    /** The isolation level that the writer kept. */
    public Optional<String> isolationLevel() {
        return text("isolationLevel");
    }

    /** Whether the commit only added files without having read any; absent if the writer does not say. */
    public Optional<Boolean> isBlindAppend() {
        return Optional.ofNullable(values.get("isBlindAppend"))
                .filter(Boolean.class::isInstance)
                .map(Boolean.class::cast);
    }

    /** The writer's clock, in milliseconds since 1970. */
    public Optional<Long> timestamp() {
        return number("timestamp");
    }

    /** The commit's timestamp by the log, in milliseconds since 1970, in tables that have one. */
    public Optional<Long> inCommitTimestamp() {
        return number("inCommitTimestamp");
    }

    /** The version that the writer had read. */
    public Optional<Long> readVersion() {
        return number("readVersion");
    }

    private Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name)).map(Object::toString);
    }

    private Optional<Long> number(String name) {
        return Optional.ofNullable(values.get(name))
                .filter(Long.class::isInstance)
                .map(Long.class::cast);
    }

    @SuppressWarnings("unchecked")
    private Map<String, @Nullable Object> map(String name) {
        Object value = values.get(name);
        return value instanceof Map<?, ?> map ? (Map<String, @Nullable Object>) map : Map.of();
    }
}
