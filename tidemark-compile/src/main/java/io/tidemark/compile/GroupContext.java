package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The context of one call. A read of a partition whose payload was not brought along ends the call; it is made again when
 * the payload is there, so that no thread of the pool needs the engine.
 */
final class GroupContext implements Context {
    private final Task task;
    private final boolean mayReadMore;
    private final Map<PartitionKey, Optional<Payload>> declared = new HashMap<>();
    private final Map<PartitionKey, Optional<Payload>> extra = new HashMap<>();
    private final Set<PartitionKey> reads = new TreeSet<>();
    private final Set<PartitionKey> missing = new TreeSet<>();

    /**
     * A context in which nothing can be read yet.
     *
     * @param mayReadMore whether the function may read partitions that are not declared, and have that recorded
     */
    GroupContext(Task task, boolean mayReadMore) {
        this.task = task;
        this.mayReadMore = mayReadMore;
    }

    /** Ends a call whose payloads are not all there. */
    static final class MissingPayload extends RuntimeException {
        private static final long serialVersionUID = 1L;

        MissingPayload(PartitionKey key) {
            super("the payload of " + key + " is fetched", null, false, false);
        }
    }

    void declare(PartitionKey key, Optional<Payload> payload) {
        declared.put(key, payload);
    }

    void fetched(PartitionKey key, Optional<Payload> payload) {
        extra.put(key, payload);
    }

    boolean isPublished(PartitionKey key) {
        return declared.getOrDefault(key, Optional.empty()).isPresent();
    }

    /** The partitions that the function has read beyond the declared ones. */
    Set<PartitionKey> reads() {
        return reads;
    }

    /** Those of which the payload must be brought along before the function can be called again. */
    Set<PartitionKey> missing() {
        return missing;
    }

    /** Forgets what a call has read; for a second one. */
    void restart() {
        reads.clear();
        missing.clear();
    }

    @Override
    public Payload payload(PartitionKey key) {
        Optional<Payload> known = declared.get(key);
        if (known == null) {
            if (!task.recordsReads() || !mayReadMore) {
                throw Errors.undeclaredRead(
                        task.id(), key, "which is neither the partition that is compiled nor one that it refers to");
            }
            known = read(key);
        }
        return known.orElseThrow(() -> TidemarkException.of(
                        ErrorCode.UNKNOWN_PARTITION, "task " + task.id() + " reads " + key + ", which is not published")
                .hint("ask with read(key) for partitions that may be missing")
                .build());
    }

    @Override
    public Optional<Payload> read(PartitionKey key) {
        Optional<Payload> known = declared.get(key);
        if (known != null) {
            return known;
        }
        if (!task.reads(key.catalog(), key.layer())) {
            throw Errors.undeclaredRead(task.id(), key, "and the layer is no input of it");
        }
        if (!mayReadMore) {
            throw Errors.undeclaredRead(task.id(), key, "where only declared partitions can be read");
        }
        reads.add(key);
        Optional<Payload> fetched = extra.get(key);
        if (fetched == null) {
            missing.add(key);
            throw new MissingPayload(key);
        }
        return fetched;
    }

    @Override
    public PartitionKey out(String layer, String name) {
        return PartitionKey.output(layer, name);
    }

    @Override
    public PartitionKey in(String catalog, String layer, String name) {
        return new PartitionKey(catalog, layer, name);
    }

    @Override
    public String config(String name) {
        return given(task.config().get(name), "config", name);
    }

    @Override
    public byte[] broadcast(String name) {
        return given(task.broadcasts().get(name), "broadcast", name).clone();
    }

    private <T> T given(@Nullable T value, String what, String name) {
        if (value == null) {
            throw Errors.invalidTask("task " + task.id() + " was given no " + what + " '" + name + "'");
        }
        return value;
    }
}
