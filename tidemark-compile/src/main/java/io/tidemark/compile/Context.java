package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.util.Optional;

/**
 * What a function of a task may ask for while it handles one partition. It is valid during that call only and belongs to
 * the thread of the call.
 */
public interface Context {
    /**
     * The payload of the partition that is handled, or of one that it refers to.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_READ} if the partition is neither of these and
     *     the task does not record its reads; {@code UNKNOWN_PARTITION} if it is not published
     */
    Payload payload(PartitionKey key);

    /**
     * Reads any partition of the task's input layers, and records that the one which is handled depends on it, even if it
     * is not there yet.
     *
     * @return the payload; nothing if the partition is not published
     * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_READ} if the layer is no input of the task
     */
    Optional<Payload> read(PartitionKey key);

    /** A key of an output layer. */
    PartitionKey out(String layer, String name);

    /** A key of an input layer, by the id under which the driver has bound the catalog. */
    PartitionKey in(String catalog, String layer, String name);

    /** A value that the task was given: {@link TaskBuilder#config}. */
    String config(String name);

    /** Data that the task was given: {@link TaskBuilder#broadcast}. */
    byte[] broadcast(String name);
}
