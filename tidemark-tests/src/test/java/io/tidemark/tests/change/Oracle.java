package io.tidemark.tests.change;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The definition of a change flow, written down as slowly and plainly as possible. It shares no code with the product:
 * events are lists of Java values, and every answer is computed from all events again.
 */
final class Oracle {
    /** What an event does. */
    enum Kind {
        UPSERT,
        DELETE,
        TRUNCATE
    }

    /**
     * One event.
     *
     * @param key the key; ignored for a truncate
     * @param sequence business sequence
     * @param system system sequence; ignored unless bitemporal
     * @param authored values of the columns that the event authors
     */
    record Event(String key, long sequence, long system, Kind kind, Map<String, @Nullable Object> authored) {}

    /** A version of a key: values by column, and its period. */
    record Version(
            String key,
            Map<String, @Nullable Object> values,
            long start,
            @Nullable Long end,
            @Nullable Long systemStart,
            @Nullable Long systemEnd) {}

    private final List<String> columns;
    private final List<String> tracked;

    Oracle(List<String> columns, List<String> tracked) {
        this.columns = columns;
        this.tracked = tracked;
    }

    /** SCD type 1: the open versions, without their periods. */
    List<Version> typeOne(List<Event> arrived) {
        List<Version> rows = new ArrayList<>();
        for (Version version : typeTwo(afterTruncates(arrived))) {
            if (version.end() == null) {
                rows.add(new Version(version.key(), version.values(), 0, null, null, null));
            }
        }
        return rows;
    }

    /** SCD type 2: all versions. */
    List<Version> typeTwo(List<Event> arrived) {
        List<Version> rows = new ArrayList<>();
        for (List<Event> events : byKey(arrived).values()) {
            rows.addAll(versions(events, Comparator.comparingLong(Event::sequence)));
        }
        return rows;
    }

    /** Bitemporal: what was believed at each system time, equal beliefs of consecutive times in one row. */
    List<Version> bitemporal(List<Event> arrived) {
        List<Version> rows = new ArrayList<>();
        Comparator<Event> order = Comparator.comparingLong(Event::sequence).thenComparingLong(Event::system);
        for (List<Event> events : byKey(arrived).values()) {
            TreeSet<Long> times = new TreeSet<>();
            events.forEach(event -> times.add(event.system()));
            Map<Version, Long> believedSince = new LinkedHashMap<>();
            for (long time : times) {
                List<Event> known =
                        events.stream().filter(event -> event.system() <= time).toList();
                List<Version> belief = versions(known, order);
                for (Version old : List.copyOf(believedSince.keySet())) {
                    if (!belief.contains(old)) {
                        rows.add(rectangle(old, believedSince.remove(old), time));
                    }
                }
                belief.forEach(row -> believedSince.putIfAbsent(row, time));
            }
            believedSince.forEach((row, since) -> rows.add(rectangle(row, since, null)));
        }
        return rows;
    }

    private static Version rectangle(Version row, @Nullable Long from, @Nullable Long to) {
        return new Version(row.key(), row.values(), row.start(), row.end(), from, to);
    }

    /** A truncate removes all events below its sequence, and itself. */
    private static List<Event> afterTruncates(List<Event> arrived) {
        long newest = Long.MIN_VALUE;
        for (Event event : arrived) {
            if (event.kind() == Kind.TRUNCATE) {
                newest = Math.max(newest, event.sequence());
            }
        }
        List<Event> left = new ArrayList<>();
        for (Event event : arrived) {
            if (event.kind() != Kind.TRUNCATE && event.sequence() >= newest) {
                left.add(event);
            }
        }
        return left;
    }

    private static Map<String, List<Event>> byKey(List<Event> arrived) {
        Map<String, List<Event>> keys = new LinkedHashMap<>();
        for (Event event : arrived) {
            keys.computeIfAbsent(event.key(), key -> new ArrayList<>()).add(event);
        }
        return keys;
    }

    /** Walks the events of one key: sorting is stable, so that equal ones stay in the order of arrival. */
    private List<Version> versions(List<Event> events, Comparator<Event> order) {
        List<Event> sorted = new ArrayList<>(events);
        sorted.sort(order);
        List<Version> rows = new ArrayList<>();
        Version current = null;
        int next = 0;
        while (next < sorted.size()) {
            long at = sorted.get(next).sequence();
            // Fold all events at one sequence; only what the last of them leaves is visible.
            Map<String, @Nullable Object> values = current == null ? new HashMap<>() : new HashMap<>(current.values());
            boolean alive = current != null;
            while (next < sorted.size() && sorted.get(next).sequence() == at) {
                Event event = sorted.get(next++);
                if (event.kind() == Kind.DELETE) {
                    values = new HashMap<>();
                    alive = false;
                } else {
                    values.putAll(event.authored());
                    alive = true;
                }
            }
            Map<String, @Nullable Object> full = complete(values);
            boolean extendsRun = alive && current != null && sameTracked(current.values(), full);
            if (current != null && !extendsRun) {
                rows.add(closed(current, at));
            }
            if (!alive) {
                current = null;
            } else {
                long start = extendsRun ? Objects.requireNonNull(current).start() : at;
                current = new Version(sorted.get(next - 1).key(), full, start, null, null, null);
            }
        }
        if (current != null) {
            rows.add(current);
        }
        return rows;
    }

    private static Version closed(Version row, long end) {
        return new Version(row.key(), row.values(), row.start(), end, null, null);
    }

    private Map<String, @Nullable Object> complete(Map<String, @Nullable Object> values) {
        Map<String, @Nullable Object> full = new HashMap<>();
        for (String column : columns) {
            full.put(column, values.get(column));
        }
        return full;
    }

    private boolean sameTracked(Map<String, @Nullable Object> left, Map<String, @Nullable Object> right) {
        return tracked.stream().allMatch(column -> Objects.equals(left.get(column), right.get(column)));
    }
}
