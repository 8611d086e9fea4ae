package io.tidemark.sql.session;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.maintenance.Compaction;
import io.tidemark.delta.maintenance.CompactionOptions;
import io.tidemark.delta.maintenance.Vacuum;
import io.tidemark.delta.maintenance.VacuumOptions;
import io.tidemark.delta.restore.TableRestore;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.sql.parse.Maintenance;
import io.tidemark.sql.query.ConditionReader;
import io.tidemark.sql.query.VersionSpec;
import io.tidemark.sql.session.StatementResult.Done;
import java.time.Instant;
import java.util.List;

/** Executes OPTIMIZE, VACUUM and RESTORE. */
final class MaintenanceRunner {
    private static final int PATHS_SHOWN_MAX = 1_000;

    private final StatementContext context;
    private final Settings settings;

    MaintenanceRunner(StatementContext context, Settings settings) {
        this.context = context;
        this.settings = settings;
    }

    StatementResult run(Maintenance statement) {
        if (statement instanceof Maintenance.Optimize optimize) {
            return optimize(optimize);
        }
        return statement instanceof Maintenance.Vacuum vacuum
                ? vacuum(vacuum)
                : restore((Maintenance.Restore) statement);
    }

    private StatementResult optimize(Maintenance.Optimize statement) {
        Snapshot snapshot = context.table(statement.name(), statement.location());
        CompactionOptions options = CompactionOptions.ALL.sortBy(
                TargetRules.of(snapshot).map(TargetRules::keys).orElse(List.of()));
        if (statement.where().isPresent()) {
            QueryText where = statement.where().get();
            FileCondition condition = ConditionReader.read(
                    where, snapshot.schema(), statement.name().name());
            checkPartitions(condition, where, snapshot);
            options = options.where(condition, where.sql());
        }
        context.beforeCommit().run();
        Compaction.Result result =
                Compaction.run(context.engine(), context.warehouse().storage(), snapshot, options);
        if (result.conflict() != null) {
            throw new LostRace(result.conflict());
        }
        String what = result.version().isEmpty()
                ? "nothing to optimize in "
                : "put " + result.filesRemoved() + " files into " + result.filesAdded() + " in ";
        return Done.of(what + statement.name());
    }

    /** As in Delta Lake: whole partitions are optimized, so nothing else can be a condition. */
    private static void checkPartitions(FileCondition condition, QueryText where, Snapshot snapshot) {
        if (!isOnPartitions(condition, snapshot)) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "OPTIMIZE … WHERE compares partition columns with literals only")
                    .at(where.location())
                    .hint(
                            snapshot.partitionColumns().isEmpty()
                                    ? "the table is not partitioned: leave out WHERE"
                                    : "the table is partitioned by " + String.join(", ", snapshot.partitionColumns()))
                    .build();
        }
    }

    private static boolean isOnPartitions(FileCondition condition, Snapshot snapshot) {
        if (condition instanceof FileCondition.And and) {
            return and.conditions().stream().allMatch(part -> isOnPartitions(part, snapshot));
        }
        if (condition instanceof FileCondition.Or or) {
            return or.conditions().stream().allMatch(part -> isOnPartitions(part, snapshot));
        }
        if (condition instanceof FileCondition.Comparison comparison) {
            return isPartition(comparison.column(), snapshot);
        }
        return condition instanceof FileCondition.NullTest test && isPartition(test.column(), snapshot);
    }

    private static boolean isPartition(String column, Snapshot snapshot) {
        return snapshot.partitionColumns().stream().anyMatch(column::equalsIgnoreCase);
    }

    private StatementResult vacuum(Maintenance.Vacuum statement) {
        context.table(statement.name(), statement.location());
        VacuumOptions options = VacuumOptions.at(Instant.now());
        options = statement.retention().map(options::retaining).orElse(options);
        options = settings.checksRetention() ? options : options.unchecked();
        options = statement.dryRun() ? options.dry() : options;
        Vacuum.Result result =
                Vacuum.run(context.warehouse().storage(), context.warehouse().table(statement.name()), options);
        if (!statement.dryRun()) {
            return Done.of("deleted " + result.files().size() + " files of " + statement.name() + ", " + result.bytes()
                    + " bytes");
        }
        TableRows rows = new TableRows().texts("path");
        result.files().stream().limit(PATHS_SHOWN_MAX).forEach(rows::row);
        return rows.result();
    }

    private StatementResult restore(Maintenance.Restore statement) {
        Snapshot now = context.table(statement.name(), statement.location());
        DeltaTable table = context.warehouse().table(statement.name());
        boolean byVersion = statement.version().isPresent();
        Snapshot then = byVersion ? table.at(statement.version().getAsLong()) : table.asOf(time(statement));
        context.beforeCommit().run();
        TableRestore.Result result = TableRestore.run(
                context.warehouse().storage(), now, then, byVersion ? "version" : "timestamp", statement.time());
        if (result.outcome() instanceof CommitOutcome.Rejected rejected) {
            throw new LostRace(rejected);
        }
        long version = result.outcome().version();
        return Done.of("restored version " + then.version() + " of " + statement.name() + " as version " + version);
    }

    private static Instant time(Maintenance.Restore statement) {
        return VersionSpec.atTime(statement.time())
                .orElseThrow(
                        () -> TidemarkException.of(ErrorCode.SYNTAX_ERROR, "'" + statement.time() + "' is no timestamp")
                                .at(statement.location())
                                .hint("write it as '2026-01-31 12:00:00'")
                                .build());
    }
}
