package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.delta.DataFile;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * When each new version begins and which current rows end. A key that is new may have closed versions: only where their
 * ends could lie behind the new version's time are they looked up, in the files whose statistics allow it.
 */
final class PlannedVersions implements AutoCloseable {
    private static final String ORDINAL = SnapshotDifference.ORDINAL;
    private static final String ADDED = "p.kind = " + SnapshotDifference.ADDED;
    private static final String CHANGED = "p.kind = " + SnapshotDifference.CHANGED;
    private static final String VANISHED = "p.kind = " + SnapshotDifference.VANISHED;

    private final RunContext context;
    private final Engine engine;
    private final Dialect dialect;
    private final SnapshotDifference difference;
    private final SnapshotSettings settings;
    private final VersionSql versions;
    private final List<String> keys;
    private final KeyedSource source;
    private final String plan;
    private final String positions;
    private final String ends;

    PlannedVersions(RunContext context, SnapshotDifference difference, VersionSql versions, KeyedSource source) {
        this.context = context;
        this.engine = context.engine();
        this.dialect = context.dialect();
        this.difference = difference;
        this.settings = context.settings();
        this.versions = versions;
        this.source = source;
        this.keys = IntStream.range(0, source.keyNames().size())
                .mapToObj(i -> "k" + i)
                .toList();
        this.plan = context.prefix() + "plan";
        this.positions = context.prefix() + "positions";
        this.ends = context.prefix() + "ends";
    }

    /**
     * Numbers of keys.
     *
     * @param returned keys that are back and whose current row said that they were gone
     * @param deleted keys that vanished and are closed
     * @param removed rows that are taken out, as they would end before they begin
     * @param missed keys with other data and no later time
     */
    record Totals(long returned, long deleted, long removed, long missed) {}

    /** Computes the plan. */
    void make(TargetTable target, CurrentRows current, StructType schema) {
        Optional<Object> earliest = earliest();
        List<DataFile> files = earliest.map(target::filesThatEndFrom).orElse(List.of());
        String changes = dialect.name(difference.changes()) + " AS p";
        if (files.isEmpty()) {
            engine.materialize(
                    plan,
                    planned("SELECT p.*, " + versions.cast("NULL") + " AS last_end FROM " + changes),
                    Optional.empty());
        } else {
            try (KeyedRows history =
                    new KeyedRows(engine, target.snapshot(), files, schema, context.prefix() + "history_")) {
                String relation =
                        history.with(context.sql(), source.expressions(), source.names(), settings.location());
                engine.materialize(ends, lastEnds(relation, target, current), Optional.empty());
                String same =
                        keys.stream().map(key -> "p." + key + " = e." + key).collect(Collectors.joining(" AND "));
                engine.materialize(
                        plan,
                        planned("SELECT p.*, e.last_end FROM " + changes + " LEFT JOIN " + dialect.name(ends)
                                + " AS e ON " + same),
                        Optional.empty());
            } finally {
                engine.drop(ends);
            }
        }
        engine.createView(
                positions, "SELECT p.file, p.pos FROM " + dialect.name(plan) + " AS p WHERE p.file IS NOT NULL");
    }

    /** The least time from which on ends of closed rows matter. */
    private Optional<Object> earliest() {
        String sql =
                "SELECT min(" + ownTime() + ") AS t FROM " + dialect.name(difference.changes()) + " AS p WHERE " + ADDED
                        + (settings.hardDeletes() == HardDeletes.NEW_RECORD
                                ? " OR (" + VANISHED + " AND " + removed() + ")"
                                : "");
        Object[] found = new Object[1];
        engine.stream(sql, row -> {
            found[0] = row.get(0);
            return true;
        });
        @Nullable Object time = found[0];
        return Optional.ofNullable(time);
    }

    private String lastEnds(String relation, TargetTable target, CurrentRows current) {
        String end = versions.cast(
                "r." + dialect.name(target.column(settings.columns().validTo()).name()));
        StringBuilder columns = new StringBuilder();
        StringBuilder same = new StringBuilder();
        for (int i = 0; i < keys.size(); i++) {
            String name = "r." + source.keyNames().get(i);
            columns.append(name).append(" AS ").append(keys.get(i)).append(", ");
            same.append(i == 0 ? "" : " AND ")
                    .append("p.")
                    .append(keys.get(i))
                    .append(" = ")
                    .append(name);
        }
        String list = source.keyNames().stream().map(key -> "r." + key).collect(Collectors.joining(", "));
        return "SELECT " + columns + "max(" + end + ") AS last_end FROM " + dialect.name(relation) + " AS r WHERE NOT "
                + current.isCurrent() + " AND EXISTS (SELECT 1 FROM " + dialect.name(difference.changes())
                + " AS p WHERE " + same + " AND (" + ADDED + " OR " + VANISHED + ")) GROUP BY " + list;
    }

    private String ownTime() {
        return "COALESCE(p.new_time, " + versions.now() + ")";
    }

    /** Rows that are changed by their data alone begin at the run's time: their own is that of the version before. */
    private String time() {
        String own = ownTime();
        return settings.detectByHash()
                ? "CASE WHEN " + CHANGED + " AND NOT p.deleted AND p.new_time <= p.stored_time THEN " + versions.now()
                        + " ELSE " + own + " END"
                : own;
    }

    private String removed() {
        return "p.valid_from IS NOT NULL AND " + versions.now() + " <= p.valid_from";
    }

    private String ended() {
        return switch (settings.hardDeletes()) {
            case IGNORE -> "FALSE";
            case INVALIDATE -> VANISHED;
            case NEW_RECORD -> VANISHED + " AND NOT p.deleted";
        };
    }

    private String planned(String rows) {
        String timed = "SELECT p.*, " + time() + " AS own_start, CASE WHEN " + CHANGED
                + " THEN p.valid_from ELSE p.last_end END AS before FROM (" + rows + ") AS p WHERE " + ADDED + " OR "
                + CHANGED + " OR (" + ended() + ")";
        return "SELECT p.*, " + versions.start("p.own_start", "p.before") + " AS start FROM (" + timed + ") AS p";
    }

    Totals totals() {
        long[] totals = new long[4];
        String plans = "SELECT count(*) FILTER (WHERE " + CHANGED + " AND p.deleted) AS a, count(*) FILTER (WHERE "
                + VANISHED + ") AS b, count(*) FILTER (WHERE " + VANISHED + " AND " + removed() + ") AS c FROM "
                + dialect.name(plan) + " AS p";
        engine.stream(plans, row -> {
            for (int i = 0; i < 3; i++) {
                totals[i] = number(row.get(i));
            }
            return true;
        });
        String missed = "SELECT count(*) AS n FROM " + dialect.name(difference.changes()) + " AS p WHERE p.kind = "
                + SnapshotDifference.EQUAL;
        engine.stream(missed, row -> {
            totals[3] = number(row.get(0));
            return true;
        });
        return new Totals(totals[0], totals[1], totals[2], totals[3]);
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }

    /** The relation of positions of rows that are no longer as they were: {@code file} and {@code pos}. */
    String positions() {
        return positions;
    }

    /** The new versions. */
    String inserted(RowSql row, StructType types) {
        return "SELECT " + row.version("r", types, source.keyNames(), "p.start", ownTime(), source.given()) + " FROM "
                + dialect.name(plan) + " AS p JOIN " + dialect.name(difference.rows()) + " AS r ON p." + ORDINAL
                + " = r." + ORDINAL + " WHERE " + ADDED + " OR " + CHANGED;
    }

    /** The rows that say that keys are gone, if the options want them. */
    Optional<String> deletions(RowSql row, CurrentRows current) {
        return settings.hardDeletes() == HardDeletes.NEW_RECORD
                ? Optional.of("SELECT " + row.deletion(current.columns(), "p.start", source.given()) + planned(current)
                        + VANISHED)
                : Optional.empty();
    }

    /** The rows that got an end. */
    String closed(RowSql row, CurrentRows current) {
        String end = "CASE WHEN " + CHANGED + " THEN p.start ELSE " + versions.now() + " END";
        return "SELECT " + row.closed(current.columns(), end) + planned(current) + CHANGED + " OR (" + VANISHED
                + " AND NOT (" + removed() + "))";
    }

    private String planned(CurrentRows current) {
        return " FROM " + dialect.name(plan) + " AS p" + current.joinedTo("p") + " WHERE ";
    }

    @Override
    public void close() {
        engine.drop(positions);
        engine.drop(plan);
    }
}
