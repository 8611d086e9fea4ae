package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import java.io.Serializable;

/** A compiler of the pattern NonIncremental: the whole input becomes the whole output. Must be deterministic. */
@FunctionalInterface
public interface WholeCompile extends Serializable {
    /**
     * Compiles everything.
     *
     * @throws Exception fails the run
     */
    void compile(Inputs inputs, Outputs outputs, Context context) throws Exception;

    /** The input layers. */
    interface Inputs {
        /** Hands over all partitions of an input layer in the order of their names; their payloads are streamed. */
        void forEach(String catalog, String layer, Visitor visitor) throws Exception;
    }

    /** Receives partitions. */
    @FunctionalInterface
    interface Visitor {
        /** Takes a partition; the payload is valid during the call only. */
        void visit(PartitionKey key, Payload payload) throws Exception;
    }

    /** The output layers. */
    @FunctionalInterface
    interface Outputs {
        /**
         * Adds a partition to the output.
         *
         * @throws io.tidemark.core.error.TidemarkException {@code UNDECLARED_OUTPUT}, {@code INVALID_PARTITION_NAME}
         */
        void put(PartitionKey out, Payload payload);
    }
}
