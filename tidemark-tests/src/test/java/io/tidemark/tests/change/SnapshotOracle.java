package io.tidemark.tests.change;

import io.tidemark.core.flow.ScdType;
import io.tidemark.tests.change.Histories.Setup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a snapshot means, written down slowly: it is compared row by row with the oracle's rows that are open as of its
 * version, and each difference is an event. It shares no code with the product.
 */
final class SnapshotOracle {
    private SnapshotOracle() {}

    /**
     * The events of a snapshot.
     *
     * @param arrived all events before
     * @param snapshot values by key
     */
    static List<Oracle.Event> events(
            Setup setup,
            List<Oracle.Event> arrived,
            long version,
            Map<String, Map<String, @Nullable Object>> snapshot) {
        Map<String, Map<String, @Nullable Object>> open = open(setup, arrived, version);
        List<Oracle.Event> events = new ArrayList<>();
        for (Map.Entry<String, Map<String, @Nullable Object>> row : snapshot.entrySet()) {
            Map<String, @Nullable Object> current = open.get(row.getKey());
            boolean equal = current != null
                    && Histories.COLUMNS.stream()
                            .allMatch(column -> Objects.equals(
                                    current.get(column), row.getValue().get(column)));
            if (!equal) {
                Map<String, @Nullable Object> authored = new LinkedHashMap<>(row.getValue());
                if (setup.sequenceInTarget()) {
                    authored.put("seq", null);
                }
                events.add(new Oracle.Event(row.getKey(), version, version, Oracle.Kind.UPSERT, authored));
            }
        }
        for (String key : open.keySet()) {
            if (!snapshot.containsKey(key)) {
                events.add(new Oracle.Event(key, version, version, Oracle.Kind.DELETE, Map.of()));
            }
        }
        return events;
    }

    private static Map<String, Map<String, @Nullable Object>> open(
            Setup setup, List<Oracle.Event> arrived, long version) {
        Oracle oracle = setup.oracle();
        List<Oracle.Version> rows = switch (setup.type()) {
            case SCD1 -> oracle.typeOne(arrived);
            case SCD2 -> oracle.typeTwo(arrived);
            case BITEMPORAL -> oracle.bitemporal(arrived);
        };
        Map<String, Map<String, @Nullable Object>> open = new LinkedHashMap<>();
        for (Oracle.Version row : rows) {
            boolean valid = setup.type() == ScdType.SCD1 || contains(row.start(), row.end(), version);
            boolean believed = setup.type() != ScdType.BITEMPORAL
                    || contains(Objects.requireNonNull(row.systemStart()), row.systemEnd(), version);
            if (valid && believed) {
                open.put(row.key(), row.values());
            }
        }
        return open;
    }

    private static boolean contains(long start, @Nullable Long end, long at) {
        return start <= at && (end == null || at < end);
    }
}
