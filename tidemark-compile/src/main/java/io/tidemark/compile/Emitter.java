package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;

/**
 * Takes the intermediate values of one input partition.
 *
 * @param <T> type of the values
 */
@FunctionalInterface
public interface Emitter<T> {
    /**
     * Contributes a value to an output partition. Several values for one output keep their order.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_OUTPUT} if the layer is no output of the task,
     *     {@code INVALID_PARTITION_NAME}
     */
    void to(PartitionKey out, T value);
}
