package io.tidemark.tests.change;

import io.tidemark.core.flow.ScdType;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Random changes by hand to a target, and what they mean for the list of events that the oracle sees: each change edits
 * that list. At most one change per key between two updates, so that only visible rows count.
 */
final class HandChanges {
    /** Sequence of rows that no event explains: before all events. */
    static final long BEFORE_ALL = Long.MIN_VALUE;

    private static final int SEQUENCES = 12;

    private final Random random;
    private final Setup setup;
    private final HandMadeTarget target;
    private final List<Oracle.Event> events;

    HandChanges(Random random, Setup setup, HandMadeTarget target, List<Oracle.Event> events) {
        this.random = random;
        this.setup = setup;
        this.target = target;
        this.events = events;
    }

    /** Changes some keys. */
    void change(List<String> keys) {
        List<List<@Nullable Object>> rows = target.rows();
        for (String key : keys) {
            if (random.nextInt(3) > 0) {
                continue;
            }
            List<Row> mine = new ArrayList<>();
            for (List<@Nullable Object> row : rows) {
                if (key.equals(row.get(0))) {
                    mine.add(row(row));
                }
            }
            if (setup.type() == ScdType.BITEMPORAL) {
                changeBeliefs(key, mine);
            } else if (mine.isEmpty() || (setup.type() == ScdType.SCD2 && random.nextInt(3) == 0)) {
                insert(key, mine);
            } else {
                Row row = mine.get(random.nextInt(mine.size()));
                if (random.nextBoolean()) {
                    delete(key, row);
                } else {
                    update(key, row);
                }
            }
        }
    }

    /**
     * A visible row.
     *
     * @param start its START; for type 1 its sequence
     */
    private record Row(
            Map<String, @Nullable Object> values,
            long start,
            @Nullable Long end) {}

    private Row row(List<@Nullable Object> columns) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        int next = 1;
        for (String column : Histories.COLUMNS) {
            values.put(column, columns.get(next++));
        }
        if (setup.type() == ScdType.SCD1) {
            return new Row(values, lastSequence(Objects.requireNonNull(columns.get(0))), null);
        }
        return new Row(values, (Long) Objects.requireNonNull(columns.get(next)), (Long) columns.get(next + 1));
    }

    /** Under type 1 a row stands at the sequence of the last event of its key. */
    private long lastSequence(Object key) {
        return events.stream()
                .filter(event -> event.key().equals(key))
                .mapToLong(Oracle.Event::sequence)
                .max()
                .orElseThrow();
    }

    private String condition(String key, Row row) {
        return "k = '" + key + "'" + (setup.type() == ScdType.SCD1 ? "" : " AND __START_AT = " + row.start());
    }

    private void update(String key, Row row) {
        String column = Histories.COLUMNS.get(random.nextInt(Histories.COLUMNS.size()));
        target.update(column, "'h'", condition(key, row));
        boolean changed = !"h".equals(row.values().get(column));
        boolean absorbed = events.removeIf(event -> isWithin(event, key, row));
        Map<String, @Nullable Object> authored = new LinkedHashMap<>();
        if (setup.partial() == Partial.NONE || absorbed) {
            authored.putAll(row.values());
            authored.put(column, "h");
        } else if (changed) {
            authored.put(column, "h");
        }
        if (setup.sequenceInTarget()) {
            authored.put("seq", row.start());
        }
        add(key, row.start(), Oracle.Kind.UPSERT, authored);
    }

    /** Events that the row holds beside the one at its start; type 1 rows hold none. */
    private boolean isWithin(Oracle.Event event, String key, Row row) {
        return setup.type() == ScdType.SCD2
                && event.key().equals(key)
                && event.sequence() > row.start()
                && (row.end() == null || event.sequence() < row.end());
    }

    private void delete(String key, Row row) {
        target.delete(condition(key, row));
        events.removeIf(event -> isWithin(event, key, row));
        if (row.start() == BEFORE_ALL) {
            events.removeIf(event -> event.key().equals(key));
        } else {
            add(key, row.start(), Oracle.Kind.DELETE, Map.of());
        }
    }

    private void insert(String key, List<Row> mine) {
        long start = 1L + random.nextInt(SEQUENCES);
        Long end = setup.type() == ScdType.SCD1 || random.nextBoolean() ? null : start + 1 + random.nextInt(4);
        boolean placeless = setup.type() == ScdType.SCD1 && !setup.sequenceInTarget();
        Map<String, @Nullable Object> values = randomValues();
        List<String> literals = literals(key, values);
        if (setup.sequenceInTarget()) {
            literals.add(Long.toString(start));
        }
        if (setup.type() != ScdType.SCD1) {
            literals.addAll(List.of(Long.toString(start), String.valueOf(end)));
        }
        if (mine.stream().anyMatch(row -> overlaps(row, start, end))) {
            target.overlapping(literals);
            return;
        }
        target.insertRow(literals);
        if (setup.sequenceInTarget()) {
            values.put("seq", start);
        }
        Row row = new Row(values, start, end);
        // A row made by hand wins over deletes that are remembered where it lives.
        events.removeIf(event -> event.key().equals(key)
                && (setup.type() == ScdType.SCD1 || event.sequence() == start || isWithin(event, key, row)));
        add(key, placeless ? BEFORE_ALL : start, Oracle.Kind.UPSERT, values);
        if (end != null && mine.stream().noneMatch(other -> other.start() == end)) {
            add(key, end, Oracle.Kind.DELETE, Map.of());
        }
    }

    private static boolean overlaps(Row row, long start, @Nullable Long end) {
        boolean before = end != null && end <= row.start();
        boolean after = row.end() != null && row.end() <= start;
        return !before && !after;
    }

    private void changeBeliefs(String key, List<Row> mine) {
        if (!mine.isEmpty()) {
            target.delete("k = '" + key + "'");
            events.removeIf(event -> event.key().equals(key));
            return;
        }
        long start = 1L + random.nextInt(SEQUENCES);
        long system = 1L + random.nextInt(SEQUENCES);
        Long end = random.nextBoolean() ? null : start + 1 + random.nextInt(4);
        Map<String, @Nullable Object> values = randomValues();
        List<String> literals = literals(key, values);
        literals.addAll(List.of(Long.toString(start), String.valueOf(end), Long.toString(system), "NULL"));
        target.insertRow(literals);
        events.add(new Oracle.Event(key, start, system, Oracle.Kind.UPSERT, values));
        if (end != null) {
            events.add(new Oracle.Event(key, end, system, Oracle.Kind.DELETE, Map.of()));
        }
    }

    private Map<String, @Nullable Object> randomValues() {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        Histories.COLUMNS.forEach(column -> values.put(column, random.nextBoolean() ? "h" : null));
        return values;
    }

    private static List<String> literals(String key, Map<String, @Nullable Object> values) {
        List<String> literals = new ArrayList<>(List.of("'" + key + "'"));
        values.values().forEach(value -> literals.add(value == null ? "NULL" : "'" + value + "'"));
        return literals;
    }

    private void add(String key, long sequence, Oracle.Kind kind, Map<String, @Nullable Object> authored) {
        events.add(new Oracle.Event(key, sequence, sequence, kind, authored));
    }
}
