package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/** Finds out what a partition refers to, from its own data. Must be deterministic and may run more than once. */
@FunctionalInterface
public interface ReferenceResolver extends Serializable {
    /**
     * Names the partitions that a partition refers to. They need not be published.
     *
     * @param partition a subject, or a partition that is referred to and has references of its own
     * @param found takes the references
     * @throws Exception fails the run, which then names the partition
     */
    void resolve(PartitionKey partition, Found found, Context context) throws Exception;

    /** Takes references. */
    interface Found {
        /** The path of reference names that leads to the partition, joined by dots; empty for a subject. */
        String path();

        /**
         * Adds a reference.
         *
         * @param name one of the names that the task declares for partitions at this place
         * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_REFERENCE} if the name or the target's layer
         *     is another
         */
        void add(String name, PartitionKey target);
    }
}
