package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.kernel.ReplayedLog;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** A place where a Delta table is or may come to be. Holds no state of the table; safe for use by many threads. */
public final class DeltaTable {
    private final Storage storage;
    private final String location;
    private final CommitLog log;

    private DeltaTable(Storage storage, String location) {
        this.storage = storage;
        this.location = location;
        this.log = new CommitLog(storage, location);
    }

    /** The table in a folder, which need not exist. */
    public static DeltaTable at(Storage storage, String location) {
        return new DeltaTable(storage, storage.canonical(location));
    }

    /** The table's folder. */
    public String location() {
        return location;
    }

    /** Whether there is a table. */
    public boolean exists() {
        return log.latestVersion().isPresent();
    }

    /**
     * The greatest version.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_NOT_FOUND}
     */
    public long latestVersion() {
        return log.latestVersion().orElseThrow(this::notFound);
    }

    /** The table at its latest version; nothing if there is no table. */
    public Optional<Snapshot> latest() {
        return exists() ? Optional.of(snapshot()) : Optional.empty();
    }

    /**
     * The table at its latest version.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_NOT_FOUND}, {@link ErrorCode#LOG_CORRUPT} or
     *     {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED}
     */
    public Snapshot snapshot() {
        checkFolder();
        return new Snapshot(storage, location, ReplayedLog.latest(storage, location));
    }

    /**
     * The table at a version.
     *
     * @throws TidemarkException as {@link #snapshot()}, and with {@link ErrorCode#VERSION_NOT_FOUND}
     */
    public Snapshot at(long version) {
        checkFolder();
        long latest = latestVersion();
        if (version < 0 || version > latest) {
            throw TidemarkException.of(ErrorCode.VERSION_NOT_FOUND, "table " + location + " has no version " + version)
                    .detail("Its latest version is " + latest + ".")
                    .build();
        }
        return new Snapshot(storage, location, ReplayedLog.at(storage, location, version));
    }

    /**
     * The table as it was at a time: the greatest version that is not younger.
     *
     * @throws TidemarkException as {@link #snapshot()}, and with {@link ErrorCode#TIMESTAMP_OUT_OF_RANGE} if the time
     *     lies before the first version that can be read, or after the last
     */
    public Snapshot asOf(Instant time) {
        checkFolder();
        long version = ReplayedLog.latest(storage, location).versionAt(time.toEpochMilli());
        return new Snapshot(storage, location, ReplayedLog.at(storage, location, version));
    }

    /** The whole history that the log still holds, newest first. */
    public List<CommitRecord> history() {
        return history(Integer.MAX_VALUE);
    }

    /**
     * The history, newest first.
     *
     * @param limit how many entries at most
     * @throws TidemarkException with {@link ErrorCode#TABLE_NOT_FOUND} or {@link ErrorCode#LOG_CORRUPT}
     */
    public List<CommitRecord> history(int limit) {
        latestVersion();
        List<FileInfo> commits = log.commitsFrom(0);
        long[] times = ascendingTimes(commits);
        List<CommitRecord> records = new ArrayList<>();
        for (int i = commits.size() - 1; i >= 0 && records.size() < limit; i--) {
            long version = LogFiles.commitVersion(commits.get(i).name()).orElseThrow();
            CommitInfo info = CommitLog.info(log.read(version)).orElse(CommitRecord.SILENT);
            long time = info.inCommitTimestamp().orElse(times[i]);
            records.add(new CommitRecord(version, Instant.ofEpochMilli(time), info));
        }
        return Collections.unmodifiableList(records);
    }

    /** The versions whose entries the log still holds, ascending. */
    public List<Long> versions() {
        List<Long> versions = new ArrayList<>();
        for (FileInfo commit : log.commitsFrom(0)) {
            versions.add(LogFiles.commitVersion(commit.name()).orElseThrow());
        }
        return Collections.unmodifiableList(versions);
    }

    /**
     * The actions of one commit, in the order of the log. Actions of unknown kinds are left out.
     *
     * @throws TidemarkException with {@link ErrorCode#VERSION_NOT_FOUND} if the log has no entry of that version,
     *     {@link ErrorCode#LOG_CORRUPT} if it is broken
     */
    public List<Action> actions(long version) {
        return Collections.unmodifiableList(log.read(version));
    }

    /**
     * Begins the making of the table, which {@link Transaction#commit} completes. Files may be added in the same
     * commit.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_EXISTS}, {@link ErrorCode#TABLE_SCHEMA_INVALID},
     *     {@link ErrorCode#INVALID_SETTING} or {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED}
     */
    public Transaction create(TableDefinition definition) {
        if (exists()) {
            throw TidemarkException.of(ErrorCode.TABLE_EXISTS, "there is a Delta table at " + location)
                    .build();
        }
        return Transaction.creating(storage, location, definition);
    }

    @Override
    public String toString() {
        return location;
    }

    /** File times may stand still or go back; history and time travel raise them alike. */
    private static long[] ascendingTimes(List<FileInfo> commits) {
        long[] times = new long[commits.size()];
        for (int i = 0; i < times.length; i++) {
            long time = commits.get(i).modified().toEpochMilli();
            times[i] = i == 0 ? time : Math.max(time, times[i - 1] + 1);
        }
        return times;
    }

    private void checkFolder() {
        if (!storage.isFolder(log.folder())) {
            throw notFound();
        }
    }

    private TidemarkException notFound() {
        return TidemarkException.of(ErrorCode.TABLE_NOT_FOUND, "there is no Delta table at " + location)
                .build();
    }
}
