package io.tidemark.compile.work;

import io.tidemark.core.engine.RowConsumer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A function over the rows that have one value in their first column. It may be called by several threads at once, for
 * different groups, and more than once for one group.
 */
@FunctionalInterface
public interface GroupFunction {
    /**
     * Handles a group.
     *
     * @param rows the rows, at least one
     * @param output takes rows of the result
     * @throws Exception if the group cannot be handled; then the whole run fails, naming the group
     */
    void apply(List<List<@Nullable Object>> rows, RowConsumer output) throws Exception;
}
