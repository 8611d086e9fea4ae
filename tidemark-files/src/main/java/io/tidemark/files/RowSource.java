package io.tidemark.files;

import io.tidemark.core.type.StructType;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Source files of one format, read row by row. */
interface RowSource {
    /** The columns of the rows. */
    StructType columns();

    /** Opens a file. */
    Rows open(SourceFile file) throws IOException;

    /** The rows of a file in order. */
    interface Rows extends Closeable {
        /** The values of the next row in the order of the columns; null at the end. The next call fills the same list. */
        @Nullable
        List<@Nullable Object> next() throws IOException;
    }
}
