package io.tidemark.core.change;

import io.tidemark.core.engine.KeyedReducer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Turns the events of a key into the rectangles of a bitemporal table.
 *
 * <p>It keeps the events believed so far in order of business time. A row is a run: a stretch of upserts of one life
 * whose tracked parts are equal. Whether an event begins a run depends only on the parts that it authors itself, so an
 * event can change the beginnings of runs at four kinds of places: its own, the next one, the next place that authors a
 * part which it changed, and the next beginning of a life. Rows between those places change in value only, and each of
 * them is output. The cost of an event is therefore a few searches in ordered sets and the rows that change, never the
 * number of events of the key.
 *
 * <p>Values stay with the engine: the reducer sees row numbers, and classes of values that are equal.
 *
 * <p>Input row: key, number of the system time, number of the business time, operation (0 upsert, 1 delete), reset (1: a
 * delete at the same two times came before the upsert), row number, then per part: authored (0, 1) and class. Sorted by
 * key, system time and business time; of rows at the same two times the first one counts. The numbers of times need not
 * be dense, they order as the times do.
 *
 * <p>Output row: what it tells (0 a rectangle, 1 an event). A rectangle: START, END, SYSTEM_START, SYSTEM_END (NULL =
 * open) by the times' numbers or by numbers of rows that bear them, as asked for, then per part the row number of its
 * value (NULL = nobody authored it). An event (only if asked for): its row number, and whether a row begins at its two
 * times that has its class in the last part; the single event of a key that such a row tells is left out.
 */
final class BitemporalReducer implements KeyedReducer {
    private static final int SYSTEM = 1;
    private static final int BUSINESS = 2;
    private static final int OPERATION = 3;
    private static final int RESET = 4;
    private static final int ROW = 5;
    private static final int FIXED_INPUT = 6;
    private static final int FIXED_OUTPUT = 5;
    private static final int INITIAL_RANKS = 64;
    private static final int INITIAL_ROWS = 16;
    /** What an output row tells. */
    static final long RECTANGLE = 0;

    static final long EVENT = 1;
    /** An event can begin or end a run at its own place, the next one, the next life, and one more for each part. */
    private static final int FIXED_PLACES = 3;

    private final boolean[] tracked;
    private final int parts;
    /** What is believed at each business time, by its rank; {@link #places} tells which ranks are taken. */
    private @Nullable Node[] nodes = new Node[INITIAL_RANKS];

    /** The believed row that begins at each business time. */
    private @Nullable Rectangle[] believed = new Rectangle[INITIAL_RANKS];

    private final RankSet places = new RankSet();
    private final List<RankSet> authored = new ArrayList<>();
    private final RankSet lifeStarts = new RankSet();
    private final RankSet boundaries = new RankSet();
    private final RankSet dirty = new RankSet();
    private final int[] decided;
    private final long[] row;
    private final boolean businessNumbers;
    private final boolean systemNumbers;
    private final boolean tellsEvents;
    private final int width;
    /** The rows of the key, one after the other. */
    private long[] inputRows;

    private int rowCount;
    /** The business times of the key in order: their places are the ranks. */
    private long[] times = new long[INITIAL_ROWS];

    private int timeCount;
    private long systemTime = NULL;
    private int greatestRank = RankSet.NONE;

    /**
     * A reducer.
     *
     * @param tracked per part, whether a difference begins a new row
     * @param businessNumbers whether business times are output by their numbers
     * @param systemNumbers the same of system times
     * @param tellsEvents whether events are output, too
     */
    BitemporalReducer(boolean[] tracked, boolean businessNumbers, boolean systemNumbers, boolean tellsEvents) {
        this.tracked = tracked.clone();
        this.parts = tracked.length;
        this.row = new long[FIXED_OUTPUT + parts];
        for (int p = 0; p < parts; p++) {
            authored.add(new RankSet());
        }
        this.decided = new int[FIXED_PLACES + parts];
        this.businessNumbers = businessNumbers;
        this.systemNumbers = systemNumbers;
        this.tellsEvents = tellsEvents;
        this.width = inputColumns();
        this.inputRows = new long[INITIAL_ROWS * width];
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
        if (rowCount > 0) {
            int last = (rowCount - 1) * width;
            if (inputRows[last] != in[0]) {
                finish(output);
            } else if (inputRows[last + SYSTEM] == in[SYSTEM] && inputRows[last + BUSINESS] == in[BUSINESS]) {
                return;
            }
        }
        if ((rowCount + 1) * width > inputRows.length) {
            inputRows = Arrays.copyOf(inputRows, Math.multiplyExact(inputRows.length, 2));
        }
        System.arraycopy(in, 0, inputRows, rowCount++ * width, width);
    }

    @Override
    public void finish(Output output) {
        rankTimes();
        for (int from = 0; from < rowCount; ) {
            int to = from + 1;
            while (to < rowCount && at(to, SYSTEM) == at(from, SYSTEM)) {
                to++;
            }
            systemTime = at(from, systemNumbers ? SYSTEM : ROW);
            for (int i = from; i < to; i++) {
                apply(rank(i), node(i));
            }
            settle(output);
            if (tellsEvents) {
                tellEvents(from, to, output);
            }
            from = to;
        }
        for (int rank = 0; rank <= greatestRank; rank++) {
            Rectangle rectangle = believed[rank];
            if (rectangle != null) {
                emit(rectangle, NULL, output);
            }
        }
        forget();
    }

    private void forget() {
        Arrays.fill(nodes, 0, greatestRank + 1, null);
        Arrays.fill(believed, 0, greatestRank + 1, null);
        greatestRank = RankSet.NONE;
        rowCount = 0;
        places.clear();
        authored.forEach(RankSet::clear);
        lifeStarts.clear();
        boundaries.clear();
    }

    private long at(int index, int column) {
        return inputRows[index * width + column];
    }

    private void rankTimes() {
        if (times.length < rowCount) {
            times = new long[inputRows.length / width];
        }
        boolean ascending = true;
        for (int i = 0; i < rowCount; i++) {
            times[i] = at(i, BUSINESS);
            ascending &= i == 0 || times[i - 1] < times[i];
        }
        timeCount = rowCount;
        if (ascending) {
            return;
        }
        Arrays.sort(times, 0, rowCount);
        timeCount = 1;
        for (int i = 1; i < rowCount; i++) {
            if (times[i] != times[timeCount - 1]) {
                times[timeCount++] = times[i];
            }
        }
    }

    private int rank(int index) {
        return Arrays.binarySearch(times, 0, timeCount, at(index, BUSINESS));
    }

    private void tellEvents(int from, int to, Output output) {
        int last = parts - 1;
        for (int i = from; i < to; i++) {
            Rectangle believedHere = believed[rank(i)];
            boolean inRow = at(i, OPERATION) != EventStaging.DELETE
                    && believedHere != null
                    && believedHere.systemStart == systemTime
                    && believedHere.classes[last] == at(i, FIXED_INPUT + 2 * last + 1);
            if (inRow && rowCount == 1) {
                continue;
            }
            Arrays.fill(row, NULL);
            row[0] = EVENT;
            row[1] = at(i, ROW);
            row[2] = inRow ? 1 : 0;
            output.emit(row);
        }
    }

    private Node node(int index) {
        boolean delete = at(index, OPERATION) == EventStaging.DELETE;
        long number = at(index, ROW);
        long[] authors = new long[parts];
        long[] classes = new long[parts];
        for (int p = 0; p < parts; p++) {
            boolean authoredHere = !delete && at(index, FIXED_INPUT + 2 * p) == 1;
            authors[p] = authoredHere ? number : NULL;
            classes[p] = authoredHere ? at(index, FIXED_INPUT + 2 * p + 1) : NULL;
        }
        return new Node(delete, at(index, RESET) == 1, number, authors, classes);
    }

    /** Applies one event: folds it with what is known at its business time and repairs the runs around it. */
    private void apply(int at, Node event) {
        reserve(at);
        Node before = nodes[at];
        Node after = event.over(before);
        long[] classesBefore = classesAt(at);
        int previous = places.lower(at);
        if (previous != RankSet.NONE && !nodeAt(previous).delete) {
            dirty.add(runStart(previous));
        }
        if (boundaries.contains(at)) {
            dirty.add(at);
        } else if (before != null && !before.delete) {
            dirty.add(runStart(at));
        }
        replace(at, before, after);
        int count = 0;
        decided[count++] = at;
        decided[count++] = places.higher(at);
        int nextLife = lifeStarts.higher(at);
        decided[count++] = nextLife;
        int last = at;
        for (int p = 0; p < parts; p++) {
            if (classesBefore[p] != classAt(p, at)) {
                // The value reaches to the next place that authors the part, or to the life's end.
                int next = authored.get(p).higher(at);
                boolean inLife = next != RankSet.NONE && (nextLife == RankSet.NONE || next < nextLife);
                int end = inLife ? next : nextLife;
                decided[count++] = inLife ? next : RankSet.NONE;
                last = Math.max(last, end == RankSet.NONE ? greatestRank : end);
            }
        }
        markRuns(at, last);
        for (int i = 0; i < count; i++) {
            if (decided[i] != RankSet.NONE) {
                setBoundary(decided[i]);
            }
        }
        markRuns(at, last);
    }

    private void reserve(int rank) {
        greatestRank = Math.max(greatestRank, rank);
        if (rank >= nodes.length) {
            int length = Math.max(rank + 1, 2 * nodes.length);
            nodes = Arrays.copyOf(nodes, length);
            believed = Arrays.copyOf(believed, length);
        }
    }

    private void replace(int at, @Nullable Node before, Node after) {
        nodes[at] = after;
        places.add(at);
        for (int p = 0; p < parts; p++) {
            if (after.rows[p] != NULL) {
                authored.get(p).add(at);
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
    private void markRuns(int from, int to) {
        int start = boundaries.floor(from);
        if (start != RankSet.NONE) {
            dirty.add(start);
        }
        int next = boundaries.ceiling(from);
        while (next != RankSet.NONE && next <= to) {
            dirty.add(next);
            next = boundaries.higher(next);
        }
        next = boundaries.higher(from);
        if (next != RankSet.NONE) {
            dirty.add(next);
        }
    }

    private void setBoundary(int place) {
        boolean changed = isBoundary(place) ? boundaries.add(place) : boundaries.remove(place);
        if (changed) {
            dirty.add(place);
            int start = boundaries.lower(place);
            if (start != RankSet.NONE) {
                dirty.add(start);
            }
        }
    }

    private boolean isBoundary(int place) {
        Node node = nodeAt(place);
        int previous = places.lower(place);
        if (node.delete || previous == RankSet.NONE || nodeAt(previous).delete) {
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

    private int runStart(int place) {
        int start = boundaries.floor(place);
        if (start == RankSet.NONE) {
            throw new IllegalStateException("no run holds the upsert at rank " + place);
        }
        return start;
    }

    private Node nodeAt(int place) {
        Node node = nodes[place];
        if (node == null) {
            throw new IllegalStateException("no event at rank " + place);
        }
        return node;
    }

    private @Nullable Node valueAt(int part, int place) {
        int author = authored.get(part).floor(place);
        if (author == RankSet.NONE) {
            return null;
        }
        return author < lifeStarts.floor(place) ? null : nodes[author];
    }

    private long classAt(int part, int place) {
        Node node = valueAt(part, place);
        return node == null ? NULL : node.classes[part];
    }

    private long[] classesAt(int place) {
        long[] classes = new long[parts];
        for (int p = 0; p < parts; p++) {
            classes[p] = classAt(p, place);
        }
        return classes;
    }

    /** Ends one system time: rows that differ from the believed ones begin or end here. */
    private void settle(Output output) {
        for (int start = dirty.ceiling(0); start != RankSet.NONE; start = dirty.higher(start)) {
            Rectangle old = believed[start];
            Rectangle now = rectangle(start);
            if (old != null && now != null && old.sameRow(now)) {
                continue;
            }
            if (old != null) {
                emit(old, systemTime, output);
            }
            believed[start] = now;
        }
        dirty.clear();
    }

    private @Nullable Rectangle rectangle(int start) {
        Node first = nodes[start];
        if (first == null || first.delete || !boundaries.contains(start)) {
            return null;
        }
        int end = boundaries.higher(start);
        int last = places.lower(end == RankSet.NONE ? greatestRank + 1 : end);
        long[] rows = new long[parts];
        long[] classes = new long[parts];
        for (int p = 0; p < parts; p++) {
            Node value = valueAt(p, last);
            rows[p] = value == null ? NULL : value.rows[p];
            classes[p] = value == null ? NULL : value.classes[p];
        }
        long endTime = end == RankSet.NONE ? NULL : time(end);
        return new Rectangle(time(start), end, endTime, systemTime, rows, classes);
    }

    private long time(int rank) {
        return businessNumbers ? times[rank] : nodeAt(rank).row;
    }

    private void emit(Rectangle rectangle, long systemEnd, Output output) {
        row[0] = RECTANGLE;
        row[1] = rectangle.start;
        row[2] = rectangle.endTime;
        row[3] = rectangle.systemStart;
        row[4] = systemEnd;
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
        private final long start;
        private final int end;
        private final long endTime;
        private final long systemStart;
        private final long[] rows;
        private final long[] classes;

        Rectangle(long start, int end, long endTime, long systemStart, long[] rows, long[] classes) {
            this.start = start;
            this.end = end;
            this.endTime = endTime;
            this.systemStart = systemStart;
            this.rows = rows;
            this.classes = classes;
        }

        boolean sameRow(Rectangle other) {
            return end == other.end && Arrays.equals(classes, other.classes);
        }
    }
}
