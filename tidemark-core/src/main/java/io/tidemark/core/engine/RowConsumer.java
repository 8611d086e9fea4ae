package io.tidemark.core.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Receives rows one by one. */
@FunctionalInterface
public interface RowConsumer {
    /**
     * Takes a row.
     *
     * @param values Java values by the rule of {@link Engine#stream}; the list must not be kept
     * @return whether more rows are wanted
     */
    boolean accept(List<@Nullable Object> values);
}
