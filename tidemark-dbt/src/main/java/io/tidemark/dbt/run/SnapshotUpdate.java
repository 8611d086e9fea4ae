package io.tidemark.dbt.run;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.snapshot.SnapshotSide;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.delta.DeltaTable;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One run of one snapshot: its source is read once, compared with the current rows of its table, and what differs is one
 * commit. Used once.
 */
public final class SnapshotUpdate {
    /** With what the names of relations begin that a run makes for itself. */
    public static final String RELATION_PREFIX = "__tidemark_snapshot_";

    private static final AtomicLong COUNTER = new AtomicLong();

    private final RunContext context;
    private final SnapshotSettings settings;
    private final SourceQuery query;
    private final DataType ownTimeType;

    /**
     * A run.
     *
     * @param snapshotName the snapshot's name
     * @param name name of its table
     * @param table where its table is
     * @param sql the project's SQL
     * @param settings the snapshot's options
     * @param query what it reads
     * @param runTime the run's time, which stands for every "now"; cut to microseconds
     * @param instants whether times without a source are instants (TIMESTAMP) or times in UTC without zone
     */
    public SnapshotUpdate(
            Engine engine,
            String snapshotName,
            TableName name,
            DeltaTable table,
            ProjectSql sql,
            SnapshotSettings settings,
            SourceQuery query,
            Instant runTime,
            boolean instants) {
        LocalDateTime time = LocalDateTime.ofInstant(runTime.truncatedTo(ChronoUnit.MICROS), ZoneOffset.UTC);
        String prefix = RELATION_PREFIX + COUNTER.incrementAndGet() + "_";
        this.context = new RunContext(engine, sql, settings, snapshotName, name, table, time, prefix);
        this.settings = settings;
        this.query = query;
        this.ownTimeType = instants ? ScalarType.TIMESTAMP : ScalarType.TIMESTAMP_NTZ;
    }

    /**
     * Runs the snapshot.
     *
     * @param commit whether to commit; otherwise all is computed and checked, and nothing is written
     * @throws TidemarkException what is wrong; nothing was committed then
     */
    public SnapshotResult run(boolean commit) {
        Optional<TargetTable> target = context.table()
                .latest()
                .map(found -> new TargetTable(context.name().toString(), found, settings));
        String fingerprint = fingerprint();
        if (target.isPresent() && isUpToDate(target.get(), fingerprint)) {
            return result(Status.UNCHANGED, Counts.NONE, OptionalLong.empty());
        }
        Optional<StructType> columns =
                target.map(found -> sourceColumns(found.snapshot().schema()));
        try (KeyedSource source = new KeyedSource(context, query, columns)) {
            if (target.isEmpty()) {
                return first(source, fingerprint, commit);
            }
            Optional<SnapshotEntry> before = target.get().entry();
            try (LaterRun later =
                    new LaterRun(context, target.get(), source, sentinel -> entry(before, sentinel, fingerprint))) {
                return later.run(commit);
            }
        } catch (TidemarkException e) {
            throw e.at(settings.location());
        }
    }

    /** The table's columns that are not the snapshot's own. */
    private StructType sourceColumns(StructType schema) {
        return new StructType(schema.fields().stream()
                .filter(field -> settings.columns().all().stream().noneMatch(field.name()::equalsIgnoreCase))
                .toList());
    }

    /** Whether the same query read the same versions in the table's last commit, which a snapshot made. */
    private boolean isUpToDate(TargetTable target, String fingerprint) {
        Optional<SnapshotEntry> entry = target.entry();
        Map<String, String> versions = query.versions().orElse(Map.of());
        if (entry.isEmpty()
                || versions.isEmpty()
                || !entry.get().fingerprint().equals(fingerprint)
                || !entry.get().sources().equals(versions)) {
            return false;
        }
        return context.isOwn(target.snapshot());
    }

    private String fingerprint() {
        String text = query.fingerprint() + "\n" + settings;
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private SnapshotEntry entry(Optional<SnapshotEntry> before, Optional<String> sentinel, String fingerprint) {
        Set<String> sentinels =
                new LinkedHashSet<>(before.map(SnapshotEntry::sentinels).orElse(List.of()));
        sentinel.ifPresent(sentinels::add);
        return new SnapshotEntry(
                List.copyOf(sentinels), fingerprint, query.versions().orElse(Map.of()), settings.uniqueKey());
    }

    private SnapshotResult first(KeyedSource source, String fingerprint, boolean commit) {
        SnapshotSide side =
                new SnapshotSide("SELECT * FROM " + context.quoted(source.relation()), source.keys(), List.of());
        try (SnapshotDifference difference =
                new SnapshotDifference(context.engine(), context.prefix(), side, side, settings.uniqueKey())) {
            DataType timeType = source.timeType().orElse(ownTimeType);
            source.compared();
            VersionSql versions = new VersionSql(context.dialect(), timeType, context.runTime());
            Optional<String> sentinel = new Sentinel(context.engine(), context.sql(), settings).text(versions);
            long rows = difference.load();
            source.check(difference, versions);
            source.checkKeysAreUnique(difference);
            boolean marks = settings.hardDeletes() == HardDeletes.NEW_RECORD;
            StructType schema = settings.docs()
                    .on(SnapshotCommit.newSchema(source.rows().columns(), settings.columns(), timeType, marks));
            String time = "COALESCE(" + source.time(versions) + ", " + versions.now() + ")";
            String version = new RowSql(context.dialect(), versions, settings.columns(), schema, sentinel)
                    .version("r", source.columns(), source.keyNames(), time, time, source.given());
            Counts counts = new Counts(rows, rows, 0, 0, 0, 0);
            if (!commit) {
                return result(Status.CREATED, counts, OptionalLong.empty());
            }
            String inserted = "SELECT " + version + " FROM " + context.quoted(difference.rows()) + " AS r";
            long made = new SnapshotCommit(context.engine(), context.table(), context.snapshot(), source.sortBy(schema))
                    .create(
                            SnapshotCommit.OPERATION,
                            schema,
                            settings.docs().table(),
                            List.of(inserted),
                            entry(Optional.empty(), sentinel, fingerprint),
                            counts);
            return result(Status.CREATED, counts, OptionalLong.of(made));
        }
    }

    private SnapshotResult result(Status status, Counts counts, OptionalLong version) {
        return new SnapshotResult(
                context.snapshot(), context.name().toString(), status, counts, version, settings.warnings(), 0);
    }
}
