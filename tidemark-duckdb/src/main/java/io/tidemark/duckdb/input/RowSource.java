package io.tidemark.duckdb.input;

import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Source files of one format, read row by row. */
interface RowSource {
    /** The columns of the rows. */
    StructType columns();

    /** Reads a file and hands its rows over in order. */
    void read(SourceFile file, Sink sink) throws IOException;

    /** Receives rows. */
    @FunctionalInterface
    interface Sink {
        /** Takes the values of a row in the order of the columns; the list is not kept. */
        void add(List<@Nullable Object> values);
    }
}
