package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.kernel.ReplayedLog;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import io.tidemark.delta.vector.RowPositions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

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
     * The table at its latest version, as {@link #snapshot()}: a snapshot that was taken before, if a listing of the log
     * shows that it still is the latest one. A table that was made anew in between has an entry of another time.
     */
    public Snapshot snapshot(Snapshot known) {
        checkFolder();
        OptionalLong latest = log.latestVersion();
        boolean same = latest.isPresent()
                && latest.getAsLong() == known.version()
                && storage.info(log.file(known.version()))
                        .filter(entry -> entry.modified().toEpochMilli()
                                == known.timestamp().toEpochMilli())
                        .isPresent();
        return same ? known : snapshot();
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
        try {
            return new Snapshot(storage, location, ReplayedLog.at(storage, location, version));
        } catch (TidemarkException e) {
            throw cleanedUp(version, e).orElse(e);
        }
    }

    /** Log entries whose predecessors were cleaned up do not make the log broken. */
    private Optional<TidemarkException> cleanedUp(long version, TidemarkException failure) {
        if (failure.code() != ErrorCode.LOG_CORRUPT) {
            return Optional.empty();
        }
        OptionalLong first = log.firstReadableVersion();
        if (first.isEmpty() || version >= first.getAsLong()) {
            return Optional.empty();
        }
        return Optional.of(TidemarkException.of(
                        ErrorCode.VERSION_NOT_FOUND, "table " + location + " no longer has version " + version)
                .detail("The log before version " + first.getAsLong() + " was cleaned up.")
                .hint("delta.logRetentionDuration says how long the log is kept")
                .cause(failure)
                .build());
    }

    /**
     * The first version that {@link #at} can give. Entries of versions before it may still be in the log, if a clean-up
     * of the log was interrupted. Nothing if there is no table, or if its log is broken.
     */
    public OptionalLong firstReadableVersion() {
        return log.firstReadableVersion();
    }

    /**
     * The table as it was at a time: the greatest version that is not younger.
     *
     * @throws TidemarkException as {@link #snapshot()}, and with {@link ErrorCode#TIMESTAMP_OUT_OF_RANGE} if the time
     *     lies before the first version that can be read, or after the last
     */
    public Snapshot asOf(Instant time) {
        checkFolder();
        ReplayedLog latest = ReplayedLog.latest(storage, location);
        long millis = time.toEpochMilli();
        OptionalLong raised = millis > latest.timestampMillis() ? versionByRaisedTime(time) : OptionalLong.empty();
        long version = raised.isPresent() ? raised.getAsLong() : latest.versionAt(millis);
        return new Snapshot(storage, location, ReplayedLog.at(storage, location, version));
    }

    /**
     * Times of files that stand still are raised in the history, and so may run ahead of the time of the last file: the
     * version of such a time, or nothing if it lies after all of them or the table keeps its times in the log.
     */
    private OptionalLong versionByRaisedTime(Instant time) {
        CommitTimes times = times();
        OptionalLong last = times.last();
        boolean within = last.isPresent() && time.toEpochMilli() <= last.getAsLong();
        return within && !times.areInLog() ? times.upTo(time) : OptionalLong.empty();
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
        CommitTimes times = new CommitTimes(log, false);
        List<CommitRecord> records = new ArrayList<>();
        for (int i = times.count() - 1; i >= 0 && records.size() < limit; i--) {
            CommitInfo info = CommitLog.info(log.read(times.version(i))).orElse(CommitRecord.SILENT);
            records.add(new CommitRecord(times.version(i), times.time(i, info), info));
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
     * Calls for the commits of a range of versions, oldest first; both bounds are part of it. Versions whose log entries
     * are gone are left out.
     *
     * @throws TidemarkException with {@link ErrorCode#LOG_CORRUPT} if an entry is broken
     */
    public void commits(long first, long last, Consumer<Commit> action) {
        CommitTimes times = new CommitTimes(log, false);
        for (int i = 0; i < times.count(); i++) {
            long version = times.version(i);
            if (version >= first && version <= last) {
                List<Action> actions = log.read(version);
                action.accept(new Commit(
                        version, times.time(i, CommitLog.info(actions).orElse(null)), actions));
            }
        }
    }

    /** The first version whose log entry exists and that is not older than a time. */
    public OptionalLong firstVersionFrom(Instant time) {
        return times().from(time);
    }

    /** The last version whose log entry exists and that is not younger than a time. */
    public OptionalLong lastVersionUpTo(Instant time) {
        return times().upTo(time);
    }

    private CommitTimes times() {
        boolean inLog = TableProperties.flag(snapshot().metadata(), TableProperties.ENABLE_IN_COMMIT_TIMESTAMPS);
        return new CommitTimes(log, inLog);
    }

    /** What the writer of a version said about it; nothing if it said nothing or its log entry is gone. */
    public Optional<CommitInfo> commitInfo(long version) {
        return log.info(version);
    }

    /** Whether there is a file in the table's folder or at an absolute place. */
    public boolean hasFile(String location) {
        return storage.info(location).isPresent();
    }

    /** Where a file is whose path stands in the log. */
    public String resolve(String logPath) {
        return storage.resolve(location, logPath);
    }

    /**
     * Loads a deletion vector of the log.
     *
     * @throws TidemarkException with {@link ErrorCode#LOG_CORRUPT} if it is missing or broken
     */
    public RowPositions positions(DeletionVectorDescriptor vector) {
        return DeletionVectors.read(storage, location, vector);
    }

    /** The file that holds a deletion vector; nothing if the log itself does. */
    public Optional<String> vectorFile(DeletionVectorDescriptor vector) {
        return vector.storageType().equals(DeletionVectorDescriptor.INLINE)
                ? Optional.empty()
                : Optional.of(DeletionVectors.file(storage, location, vector));
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
