package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/** Computes the part of a dependency graph that one partition decides. Must be deterministic and may run more than once. */
@FunctionalInterface
public interface DependencyFunction extends Serializable {
    /**
     * Names edges of the graph.
     *
     * @throws Exception fails the run, which then names the partition
     */
    void dependencies(PartitionKey partition, Edges edges, Context context) throws Exception;

    /** Takes edges. */
    interface Edges {
        /**
         * Says that an output partition is made from an input partition.
         *
         * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_OUTPUT} or {@code UNDECLARED_READ} if one of
         *     the layers is not the task's, {@code INVALID_PARTITION_NAME}
         */
        void add(PartitionKey out, PartitionKey input);
    }

    /** A function that sees which edges the partition had at the last run. */
    @FunctionalInterface
    interface Incremental extends Serializable {
        /**
         * Names all edges that the partition decides now; those that it had and that are not named again are dropped.
         * Called for changed partitions only.
         *
         * @param previous the edges at the last run, in order; empty if there were none or the run is a full one
         * @throws Exception fails the run, which then names the partition
         */
        void dependencies(PartitionKey partition, java.util.List<Edge> previous, Edges edges, Context context)
                throws Exception;
    }

    /**
     * An edge.
     *
     * @param out the output partition
     * @param input the input partition that it is made from
     */
    record Edge(PartitionKey out, PartitionKey input) {}
}
