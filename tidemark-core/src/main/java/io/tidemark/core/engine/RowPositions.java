package io.tidemark.core.engine;

import java.util.function.LongConsumer;

/** A set of 0-based row positions in one data file, ascending. */
public interface RowPositions {
    /** No positions. */
    RowPositions NONE = new RowPositions() {
        @Override
        public long cardinality() {
            return 0;
        }

        @Override
        public void forEach(LongConsumer consumer) {
            // nothing to visit
        }
    };

    /** How many positions the set holds. */
    long cardinality();

    /** Visits the positions in ascending order. */
    void forEach(LongConsumer consumer);

    /** Whether the set is empty. */
    default boolean isEmpty() {
        return cardinality() == 0;
    }
}
