package io.tidemark.pipeline.source;

import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructType;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The columns that tables will have once the pipeline has run up to some dataset. With it queries are bound without a
 * row being read, over tables that do not exist yet or that will have more columns than now.
 */
public final class PlannedTables {
    private final Map<TableName, StructType> columns = new HashMap<>();

    /** Notes what a table will have. */
    public void put(TableName name, StructType schema) {
        columns.put(name, schema);
    }

    /** The columns of a table of the pipeline; nothing for those that the pipeline does not write. */
    public Optional<StructType> columns(TableName name) {
        return Optional.ofNullable(columns.get(name));
    }
}
