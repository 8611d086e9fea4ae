package io.tidemark.delta.vector;

import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** A set of row positions in a data file, counted from 0. Immutable. */
public interface RowPositions {
    /** No rows. */
    static RowPositions empty() {
        return RoaringPositions.EMPTY;
    }

    /** The given rows, in any order. */
    static RowPositions of(long... positions) {
        return RoaringPositions.of(LongStream.of(positions));
    }

    /** The rows of a stream, in any order. */
    static RowPositions of(LongStream positions) {
        return RoaringPositions.of(positions);
    }

    /** Whether there are no rows. */
    boolean isEmpty();

    /** How many rows there are. */
    long cardinality();

    /** Whether a row is in the set. */
    boolean contains(long position);

    /** Calls for each row, in ascending order. */
    void forEach(LongConsumer action);

    /** The greatest row; the set must not be empty. */
    long last();

    /** The rows of this set or the other or both. */
    RowPositions union(RowPositions other);

    /** The rows of this set that are not in the other. */
    RowPositions minus(RowPositions other);

    /** Whether a row is in both sets. */
    boolean intersects(RowPositions other);
}
