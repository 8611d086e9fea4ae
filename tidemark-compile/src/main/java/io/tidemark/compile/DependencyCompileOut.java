package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;
import java.util.List;
import java.util.Optional;

/** The back end of the patterns Dep and IncrementalDep. Must be deterministic and may run more than once. */
@FunctionalInterface
public interface DependencyCompileOut extends Serializable {
    /**
     * Compiles a partition.
     *
     * @param inputs the input partitions of its edges that are published, in the order of their keys; at least one
     * @return the payload; nothing if the partition shall not be there
     * @throws Exception fails the run, which then names the partition
     */
    Optional<Payload> compileOut(PartitionKey out, List<PartitionKey> inputs, Context context) throws Exception;
}
