package io.tidemark.core.snapshot;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Compares a whole snapshot with the current rows of a table, in the engine. Each side is read once, and of the current
 * rows keys, what is compared, and what the caller asks for go through the join. The snapshot is kept as it is read if it
 * was {@link #load loaded}; otherwise it streams by, and only its rows that come out are kept. These are those that
 * differ:
 *
 * <table>
 * <caption>Kinds</caption>
 * <tr><td>{@link #ADDED}</td><td>a key that no current row has</td></tr>
 * <tr><td>{@link #CHANGED}</td><td>a key of both sides, for which the caller's condition is true</td></tr>
 * <tr><td>{@link #VANISHED}</td><td>a key of a current row that the snapshot does not have</td></tr>
 * <tr><td>{@link #EQUAL}</td><td>a key of both sides, not changed; in the outcome only where the caller wants it</td></tr>
 * </table>
 *
 * <p>Used in this order: {@link #load}, {@link #checkKeys}, {@link #compare}, {@link #close}; or {@link #compare}, {@link
 * #checkKeysAreGiven} and {@link #keysAreUnique}, {@link #close}, where the current rows have each key once.
 */
public final class SnapshotDifference implements AutoCloseable {
    /** Column of {@link #rows} and {@link #changes}: number of the snapshot's row; NULL where it has none. */
    public static final String ORDINAL = "__snapshot_row";
    /** Column of {@link #changes}: what kind of difference a row is. */
    public static final String KIND = "kind";
    /** Kind of keys that are new. */
    public static final int ADDED = 0;
    /** Kind of keys whose row is another one. */
    public static final int CHANGED = 1;
    /** Kind of keys that are gone. */
    public static final int VANISHED = 2;
    /** Kind of keys whose row is not changed. */
    public static final int EQUAL = 3;

    private static final int SAMPLE_ROWS_MAX = 5;
    private static final int SAMPLE_CHARACTERS_MAX = 100;

    private final Engine engine;
    private final Dialect dialect;
    private final String prefix;
    private final SnapshotSide snapshot;
    private final SnapshotSide current;
    private final List<String> keyNames;
    private final List<String> keys;
    private long loaded;
    private long withoutKey;
    private boolean kept;

    /**
     * How many keys there are of each kind.
     *
     * @param added new keys
     * @param changed keys whose row changed
     * @param vanished keys that the snapshot does not have
     * @param equal keys whose row did not change
     */
    public record Counts(long added, long changed, long vanished, long equal) {
        /** Whether nothing differs. */
        public boolean isEmpty() {
            return added == 0 && changed == 0 && vanished == 0;
        }
    }

    /**
     * A comparison.
     *
     * @param prefix start of the names of all relations that it makes
     * @param snapshot the snapshot; its expressions are evaluated over {@link #rows}
     * @param current the current rows of the table, each key once
     * @param keyNames names of the key's parts, for people
     */
    public SnapshotDifference(
            Engine engine, String prefix, SnapshotSide snapshot, SnapshotSide current, List<String> keyNames) {
        this.engine = engine;
        this.dialect = engine.dialect();
        this.prefix = prefix;
        this.snapshot = snapshot;
        this.current = current;
        this.keyNames = List.copyOf(keyNames);
        this.keys = IntStream.range(0, keyNames.size()).mapToObj(i -> "k" + i).toList();
    }

    /**
     * The relation of the snapshot's rows: its columns and {@link #ORDINAL}. If it was not loaded, of those that stand in
     * {@link #changes}.
     */
    public String rows() {
        return prefix + "snapshot_rows";
    }

    /**
     * The relation of the differences: keys {@code k0 …}, {@link #ORDINAL}, {@link #KIND}, and the further values of
     * both sides, NULL where a side has no row.
     */
    public String changes() {
        return prefix + "snapshot_changes";
    }

    /**
     * Reads the snapshot and keeps it.
     *
     * @return how many rows it has
     */
    public long load() {
        engine.materialize(rows(), snapshot.sql(), Optional.of(ORDINAL));
        kept = true;
        loaded = count("SELECT count(*) AS n FROM " + name(rows()));
        return loaded;
    }

    /**
     * Checks that each row of the snapshot has a key of its own. Nothing has been written at that time.
     *
     * @param what names the snapshot in errors, for example {@code the snapshot of flow f into table t}
     * @param dropNull whether rows with NULL in their key are left out instead of being an error
     * @param dropHint what to do about NULL in a key, beside correcting the source
     * @return how many rows are left out
     * @throws TidemarkException {@code NULL_KEY} or {@code DUPLICATE_SNAPSHOT_KEY}, counting such rows and showing some
     */
    public long checkKeys(String what, boolean dropNull, String dropHint) {
        long left = checkKeysAreGiven(what, dropNull, dropHint);
        checkKeysAreUnique(what);
        return left;
    }

    /** The part of {@link #checkKeys} that is about NULL. */
    public long checkKeysAreGiven(String what, boolean dropNull, String dropHint) {
        String rows = keysOfRows();
        String isNull = oneIsNull();
        withoutKey = count("SELECT count(*) AS n FROM " + rows + " WHERE " + isNull);
        if (withoutKey > 0 && !dropNull) {
            List<String> sample =
                    sample("SELECT " + String.join(", ", keys) + " FROM " + rows + " WHERE " + isNull, false);
            throw fault(ErrorCode.NULL_KEY, rows(withoutKey) + " of " + what + " with NULL in the key", sample)
                    .hint("correct the source, or filter such rows in the query" + dropHint)
                    .build();
        }
        return withoutKey;
    }

    private String keysOfRows() {
        return "(" + keysOf(name(rows())) + " WHERE r." + ORDINAL + " IS NOT NULL) AS q";
    }

    private String keysOf(String rows) {
        return "SELECT " + as(snapshot.keys(), keys) + " FROM " + rows + " AS r";
    }

    private String oneIsNull() {
        return keys.stream().map(key -> key + " IS NULL").collect(Collectors.joining(" OR "));
    }

    /**
     * The part of {@link #checkKeys} that is about keys in several rows; it looks at all of them, and reads the snapshot
     * for that if it was not loaded.
     */
    public void checkKeysAreUnique(String what) {
        String rows = kept ? keysOfRows() : "(" + keysOf("(" + snapshot.sql() + ")") + ") AS q";
        String twice = "SELECT " + String.join(", ", keys) + ", count(*) AS n FROM " + rows + " WHERE NOT ("
                + oneIsNull() + ") GROUP BY " + String.join(", ", keys) + " HAVING count(*) > 1";
        long duplicates = count("SELECT count(*) AS n FROM (" + twice + ") AS d");
        if (duplicates > 0) {
            String order = keys.stream().map(key -> key + " ASC NULLS FIRST").collect(Collectors.joining(", "));
            throw fault(
                            ErrorCode.DUPLICATE_SNAPSHOT_KEY,
                            duplicates + (duplicates == 1 ? " key" : " keys") + " of " + what
                                    + (duplicates == 1 ? " stands" : " stand") + " in several rows",
                            sample(twice + " ORDER BY " + order, true))
                    .hint("a snapshot has one row for each key: correct the source, or the key")
                    .build();
        }
    }

    private TidemarkException.Builder fault(ErrorCode code, String primary, List<String> sample) {
        return TidemarkException.of(code, primary)
                .detail("Nothing was committed. For example:\n" + String.join("\n", sample));
    }

    private List<String> sample(String sql, boolean counted) {
        List<String> sample = new ArrayList<>();
        engine.stream(sql, row -> {
            StringJoiner text = new StringJoiner(", ");
            for (int i = 0; i < keyNames.size(); i++) {
                text.add(keyNames.get(i) + " = " + shown(row.get(i)));
            }
            sample.add(counted ? text + ": " + row.get(keyNames.size()) + " rows" : text.toString());
            return sample.size() < SAMPLE_ROWS_MAX;
        });
        return sample;
    }

    /** Values for an error's sample; long ones are cut. */
    public static String shown(List<? extends @Nullable Object> values) {
        return values.stream().map(SnapshotDifference::shown).collect(Collectors.joining(", ", "[", "]"));
    }

    /** A value for an error's sample; a long one is cut. */
    public static String shown(@Nullable Object value) {
        String text = String.valueOf(value);
        return text.length() <= SAMPLE_CHARACTERS_MAX ? text : text.substring(0, SAMPLE_CHARACTERS_MAX) + "…";
    }

    private static String rows(long count) {
        return count + (count == 1 ? " row" : " rows");
    }

    /**
     * Compares both sides and keeps what differs.
     *
     * @param changed engine SQL that is true for keys of both sides whose row changed: {@link #differs}, or a
     *     condition over the further values, as {@code s.name} of the snapshot and {@code c.name} of the current row.
     *     NULL is not true
     * @param noticed the same for keys that are not changed and shall stand in the outcome all the same, as
     *     {@link #EQUAL}; {@code FALSE} for none
     */
    public Counts compare(String changed, String noticed) {
        List<String> columns = new ArrayList<>();
        keys.forEach(key -> columns.add("COALESCE(s." + key + ", c." + key + ") AS " + key));
        columns.add("s." + ORDINAL);
        columns.add("CASE WHEN c.there IS NULL THEN " + ADDED + " WHEN s.there IS NULL THEN " + VANISHED
                + " WHEN COALESCE(" + changed + ", FALSE) THEN " + CHANGED + " ELSE " + EQUAL + " END AS " + KIND);
        snapshot.values().keySet().forEach(value -> columns.add("s." + name(value)));
        current.values().keySet().forEach(value -> columns.add("c." + name(value)));
        String wanted = "c.there IS NULL OR s.there IS NULL OR COALESCE(" + changed + ", FALSE) OR COALESCE(" + noticed
                + ", FALSE)";
        if (kept) {
            engine.materialize(changes(), joined(columns, keptSides()) + " WHERE " + wanted, Optional.empty());
        } else {
            stream(columns, wanted);
        }
        long[] counts = new long[EQUAL + 1];
        engine.stream(
                "SELECT CAST(" + KIND + " AS INT) AS kind, CAST(count(*) AS BIGINT) AS n FROM " + name(changes())
                        + " GROUP BY " + KIND,
                row -> {
                    counts[(Integer) row.get(0)] = (Long) row.get(1);
                    return true;
                });
        long equal = loaded - withoutKey - counts[ADDED] - counts[CHANGED];
        return new Counts(counts[ADDED], counts[CHANGED], counts[VANISHED], equal);
    }

    /**
     * Both sides of the join; the second condition is true of all rows. Engines cannot know, take that side for the
     * smaller one and keep it in memory while the other passes by.
     */
    private String keptSides() {
        String given = snapshot.keys().stream().map(key -> key + " IS NOT NULL").collect(Collectors.joining(" AND "));
        // Of current rows, deletion vectors make engines expect too few.
        return "(" + side(snapshot, name(rows()), List.of("r." + ORDINAL)) + " WHERE " + given + " AND "
                + dialect.hash(snapshot.keys()) + " IS NOT NULL) AS s FULL OUTER JOIN ("
                + side(current, "(" + current.sql() + ")", List.of()) + ") AS c";
    }

    /** Lets the snapshot pass by the current rows, and keeps its rows of the outcome together with it. */
    private void stream(List<String> columns, String wanted) {
        List<String> names = engine.describe(snapshot.sql()).names();
        LongSupplier passed = engine.numbered(passing(), snapshot.sql(), ORDINAL);
        List<String> further = new ArrayList<>(List.of("r." + ORDINAL));
        List<String> all = new ArrayList<>(columns);
        List<String> own = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            further.add("r." + name(names.get(i)) + " AS row" + i);
            all.add("s.row" + i);
            own.add("row" + i + " AS " + name(names.get(i)));
        }
        own.add(ORDINAL);
        String sides = "(" + side(snapshot, name(passing()), further) + ") AS s FULL OUTER JOIN ("
                + side(current, "(" + current.sql() + ")", List.of()) + " WHERE " + dialect.hash(current.keys())
                + " IS NOT NULL) AS c";
        engine.materialize(outcome(), joined(all, sides) + " WHERE " + wanted, Optional.empty());
        loaded = passed.getAsLong();
        List<String> others = new ArrayList<>(keys);
        others.addAll(List.of(ORDINAL, KIND));
        snapshot.values().keySet().forEach(value -> others.add(name(value)));
        current.values().keySet().forEach(value -> others.add(name(value)));
        engine.createView(changes(), "SELECT " + String.join(", ", others) + " FROM " + name(outcome()));
        engine.createView(
                rows(),
                "SELECT " + String.join(", ", own) + " FROM " + name(outcome()) + " WHERE " + ORDINAL + " IS NOT NULL");
    }

    private String joined(List<String> columns, String sides) {
        String equalKeys = keys.stream().map(key -> "s." + key + " = c." + key).collect(Collectors.joining(" AND "));
        return "SELECT " + String.join(", ", columns) + " FROM " + sides + " ON " + equalKeys;
    }

    private String passing() {
        return prefix + "snapshot_passing";
    }

    private String outcome() {
        return prefix + "snapshot_outcome";
    }

    /** How many rows the snapshot has. */
    public long loaded() {
        return loaded;
    }

    /** A condition for {@link #compare}: a value that is compared differs, where NULL equals NULL only. */
    public String differs() {
        return snapshot.compared().isEmpty()
                ? "FALSE"
                : IntStream.range(0, snapshot.compared().size())
                        .mapToObj(i -> "s.v" + i + " IS DISTINCT FROM c.v" + i)
                        .collect(Collectors.joining(" OR ", "(", ")"));
    }

    /**
     * Whether no key stands in two rows of the snapshot, told from the outcome of {@link #compare} and without a look at
     * all keys: each row of the snapshot that met a current row must have met one of its own. True only if the current
     * rows are known to have each key once.
     */
    public boolean keysAreUnique(Counts counts) {
        long currentRows = count("SELECT count(*) AS n FROM (" + current.sql() + ") AS q");
        String list = String.join(", ", keys);
        long addedTwice = count("SELECT count(*) AS n FROM (SELECT " + list + " FROM " + name(changes()) + " WHERE "
                + KIND + " = " + ADDED + " GROUP BY " + list + " HAVING count(*) > 1) AS d");
        return addedTwice == 0 && loaded - withoutKey - counts.added() == currentRows - counts.vanished();
    }

    private String side(SnapshotSide side, String rows, List<String> further) {
        List<String> columns = new ArrayList<>(further);
        columns.add(as(side.keys(), keys));
        for (int i = 0; i < side.compared().size(); i++) {
            columns.add(side.compared().get(i) + " AS v" + i);
        }
        columns.add("1 AS there");
        for (Map.Entry<String, String> value : side.values().entrySet()) {
            columns.add(value.getValue() + " AS " + name(value.getKey()));
        }
        return "SELECT " + String.join(", ", columns) + " FROM " + rows + " AS r";
    }

    private long count(String sql) {
        long[] count = new long[1];
        engine.stream(sql, row -> {
            count[0] = (Long) row.get(0);
            return true;
        });
        return count[0];
    }

    private static String as(List<String> expressions, List<String> names) {
        return IntStream.range(0, names.size())
                .mapToObj(i -> expressions.get(i) + " AS " + names.get(i))
                .collect(Collectors.joining(", "));
    }

    private String name(String identifier) {
        return dialect.name(identifier);
    }

    @Override
    public void close() {
        engine.drop(changes());
        engine.drop(rows());
        engine.drop(outcome());
        engine.drop(passing());
    }
}
