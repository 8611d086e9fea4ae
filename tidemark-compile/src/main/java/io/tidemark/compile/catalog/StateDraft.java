package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.type.StructType;
import java.util.List;

/**
 * The state of the next version in the making: named relations, each a list of immutable Parquet files, oldest first. It
 * begins with the relations of the base; files that no commit pins are garbage.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class StateDraft {
    StateDraft() {}

    /** Adds a file with the rows of engine SQL behind the files that a relation has; none if there are no rows. */
    public void append(Engine engine, String name, String sql, StructType columns, List<String> sortBy) {
        throw new UnsupportedOperationException();
    }

    /** Puts the rows of engine SQL in place of all files that a relation has. */
    public void replace(Engine engine, String name, String sql, StructType columns, List<String> sortBy) {
        throw new UnsupportedOperationException();
    }

    /** Puts the rows of engine SQL in place of a relation's files from an index on; merges of young files need it. */
    public void replaceFrom(
            Engine engine, String name, int firstFile, String sql, StructType columns, List<String> sortBy) {
        throw new UnsupportedOperationException();
    }

    /** Takes a relation away. */
    public void remove(String name) {
        throw new UnsupportedOperationException();
    }

    /** The files that a relation has in this draft, oldest first. */
    public List<StateFile> files(String name) {
        throw new UnsupportedOperationException();
    }
}
