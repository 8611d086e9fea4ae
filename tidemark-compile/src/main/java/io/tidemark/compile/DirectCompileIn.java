package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/**
 * The front end of the direct patterns. Must be deterministic and may run more than once.
 *
 * @param <T> type of the intermediate values
 */
@FunctionalInterface
public interface DirectCompileIn<T> extends Serializable {
    /**
     * Compiles an input partition to the value that all its outputs get.
     *
     * @throws Exception fails the run, which then names the partition
     */
    T compileIn(PartitionKey in, Context context) throws Exception;
}
