package io.tidemark.delta.maintenance;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Reruns;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * VACUUM: deletes files of a table's folder that no version needs which is younger than a retention. The log itself and
 * hidden folders of other programs are left alone; of a flow target's state what no version in the log pins goes too.
 *
 * <p>A file goes only if it is older than the retention, so that files of transactions that are still running stay, and
 * if the log proves that no version within the retention had it. A file whose removal the log no longer dates stays.
 *
 * <p>If files are deleted, the history says so by two commits that change nothing: {@code VACUUM START} and
 * {@code VACUUM END}.
 */
public final class Vacuum {
    private static final Logger LOG = LoggerFactory.getLogger(Vacuum.class);
    private static final String CHANGE_FOLDER = "_change_data";
    private static final String TEMPORARY = "\\..+\\.tmp";

    private final Storage storage;
    private final Snapshot snapshot;
    private final DeltaTable table;
    private final VacuumOptions options;
    private final Instant cutoff;
    private final boolean logReachesBack;
    private final Set<String> needed = new HashSet<>();
    private final Set<String> removedLongAgo = new HashSet<>();
    private long folders;

    private Vacuum(Storage storage, DeltaTable table, VacuumOptions options) {
        this.storage = storage;
        this.table = table;
        this.options = options;
        this.snapshot = table.snapshot();
        this.cutoff = options.now().minus(retention());
        this.logReachesBack = logReachesBack();
    }

    /**
     * What was deleted, or would be.
     *
     * @param files paths of the files
     * @param bytes their size
     */
    public record Result(List<String> files, long bytes) {
        /** Copies the list. */
        public Result {
            files = List.copyOf(files);
        }
    }

    /**
     * Cleans a table's folder.
     *
     * @throws TidemarkException with {@link ErrorCode#VACUUM_RETENTION_TOO_SHORT}, and if the table must not be written
     */
    public static Result run(Storage storage, DeltaTable table, VacuumOptions options) {
        return new Vacuum(storage, table, options).run();
    }

    private Duration retention() {
        Duration own = Retention.deletedFiles(snapshot.properties());
        Duration wanted = options.retention().orElse(own);
        if (options.checksRetention() && wanted.compareTo(own) < 0) {
            throw TidemarkException.of(
                            ErrorCode.VACUUM_RETENTION_TOO_SHORT,
                            "files of table " + snapshot.location() + " must be kept for " + Retention.text(own)
                                    + ", not only " + Retention.text(wanted))
                    .detail("A shorter time can take files from transactions and readers that are still at work.")
                    .hint("if nobody else uses the table, SET spark.databricks.delta.retentionDurationCheck.enabled = "
                            + "false")
                    .build();
        }
        return wanted;
    }

    private Result run() {
        snapshot.checkWritable();
        readLog();
        List<FileInfo> expired = new ArrayList<>();
        collect(snapshot.location(), expired);
        collectLogLeftovers(expired);
        expired.addAll(StateFiles.unpinned(storage, table, snapshot, cutoff));
        long bytes = expired.stream().mapToLong(FileInfo::size).sum();
        List<String> paths = expired.stream().map(FileInfo::path).toList();
        if (!options.dryRun() && !paths.isEmpty()) {
            delete(paths, bytes);
        }
        return new Result(paths, bytes);
    }

    /** Two commits that change nothing tell the history of it, as in Delta Lake. */
    private void delete(List<String> paths, long bytes) {
        record("VACUUM START", start -> {
            start.parameter("retentionCheckEnabled", Boolean.toString(options.checksRetention()))
                    .parameter(
                            "defaultRetentionMillis",
                            Long.toString(Retention.deletedFiles(snapshot.properties())
                                    .toMillis()))
                    .metric("numFilesToDelete", paths.size())
                    .metric("sizeOfDataToDelete", bytes);
            options.retention()
                    .ifPresent(wanted -> start.parameter("specifiedRetentionMillis", Long.toString(wanted.toMillis())));
        });
        long deleted = 0;
        boolean completed = false;
        try {
            for (String path : paths) {
                deleted += storage.delete(path) ? 1 : 0;
            }
            completed = true;
        } finally {
            recordEnd(completed, deleted);
        }
    }

    /** The files are gone, or a failure is on its way to the user: the history may lack this entry. */
    private void recordEnd(boolean completed, long deleted) {
        try {
            record("VACUUM END", end -> {
                end.parameter("status", completed ? "COMPLETED" : "FAILED");
                if (completed) {
                    end.metric("numDeletedFiles", deleted).metric("numVacuumedDirectories", folders);
                }
            });
        } catch (TidemarkException e) {
            LOG.warn("the history of {} does not tell of the end of its VACUUM", table, e);
        }
    }

    private void record(String operation, Consumer<Transaction> description) {
        Reruns reruns = Reruns.within(Reruns.Limits.DEFAULT);
        while (true) {
            Transaction transaction = table.snapshot().begin(operation).rearrangesOnly();
            description.accept(transaction);
            CommitOutcome outcome = transaction.commit();
            // Only another definition of the table can come between, which is no reason to stop.
            if (!(outcome instanceof CommitOutcome.Rejected) || !reruns.again()) {
                outcome.version();
                return;
            }
        }
    }

    /** Finds the files of the latest version and of all versions within the retention. */
    private void readLog() {
        for (DataFile file : snapshot.files()) {
            add(needed, file.add().path(), file.add().deletionVector());
        }
        for (long version : table.versions()) {
            for (Action action : table.actions(version)) {
                if (action instanceof RemoveFile remove) {
                    boolean expired = isBefore(remove.deletionTimestamp(), cutoff);
                    add(expired ? removedLongAgo : needed, remove.path(), remove.deletionVector());
                }
            }
        }
    }

    /** Whether the log tells of everything that was removed within the retention. */
    private boolean logReachesBack() {
        List<Long> versions = table.versions();
        return versions.isEmpty()
                || versions.get(0) == 0
                || table.lastVersionUpTo(cutoff).isPresent();
    }

    private static boolean isBefore(@Nullable Long millis, Instant time) {
        return millis != null && Instant.ofEpochMilli(millis).isBefore(time);
    }

    private void add(Set<String> files, String path, @Nullable DeletionVectorDescriptor vector) {
        files.add(storage.resolve(snapshot.location(), path));
        if (vector != null && !vector.storageType().equals(DeletionVectorDescriptor.INLINE)) {
            files.add(DeletionVectors.file(storage, snapshot.location(), vector));
        }
    }

    /** What a writer that died has left beside the log. The log itself is not for VACUUM to clean. */
    private void collectLogLeftovers(List<FileInfo> expired) {
        for (FileInfo file : storage.list(storage.child(snapshot.location(), LogFiles.FOLDER), ".")) {
            if (file.name().matches(TEMPORARY) && file.modified().isBefore(cutoff)) {
                expired.add(file);
            }
        }
    }

    private void collect(String folder, List<FileInfo> expired) {
        folders++;
        for (FileInfo file : storage.list(folder, "")) {
            boolean hidden = isHidden(file.name()) && !file.name().matches(TEMPORARY);
            boolean dated = logReachesBack || removedLongAgo.contains(file.path());
            if (!hidden
                    && dated
                    && !needed.contains(file.path())
                    && file.modified().isBefore(cutoff)) {
                expired.add(file);
            }
        }
        for (String child : storage.folders(folder)) {
            if (!isHidden(child) || child.equals(CHANGE_FOLDER)) {
                collect(storage.child(folder, child), expired);
            }
        }
    }

    /** A name that belongs to other programs; a partition column may begin with an underscore, though. */
    private static boolean isHidden(String name) {
        return name.startsWith(".") || (name.startsWith("_") && !name.contains("="));
    }
}
