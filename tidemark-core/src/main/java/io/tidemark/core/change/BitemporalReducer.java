package io.tidemark.core.change;

import io.tidemark.core.engine.KeyedReducer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Turns the events of a key, in order of system time, into the rectangles of a bitemporal table.
 *
 * <p>It keeps the events believed so far in order of business time. A row is a run: a stretch of upserts of one life
 * whose tracked parts are equal. Whether an event begins a run depends only on the parts that it authors itself, so an
 * event can change the beginnings of runs at four kinds of places: its own, the next one, the next place that authors a
 * part which it changed, and the next beginning of a life. Rows between those places change in value only, and each of
 * them is output. The cost of an event is therefore a few searches in ordered maps and the rows that change, never the
 * number of events of the key.
 *
 * <p>Values stay with the engine: the reducer sees row numbers, and classes of values that are equal.
 *
 * <p>Input row: key, whether a new system time begins (1), rank of business time, operation (0 upsert, 1 delete), reset (1: a delete at
 * the same two times came before the upsert), row number, then per part: authored (0, 1) and class. Sorted by key and
 * system time. Output row: row numbers that stand for START, END, SYSTEM_START, SYSTEM_END (NULL = open), then per part
 * the row number of its value (NULL = nobody authored it).
 */
final class BitemporalReducer implements KeyedReducer {
    private static final int FIXED_INPUT = 6;
    private static final int FIXED_OUTPUT = 4;

    private final boolean[] tracked;
    private final int parts;
    private final TreeMap<Long, Node> nodes = new TreeMap<>();
    private final List<TreeMap<Long, Node>> authored = new ArrayList<>();
    private final TreeSet<Long> lifeStarts = new TreeSet<>();
    private final TreeSet<Long> boundaries = new TreeSet<>();
    private final Map<Long, Rectangle> believed = new LinkedHashMap<>();
    private final TreeSet<Long> dirty = new TreeSet<>();
    private final long[] row;
    private long key = NULL;
    private long systemRow = NULL;

    /**
     * A reducer.
     *
     * @param tracked per part, whether a difference begins a new row
     */
    BitemporalReducer(boolean[] tracked) {
        this.tracked = tracked.clone();
        this.parts = tracked.length;
        this.row = new long[FIXED_OUTPUT + parts];
        for (int p = 0; p < parts; p++) {
            authored.add(new TreeMap<>());
        }
    }

    @Override
    public int inputColumns() {
        return FIXED_INPUT + 2 * parts;
    }

    @Override
    public int outputColumns() {
        return FIXED_OUTPUT + parts;
    }

    @Override
    public void accept(long[] in, Output output) {
        if (in[0] != key) {
            finish(output);
            key = in[0];
        }
        if (in[1] == 1) {
            settle(output);
            systemRow = in[5];
        }
        apply(in[2], node(in));
    }

    @Override
    public void finish(Output output) {
        settle(output);
        for (Rectangle rectangle : believed.values()) {
            emit(rectangle, NULL, output);
        }
        nodes.clear();
        authored.forEach(TreeMap::clear);
        lifeStarts.clear();
        boundaries.clear();
        believed.clear();
        key = NULL;
    }

    private Node node(long[] in) {
        boolean delete = in[3] == EventStaging.DELETE;
        long[] rows = new long[parts];
        long[] classes = new long[parts];
        for (int p = 0; p < parts; p++) {
            boolean authors = !delete && in[FIXED_INPUT + 2 * p] == 1;
            rows[p] = authors ? in[5] : NULL;
            classes[p] = authors ? in[FIXED_INPUT + 2 * p + 1] : NULL;
        }
        return new Node(delete, in[4] == 1, in[5], rows, classes);
    }

    /** Applies one event: folds it with what is known at its business time and repairs the runs around it. */
    private void apply(long at, Node event) {
        Node before = nodes.get(at);
        Node after = event.over(before);
        long[] classesBefore = classesAt(at);
        Long previous = nodes.lowerKey(at);
        if (previous != null && !nodeAt(previous).delete) {
            dirty.add(runStart(previous));
        }
        Long ownBoundary = boundaries.contains(at) ? at : null;
        if (ownBoundary != null) {
            dirty.add(at);
        } else if (before != null && !before.delete) {
            dirty.add(runStart(at));
        }
        replace(at, before, after);
        long[] classesAfter = classesAt(at);
        List<Long> places = new ArrayList<>();
        places.add(at);
        addPlace(places, nodes.higherKey(at));
        Long nextLife = lifeStarts.higher(at);
        addPlace(places, nextLife);
        long last = at;
        for (int p = 0; p < parts; p++) {
            if (classesBefore[p] != classesAfter[p]) {
                last = Math.max(last, reach(p, at, nextLife, places));
            }
        }
        markRuns(at, last);
        for (long place : places) {
            setBoundary(place);
        }
        markRuns(at, last);
    }

    /** Where the value of a part that begins at a place ends: the next place that authors it, or the life's end. */
    private long reach(int part, long at, @Nullable Long nextLife, List<Long> places) {
        Long next = authored.get(part).higherKey(at);
        if (next != null && (nextLife == null || next < nextLife)) {
            addPlace(places, next);
            return next;
        }
        return nextLife == null ? Long.MAX_VALUE : nextLife;
    }

    private static void addPlace(List<Long> places, @Nullable Long place) {
        if (place != null) {
            places.add(place);
        }
    }

    private void replace(long at, @Nullable Node before, Node after) {
        nodes.put(at, after);
        for (int p = 0; p < parts; p++) {
            if (after.rows[p] != NULL) {
                authored.get(p).put(at, after);
            } else if (before != null) {
                authored.get(p).remove(at);
            }
        }
        if (after.delete || after.reset) {
            lifeStarts.add(at);
        } else {
            lifeStarts.remove(at);
        }
    }

    /** Marks the runs that overlap a stretch of business time, and the one that begins at its end. */
    private void markRuns(long from, long to) {
        Long start = boundaries.floor(from);
        if (start != null) {
            dirty.add(start);
        }
        dirty.addAll(boundaries.subSet(from, true, to, true));
        Long next = boundaries.higher(from);
        if (next != null) {
            dirty.add(next);
        }
    }

    private void setBoundary(long place) {
        boolean changed = isBoundary(place) ? boundaries.add(place) : boundaries.remove(place);
        if (changed) {
            dirty.add(place);
            Long start = boundaries.lower(place);
            if (start != null) {
                dirty.add(start);
            }
        }
    }

    private boolean isBoundary(long place) {
        Node node = nodeAt(place);
        Long previous = nodes.lowerKey(place);
        if (node.delete || previous == null || nodeAt(previous).delete) {
            return true;
        }
        for (int p = 0; p < parts; p++) {
            boolean compares = tracked[p] && (node.reset || node.rows[p] != NULL);
            if (compares && classAt(p, place) != classAt(p, previous)) {
                return true;
            }
        }
        return false;
    }

    private long runStart(long place) {
        Long start = boundaries.floor(place);
        if (start == null) {
            throw new IllegalStateException("no run holds the upsert at rank " + place);
        }
        return start;
    }

    private Node nodeAt(long place) {
        Node node = nodes.get(place);
        if (node == null) {
            throw new IllegalStateException("no event at rank " + place);
        }
        return node;
    }

    private @Nullable Node valueAt(int part, long place) {
        Map.Entry<Long, Node> entry = authored.get(part).floorEntry(place);
        if (entry == null) {
            return null;
        }
        Long life = lifeStarts.floor(place);
        return life != null && entry.getKey() < life ? null : entry.getValue();
    }

    private long classAt(int part, long place) {
        Node node = valueAt(part, place);
        return node == null ? NULL : node.classes[part];
    }

    private long[] classesAt(long place) {
        long[] classes = new long[parts];
        for (int p = 0; p < parts; p++) {
            classes[p] = classAt(p, place);
        }
        return classes;
    }

    /** Ends one system time: rows that differ from the believed ones begin or end here. */
    private void settle(Output output) {
        for (long start : dirty) {
            Rectangle old = believed.get(start);
            Rectangle now = rectangle(start);
            if (old != null && now != null && old.sameRow(now)) {
                continue;
            }
            if (old != null) {
                emit(old, systemRow, output);
                believed.remove(start);
            }
            if (now != null) {
                believed.put(start, now);
            }
        }
        dirty.clear();
    }

    private @Nullable Rectangle rectangle(long start) {
        Node first = nodes.get(start);
        if (first == null || first.delete || !boundaries.contains(start)) {
            return null;
        }
        Long end = boundaries.higher(start);
        long last = end == null ? nodes.lastKey() : nodes.lowerKey(end);
        long[] rows = new long[parts];
        long[] classes = new long[parts];
        for (int p = 0; p < parts; p++) {
            Node value = valueAt(p, last);
            rows[p] = value == null ? NULL : value.rows[p];
            classes[p] = value == null ? NULL : value.classes[p];
        }
        long endRow = end == null ? NULL : nodeAt(end).row;
        return new Rectangle(first.row, end == null ? NULL : end, endRow, systemRow, rows, classes);
    }

    private void emit(Rectangle rectangle, long systemEnd, Output output) {
        row[0] = rectangle.startRow;
        row[1] = rectangle.endRow;
        row[2] = rectangle.systemStartRow;
        row[3] = systemEnd;
        System.arraycopy(rectangle.rows, 0, row, FIXED_OUTPUT, parts);
        output.emit(row);
    }

    /** What is believed at one business time; per part the row number and class that this very time authors. */
    private static final class Node {
        private final boolean delete;
        private final boolean reset;
        private final long row;
        private final long[] rows;
        private final long[] classes;

        Node(boolean delete, boolean reset, long row, long[] rows, long[] classes) {
            this.delete = delete;
            this.reset = reset;
            this.row = row;
            this.rows = rows;
            this.classes = classes;
        }

        /** This event after another one at the same business time: partial upserts fold, a delete begins anew. */
        Node over(@Nullable Node before) {
            if (before == null || delete || reset) {
                return this;
            }
            if (before.delete) {
                return new Node(false, true, row, rows, classes);
            }
            long[] foldedRows = before.rows.clone();
            long[] foldedClasses = before.classes.clone();
            for (int p = 0; p < rows.length; p++) {
                if (rows[p] != NULL) {
                    foldedRows[p] = rows[p];
                    foldedClasses[p] = classes[p];
                }
            }
            return new Node(false, before.reset, row, foldedRows, foldedClasses);
        }
    }

    /** A believed row: where it begins and ends, since when it is believed, and its values. */
    private static final class Rectangle {
        private final long startRow;
        private final long end;
        private final long endRow;
        private final long systemStartRow;
        private final long[] rows;
        private final long[] classes;

        Rectangle(long startRow, long end, long endRow, long systemStartRow, long[] rows, long[] classes) {
            this.startRow = startRow;
            this.end = end;
            this.endRow = endRow;
            this.systemStartRow = systemStartRow;
            this.rows = rows;
            this.classes = classes;
        }

        boolean sameRow(Rectangle other) {
            return end == other.end && Arrays.equals(classes, other.classes);
        }
    }
}
