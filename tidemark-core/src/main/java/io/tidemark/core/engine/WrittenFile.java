package io.tidemark.core.engine;

import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Parquet file that an engine wrote and nobody has committed yet.
 *
 * @param name path within the write's directory: a file name, behind folders of partition values if there are any
 * @param sizeBytes size
 * @param rowCount rows
 * @param statistics per leaf column that has statistics
 * @param partitionValues the value of each partition column as a Delta log spells it; empty for NULL
 */
public record WrittenFile(
        String name,
        long sizeBytes,
        long rowCount,
        List<ColumnStatistics> statistics,
        Map<String, Optional<String>> partitionValues) {
    /** Copies the collections. */
    public WrittenFile {
        statistics = List.copyOf(statistics);
        partitionValues = Map.copyOf(partitionValues);
    }

    /**
     * Statistics of one leaf column.
     *
     * @param path names from the column down to the leaf (structs only)
     * @param bounds keys {@code min} and {@code max} with values as Delta's statistics spell them in JSON: numbers as
     *     {@link Number} (decimals as BigDecimal), booleans never, strings (strings cut to 32 characters by Delta's
     *     rule, dates {@code yyyy-MM-dd}, timestamps ISO-8601 with milliseconds rounded outwards); empty where a bound
     *     is not known or not exact enough (NaN, binary)
     * @param nullCount number of NULLs
     */
    public record ColumnStatistics(List<String> path, Map<String, Object> bounds, long nullCount)
            implements Serializable {
        /** Copies the collections. */
        public ColumnStatistics {
            path = List.copyOf(path);
            bounds = Map.copyOf(bounds);
        }
    }
}
