package io.tidemark.files;

import io.tidemark.core.error.TidemarkException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the rows of one file in its order. Used by one thread. */
public interface RowReader extends AutoCloseable {
    /**
     * Reads the next row.
     *
     * @return its values in the order of {@link FileRows#columns}, by the rule of
     *     {@link io.tidemark.core.engine.Engine#stream}; null behind the last row. The list is filled anew by the next call
     * @throws TidemarkException {@code FILE_UNREADABLE}, {@code NOT_NULL_VIOLATED} or {@code IO_FAILED}, with file and line
     */
    @Nullable
    List<@Nullable Object> next();

    @Override
    void close();
}
