package io.tidemark.pipeline.target;

import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.FileKey;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.pipeline.state.TargetEntry;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What others did to a target since the last commit of one of its flows: rows that they changed by hand, or a restore or
 * replacement of the whole table that cut the flows off from their state.
 */
public final class ForeignCommits {
    private static final Set<String> REWINDING = Set.of(
            "RESTORE",
            "CLONE",
            "REPLACE TABLE",
            "CREATE OR REPLACE TABLE",
            "REPLACE TABLE AS SELECT",
            "CREATE OR REPLACE TABLE AS SELECT",
            "CREATE TABLE AS SELECT");

    private final DeltaTable table;
    private final Snapshot snapshot;
    private final TargetEntry entry;

    /** What happened to a table up to a snapshot. */
    public ForeignCommits(DeltaTable table, Snapshot snapshot, TargetEntry entry) {
        this.table = table;
        this.snapshot = snapshot;
        this.entry = entry;
    }

    /**
     * Looks back to the last commit of a flow.
     *
     * @throws TidemarkException {@code FLOW_HISTORY_GONE} if the log no longer holds it
     */
    public Findings find() {
        boolean changed = false;
        Optional<Rewind> rewind = Optional.empty();
        for (long version = snapshot.version(); version >= 0; version--) {
            List<Action> actions = read(version);
            Optional<CommitInfo> info = actions.stream()
                    .filter(CommitInfo.class::isInstance)
                    .map(CommitInfo.class::cast)
                    .findFirst();
            if (pins(actions)) {
                Optional<Long> restored = restoredVersion(info);
                if (restored.isEmpty()) {
                    return new Findings(version, changed, rewind);
                }
                // Our own RESTORE: what happened before it counts as far as the restored version.
                version = restored.get() + 1;
                continue;
            }
            if (rewind.isEmpty() && changesRows(actions)) {
                rewind = rewindOf(version, info);
                changed |= rewind.isEmpty();
            }
        }
        throw gone(-1, null);
    }

    private List<Action> read(long version) {
        try {
            return table.actions(version);
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.VERSION_NOT_FOUND) {
                throw gone(version, e);
            }
            throw e;
        }
    }

    private boolean pins(List<Action> actions) {
        for (Action action : actions) {
            boolean target = action instanceof DomainMetadata domain
                    && domain.domain().equals(TargetEntry.DOMAIN)
                    && !domain.removed()
                    && TargetEntry.parse(domain.configuration()).manifest().equals(entry.manifest());
            if (target) {
                return true;
            }
        }
        return false;
    }

    private static boolean changesRows(List<Action> actions) {
        for (Action action : actions) {
            if (action instanceof AddFile add && add.dataChange()) {
                return true;
            }
            if (action instanceof RemoveFile remove && remove.dataChange()) {
                return true;
            }
        }
        return false;
    }

    private static Optional<Rewind> rewindOf(long version, Optional<CommitInfo> info) {
        String operation = info.flatMap(CommitInfo::operation).orElse("").toUpperCase(Locale.ROOT);
        if (info.isEmpty()) {
            return Optional.empty();
        }
        Object mode = info.get().operationParameters().get("mode");
        boolean overwrite = mode != null && mode.toString().replace("\"", "").equalsIgnoreCase("Overwrite");
        if (!overwrite && !REWINDING.contains(operation)) {
            return Optional.empty();
        }
        return Optional.of(new Rewind(version, operation, restoredVersion(info)));
    }

    private static Optional<Long> restoredVersion(Optional<CommitInfo> info) {
        boolean restores = info.flatMap(CommitInfo::operation)
                .filter("RESTORE"::equalsIgnoreCase)
                .isPresent();
        return restores ? number(info.get().operationParameters().get("version")) : Optional.empty();
    }

    private static Optional<Long> number(@Nullable Object value) {
        if (value == null) {
            return Optional.empty();
        }
        String digits = value.toString().replace("\"", "");
        return digits.matches("\\d{1,18}") ? Optional.of(Long.parseLong(digits)) : Optional.empty();
    }

    private TidemarkException gone(long version, @Nullable TidemarkException cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.FLOW_HISTORY_GONE,
                        "the log of table " + table.location()
                                + " no longer holds the last update of its flows, so that changes by others cannot be told")
                .detail(
                        version < 0
                                ? "No commit pins the state."
                                : "The log or the files of version " + version + " are gone.")
                .hint("rebuild the table with --full-refresh, or take its rows as they are with --adopt-rows");
        return cause == null ? error.build() : error.cause(cause).build();
    }

    /**
     * Registers the rows that differ between the last update and now.
     *
     * @param engine the engine
     * @param since version of the last update
     * @param prefix start of names for relations
     * @param schema the target's columns after the update
     * @return nothing if no row differs in its file or deletion vector
     */
    public Optional<PlanInputs.ManualRows> register(Engine engine, long since, String prefix, StructType schema) {
        Snapshot before = beforeSnapshot(since);
        Set<FileKey> old = keys(before);
        Set<FileKey> now = keys(snapshot);
        List<DataFile> removed = without(before, now);
        List<DataFile> added = without(snapshot, old);
        if (removed.isEmpty() && added.isEmpty()) {
            return Optional.empty();
        }
        String oldRows = prefix + "rows_before";
        String newRows = prefix + "rows_now";
        engine.registerFiles(oldRows, EngineFiles.scan(before, removed, Optional.empty(), Optional.empty()));
        engine.registerFiles(newRows, EngineFiles.scan(snapshot, added, Optional.empty(), Optional.empty()));
        String oldSelect = "SELECT " + String.join(", ", TableRows.columnsOf(engine, before.schema(), schema))
                + " FROM " + oldRows;
        String newSelect = "SELECT " + String.join(", ", TableRows.columnsOf(engine, snapshot.schema(), schema))
                + " FROM " + newRows;
        String removedRows = prefix + "rows_removed";
        String addedRows = prefix + "rows_added";
        try {
            engine.materialize(removedRows, oldSelect + " EXCEPT ALL " + newSelect, Optional.empty());
            engine.materialize(addedRows, newSelect + " EXCEPT ALL " + oldSelect, Optional.empty());
        } catch (TidemarkException e) {
            throw isVacuumed(e, removed) ? gone(since, e) : e;
        } finally {
            engine.drop(oldRows);
            engine.drop(newRows);
        }
        return Optional.of(new PlanInputs.ManualRows(removedRows, addedRows));
    }

    /** Whether a file is missing that the table no longer has, as after a VACUUM. */
    private boolean isVacuumed(TidemarkException error, List<DataFile> removed) {
        Set<String> live = snapshot.files().stream().map(DataFile::location).collect(Collectors.toSet());
        return error.code() == ErrorCode.DATA_FILE_MISSING
                && removed.stream()
                        .map(DataFile::location)
                        .anyMatch(location ->
                                !live.contains(location) && error.primary().contains(location));
    }

    private Snapshot beforeSnapshot(long since) {
        try {
            return table.at(since);
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.VERSION_NOT_FOUND) {
                throw gone(since, e);
            }
            throw e;
        }
    }

    private static Set<FileKey> keys(Snapshot snapshot) {
        Set<FileKey> keys = new HashSet<>();
        snapshot.files().forEach(file -> keys.add(file.add().key()));
        return keys;
    }

    private static List<DataFile> without(Snapshot snapshot, Set<FileKey> others) {
        return snapshot.files().stream()
                .filter(file -> !others.contains(file.add().key()))
                .toList();
    }

    /**
     * What was found.
     *
     * @param lastUpdate version of the last commit of a flow
     * @param rowsChanged whether others changed rows since, or since the rewind if there is one
     * @param rewind the newest restore or replacement since, if any
     */
    public record Findings(long lastUpdate, boolean rowsChanged, Optional<Rewind> rewind) {}

    /**
     * A commit that restored or replaced the table.
     *
     * @param version its version
     * @param operation its name
     * @param restoredVersion the version that was restored, if it was a restore and says so
     */
    public record Rewind(long version, String operation, Optional<Long> restoredVersion) {}
}
