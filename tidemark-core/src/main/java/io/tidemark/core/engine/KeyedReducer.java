package io.tidemark.core.engine;

import java.io.Serializable;
import java.util.function.Supplier;

/**
 * A pure function from sorted integer rows to integer rows, run where the data is. Only narrow numbers pass through the
 * JVM: values stay with the engine and are joined back by row number.
 */
public interface KeyedReducer {
    /** Value that stands for NULL in input and output. */
    long NULL = Long.MIN_VALUE;

    /** Number of BIGINT columns of an input row. */
    int inputColumns();

    /** Number of BIGINT columns of an output row. */
    int outputColumns();

    /**
     * Takes the next input row. Rows arrive sorted as the plan's query sorts them, and all rows of one key (column 0)
     * arrive at one reducer instance without another key between them.
     *
     * @param row the input values, valid during the call only
     * @param output receives output rows
     */
    void accept(long[] row, Output output);

    /** Ends the last key. */
    void finish(Output output);

    /** Receives output rows. */
    @FunctionalInterface
    interface Output {
        /** Takes a row; the array is copied. */
        void emit(long[] row);
    }

    /** Makes fresh reducers, one for each part of the input that an engine handles by itself, on whatever machine. */
    @FunctionalInterface
    interface Factory extends Supplier<KeyedReducer>, Serializable {}
}
