package io.tidemark.dbt.run;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.snapshot.RowHash;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.snapshot.SnapshotSide;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.dbt.run.SnapshotResult.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** A run on a table that is there: compares, plans, and commits what differs. Used once. */
final class LaterRun implements AutoCloseable {
    private final RunContext context;
    private final Dialect dialect;
    private final SnapshotSettings settings;
    private final TargetTable target;
    private final KeyedSource source;
    private final StructType schema;
    private final VersionSql versions;
    private final Optional<String> sentinel;
    private final SnapshotEntry entry;
    private final CurrentRows current;
    private final List<String> warnings = new ArrayList<>();

    /**
     * Registers the table's current rows.
     *
     * @param pinned what the table is to remember when its end of current rows is given
     */
    LaterRun(RunContext context, TargetTable target, KeyedSource source, PinnedEntry pinned) {
        this.context = context;
        this.dialect = context.dialect();
        this.settings = context.settings();
        this.target = target;
        this.source = source;
        Optional<DataType> time = source.timeType();
        boolean datesBecomeTimes =
                target.timeType() == ScalarType.DATE && time.isPresent() && time.get() != ScalarType.DATE;
        this.schema = settings.docs().on(target.schemaAfter(source.rows(), datesBecomeTimes));
        warnings.addAll(settings.warnings());
        List<String> missing = settings.docs().missingIn(schema);
        if (!missing.isEmpty()) {
            warnings.add(
                    "the table has no column " + String.join(", ", missing) + " to describe, as persist_docs wants");
        }
        DataType timeType =
                schema.field(settings.columns().validFrom()).orElseThrow().type();
        this.versions = new VersionSql(dialect, timeType, context.runTime());
        this.sentinel = new Sentinel(context.engine(), context.sql(), settings).text(versions);
        this.entry = pinned.with(sentinel);
        this.current = new CurrentRows(context, target, schema, versions, entry.sentinels());
    }

    /** Makes the entry of a table. */
    @FunctionalInterface
    interface PinnedEntry {
        /** The entry with the end of current rows, if it is not NULL. */
        SnapshotEntry with(Optional<String> sentinel);
    }

    /** Runs, and commits if that is wanted. */
    SnapshotResult run(boolean commit) {
        current.register(source);
        List<StructField> compared = source.compared();
        List<String> added = source.rows().added();
        boolean newCompared = compared.stream().anyMatch(field -> added.contains(field.name()));
        List<String> comparable = hashed(
                compared.stream().filter(field -> !added.contains(field.name())).toList());
        SnapshotSide left = new SnapshotSide(
                "SELECT * FROM " + context.quoted(source.relation()),
                source.keys(),
                comparable,
                Map.of("new_time", source.time(versions), "faulty", source.isFaulty(versions)));
        SnapshotSide right = new SnapshotSide(
                "SELECT * FROM " + context.quoted(current.relation()),
                source.keys(),
                comparable,
                current.values(source.timeIsNew()));
        try (SnapshotDifference difference =
                new SnapshotDifference(context.engine(), context.prefix(), left, right, settings.uniqueKey())) {
            if (!keysAreKnown()) {
                // A join of keys that stand in many rows on both sides could take for ever.
                current.checkKeys(source.keyNames());
            }
            Changes changes = new Changes(settings, difference.differs());
            SnapshotDifference.Counts found =
                    difference.compare(changes.changed(newCompared), "(s.faulty OR " + changes.noticed() + ")");
            long rows = difference.loaded();
            source.check(difference, versions);
            if (!difference.keysAreUnique(found)) {
                throw source.keysAreNotUnique(difference);
            }
            checkNotEmpty(rows);
            try (PlannedVersions plan = new PlannedVersions(context, difference, versions, source)) {
                plan.make(target, current, schema);
                return finished(difference, plan, counts(rows, found, plan.totals()), commit);
            }
        }
    }

    /** What is compared of rows {@code r}. */
    private List<String> hashed(List<StructField> compared) {
        List<String> values = compared.stream()
                .map(field -> dialect.comparable("r." + context.quoted(field.name()), field.type()))
                .toList();
        return new RowHash(dialect)
                .of(values, compared.stream().map(StructField::type).toList());
    }

    /** Whether the table's last commit was that of a run which told its rows apart by the same key. */
    private boolean keysAreKnown() {
        return context.isOwn(target.snapshot())
                && target.entry()
                        .filter(before -> before.key().equals(settings.uniqueKey()))
                        .isPresent();
    }

    private void checkNotEmpty(long rows) {
        if (rows > 0 || settings.hardDeletes() == HardDeletes.IGNORE || settings.allowEmptySource()) {
            return;
        }
        long alive = current.countAlive();
        if (alive > 0) {
            throw TidemarkException.of(
                            ErrorCode.EMPTY_SNAPSHOT,
                            "the source of snapshot " + context.snapshot() + " has no rows, which would close " + alive
                                    + (alive == 1 ? " current row" : " current rows"))
                    .at(settings.location())
                    .detail("A load that failed looks the same as a table that was emptied. Nothing was committed.")
                    .hint("if the source is empty indeed, set allow_empty_source=true")
                    .build();
        }
    }

    private static Counts counts(long rows, SnapshotDifference.Counts found, PlannedVersions.Totals totals) {
        return new Counts(
                rows,
                found.added() + totals.returned(),
                found.changed() - totals.returned(),
                totals.deleted(),
                totals.removed(),
                totals.missed());
    }

    private SnapshotResult finished(
            SnapshotDifference difference, PlannedVersions plan, Counts counts, boolean commit) {
        if (counts.missedChanges() > 0) {
            warnings.add(counts.missedChanges() + (counts.missedChanges() == 1 ? " key has" : " keys have")
                    + " other data than its current version, but no later updated_at; detect='hash' gives such rows a"
                    + " version");
        }
        source.rows()
                .widened()
                .values()
                .forEach(field -> warnings.add("column " + field.name() + " becomes "
                        + field.type().sql() + "; readers need the table feature typeWidening from now on"));
        boolean rowsChanged = counts.newKeys() + counts.changedKeys() + counts.deletedKeys() > 0;
        Optional<String> comment = settings.docs().table();
        boolean commentChanged =
                comment.isPresent() && !comment.equals(target.snapshot().description());
        if (!rowsChanged && !commentChanged && schema.equals(target.snapshot().schema())) {
            return result(Status.UNCHANGED, counts, OptionalLong.empty());
        }
        OptionalLong version = commit ? OptionalLong.of(committed(difference, plan, counts)) : OptionalLong.empty();
        return result(Status.UPDATED, counts, version);
    }

    private long committed(SnapshotDifference difference, PlannedVersions plan, Counts counts) {
        RowSql row = new RowSql(dialect, versions, settings.columns(), schema, sentinel);
        current.read(plan.positions());
        String inserted = plan.inserted(row, context.describe(difference.rows()))
                + plan.deletions(row, current).map(rows -> " UNION ALL " + rows).orElse("");
        SnapshotCommit.NewRows rows = new SnapshotCommit.NewRows(plan.positions(), inserted, plan.closed(row, current));
        return new SnapshotCommit(context.engine(), context.table(), context.snapshot(), source.sortBy(schema))
                .update(
                        target.snapshot(),
                        current.rows(),
                        schema,
                        settings.docs().table(),
                        rows,
                        settings.columns(),
                        entry,
                        counts);
    }

    private SnapshotResult result(Status status, Counts counts, OptionalLong version) {
        return new SnapshotResult(context.snapshot(), context.name().toString(), status, counts, version, warnings, 0);
    }

    @Override
    public void close() {
        current.close();
    }
}
