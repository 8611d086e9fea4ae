package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/**
 * The front end of pattern RefTree. Must be deterministic and may run more than once.
 *
 * @param <T> type of the intermediate values
 */
@FunctionalInterface
public interface RefTreeCompileIn<T> extends Serializable {
    /**
     * Compiles a subject with all it refers to.
     *
     * @throws Exception fails the run, which then names the subject
     */
    void compileIn(PartitionKey subject, References references, Emitter<T> emit, Context context) throws Exception;
}
