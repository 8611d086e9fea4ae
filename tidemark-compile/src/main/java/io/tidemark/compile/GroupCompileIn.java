package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/**
 * The front end of pattern MapGroup. Must be deterministic and may run more than once.
 *
 * @param <T> type of the intermediate values
 */
@FunctionalInterface
public interface GroupCompileIn<T> extends Serializable {
    /**
     * Compiles an input partition to values of outputs that its content decides.
     *
     * @throws Exception fails the run, which then names the partition
     */
    void compileIn(PartitionKey in, Emitter<T> emit, Context context) throws Exception;
}
