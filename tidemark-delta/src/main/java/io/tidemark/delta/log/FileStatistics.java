package io.tidemark.delta.log;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What a log says about the values in a data file. Columns are given by the path of their physical names, nested ones
 * with several parts. Values are as in JSON: texts (dates and timestamps too), {@code Boolean}, {@code Long},
 * {@code BigInteger} or {@code BigDecimal}.
 *
 * @param numRecords number of physical rows, deleted ones included
 * @param tightBounds whether least and greatest value occur in rows that are not deleted; otherwise they only bound
 * @param minValues least values, which may be cut off
 * @param maxValues greatest values, which may be rounded up
 * @param nullCounts numbers of NULLs
 */
public record FileStatistics(
        OptionalLong numRecords,
        boolean tightBounds,
        Map<List<String>, Object> minValues,
        Map<List<String>, Object> maxValues,
        Map<List<String>, Long> nullCounts) {
    /** Nothing is known. */
    public static final FileStatistics NONE =
            new FileStatistics(OptionalLong.empty(), true, Map.of(), Map.of(), Map.of());

    /** Copies the maps. */
    public FileStatistics {
        minValues = Map.copyOf(minValues);
        maxValues = Map.copyOf(maxValues);
        nullCounts = Map.copyOf(nullCounts);
    }

    /** Reads the statistics of a file; what cannot be read is not known. */
    public static FileStatistics parse(@Nullable String stats) {
        if (stats == null || stats.isEmpty()) {
            return NONE;
        }
        try {
            Fields fields = Fields.of("stats", JsonValues.parseObject(stats));
            Long numRecords = fields.numberOrNull("numRecords");
            Map<List<String>, Object> nulls = leaves(fields.values().get("nullCount"));
            Map<List<String>, Long> nullCounts = new LinkedHashMap<>();
            nulls.forEach((column, count) -> {
                if (count instanceof Long number) {
                    nullCounts.put(column, number);
                }
            });
            return new FileStatistics(
                    numRecords == null ? OptionalLong.empty() : OptionalLong.of(numRecords),
                    fields.flagOr("tightBounds", true),
                    leaves(fields.values().get("minValues")),
                    leaves(fields.values().get("maxValues")),
                    nullCounts);
        } catch (IOException e) {
            // Statistics only help to read less; a file without them is read in full.
            return NONE;
        }
    }

    /** The statistics text with bounds declared to be loose, as a file with a deletion vector must have it. */
    public static String loosened(@Nullable String stats, long numRecords) throws IOException {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("numRecords", numRecords);
        if (stats != null && !stats.isEmpty()) {
            values.putAll(JsonValues.parseObject(stats));
        }
        values.put("numRecords", numRecords);
        values.put("tightBounds", false);
        return JsonValues.write(values);
    }

    /** The least value of a top-level column. */
    public Optional<Object> min(String column) {
        return Optional.ofNullable(minValues.get(List.of(column)));
    }

    /** The greatest value of a top-level column. */
    public Optional<Object> max(String column) {
        return Optional.ofNullable(maxValues.get(List.of(column)));
    }

    /** The number of NULLs of a top-level column. */
    public OptionalLong nullCount(String column) {
        Long count = nullCounts.get(List.of(column));
        return count == null ? OptionalLong.empty() : OptionalLong.of(count);
    }

    private static Map<List<String>, Object> leaves(@Nullable Object json) {
        Map<List<String>, Object> leaves = new LinkedHashMap<>();
        if (json instanceof Map<?, ?> map) {
            collect(map, new ArrayList<>(), leaves);
        }
        return leaves;
    }

    private static void collect(Map<?, ?> map, List<String> path, Map<List<String>, Object> leaves) {
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            path.add((String) entry.getKey());
            if (entry.getValue() instanceof Map<?, ?> nested) {
                collect(nested, path, leaves);
            } else if (entry.getValue() != null) {
                leaves.put(List.copyOf(path), entry.getValue());
            }
            path.remove(path.size() - 1);
        }
    }
}
