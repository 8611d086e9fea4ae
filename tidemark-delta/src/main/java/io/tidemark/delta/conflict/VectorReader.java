package io.tidemark.delta.conflict;

import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.vector.RowPositions;
import org.jspecify.annotations.Nullable;

/** Loads deletion vectors. */
@FunctionalInterface
public interface VectorReader {
    /** The rows of a vector; none if there is no vector. */
    RowPositions read(@Nullable DeletionVectorDescriptor vector);
}
