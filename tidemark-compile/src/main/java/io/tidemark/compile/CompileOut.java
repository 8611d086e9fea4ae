package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;
import java.util.Optional;

/**
 * The back end of a task: the payload of an output partition from what was contributed to it. Must be deterministic and
 * may run more than once.
 *
 * @param <T> type of the intermediate values
 */
@FunctionalInterface
public interface CompileOut<T> extends Serializable {
    /**
     * Compiles a partition.
     *
     * @return the payload; nothing if the partition shall not be there
     * @throws Exception fails the run, which then names the partition
     */
    Optional<Payload> compileOut(PartitionKey out, Contributors<T> contributors) throws Exception;
}
