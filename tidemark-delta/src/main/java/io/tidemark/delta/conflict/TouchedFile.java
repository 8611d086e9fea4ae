package io.tidemark.delta.conflict;

import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.vector.RowPositions;

/** A file of the table that an attempt takes away or changes. */
public sealed interface TouchedFile {
    /** The file as it is before the attempt, with its deletion vector. */
    AddFile base();

    /** The same change to a newer state of the file. */
    TouchedFile on(AddFile newer, RowPositions newerDeleted);

    /**
     * The file goes with all of its rows, because they are deleted or were written anew elsewhere.
     *
     * @param base the file
     */
    record Removed(AddFile base) implements TouchedFile {
        @Override
        public TouchedFile on(AddFile newer, RowPositions newerDeleted) {
            return new Removed(newer);
        }
    }

    /**
     * Rows of the file are deleted.
     *
     * @param base the file
     * @param deletedBefore its rows that were deleted before
     * @param deleted rows that the attempt deletes, none of which was deleted before
     */
    record RowsDeleted(AddFile base, RowPositions deletedBefore, RowPositions deleted) implements TouchedFile {
        /** Every row that is deleted after the attempt. */
        public RowPositions allDeleted() {
            return deletedBefore.union(deleted);
        }

        @Override
        public TouchedFile on(AddFile newer, RowPositions newerDeleted) {
            return new RowsDeleted(newer, newerDeleted, deleted);
        }
    }

    /**
     * The file gets another deletion vector that exists already, as when a table is restored.
     *
     * @param base the file
     * @param replacement the same file with the other vector
     */
    record Replaced(AddFile base, AddFile replacement) implements TouchedFile {
        @Override
        public TouchedFile on(AddFile newer, RowPositions newerDeleted) {
            return new Replaced(newer, replacement);
        }
    }
}
