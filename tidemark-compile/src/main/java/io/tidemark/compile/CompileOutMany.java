package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;
import java.util.Map;

/**
 * A back end that makes several partitions of what was contributed to one key. Must be deterministic and may run more than
 * once.
 *
 * @param <T> type of the intermediate values
 */
@FunctionalInterface
public interface CompileOutMany<T> extends Serializable {
    /**
     * Compiles the partitions of a key.
     *
     * @return payloads by partition, all of them {@linkplain Announcement announced}; announced ones that are missing
     *     shall not be there
     * @throws Exception fails the run, which then names the key
     */
    Map<PartitionKey, Payload> compileOut(PartitionKey out, Contributors<T> contributors) throws Exception;

    /** Which partitions a key can give, by the key alone. Must be deterministic. */
    @FunctionalInterface
    interface Announcement extends Serializable {
        /** The partitions of a key. */
        Iterable<PartitionKey> partitionsOf(PartitionKey out);
    }
}
