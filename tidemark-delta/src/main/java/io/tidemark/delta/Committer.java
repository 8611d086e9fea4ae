package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.conflict.Attempt;
import io.tidemark.delta.conflict.Conflict;
import io.tidemark.delta.conflict.ConflictChecker;
import io.tidemark.delta.conflict.IsolationLevel;
import io.tidemark.delta.conflict.ReadSet;
import io.tidemark.delta.conflict.TouchedFile;
import io.tidemark.delta.conflict.Verdict;
import io.tidemark.delta.conflict.WinningCommit;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.ActionJson;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import io.tidemark.delta.vector.RowPositions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives staged changes a version: look at the commits that came in between, and if none is a conflict, create the log
 * entry of the next version. Creating it is the one moment at which the table changes.
 */
final class Committer {
    private static final Logger LOG = LoggerFactory.getLogger(Committer.class);
    private static final int ATTEMPTS_MAX = 1000;
    private static final long NO_TABLE_VERSION = -1;

    private final Storage storage;
    private final String table;
    private final @Nullable Snapshot base;
    private final StagedChanges changes;
    private final ReadSet reads;
    private final CommitLog log;
    private final Metadata metadata;
    private final Protocol protocol;
    private final boolean protocolChanged;
    private final IsolationLevel level;
    /** The time of the last commit that is known, which a later one must exceed. */
    private long lastTimestamp;

    Committer(Storage storage, String table, @Nullable Snapshot base, StagedChanges changes, ReadSet reads) {
        this.storage = storage;
        this.table = table;
        this.base = base;
        this.changes = changes;
        this.reads = reads;
        this.log = new CommitLog(storage, table);
        this.metadata = metadataAfter(base, changes);
        Protocol before = base == null ? ProtocolUpgrade.MINIMUM : base.protocol();
        Optional<Protocol> upgraded = ProtocolUpgrade.upgrade(before, neededFeatures());
        this.protocol = upgraded.orElse(before);
        this.protocolChanged = base == null || upgraded.isPresent();
        this.level = levelOf();
    }

    CommitOutcome commit() {
        TableFeatures.checkWritable(table, protocol, metadata);
        storage.createFolders(log.folder());
        if (keepsTimestamps() && base != null) {
            lastTimestamp = base.timestamp().toEpochMilli();
        }
        changes.makeDurable(storage, table);
        Attempt attempt = firstAttempt();
        Map<String, DeletionVectorDescriptor> vectors = writeVectors(attempt);
        long next = readVersion() + 1;
        for (int tries = 0; tries < ATTEMPTS_MAX; tries++) {
            long latest = log.latestVersion().orElse(NO_TABLE_VERSION);
            Verdict verdict = checkAll(attempt, next, latest);
            if (verdict instanceof Verdict.Refused refused) {
                deleteVectors(vectors);
                return new CommitOutcome.Rejected(table, refused.conflict());
            }
            Attempt rebased = ((Verdict.Passed) verdict).attempt();
            if (!rebased.touched().equals(attempt.touched())
                    || !rebased.deletedFromOutputs().equals(attempt.deletedFromOutputs())) {
                deleteVectors(vectors);
                vectors = writeVectors(rebased);
            }
            attempt = rebased;
            next = Math.max(next, latest + 1);
            CreateResult result = create(next, actions(attempt, vectors));
            if (result.failure() != null) {
                return new CommitOutcome.Unknown(table, changes.transactionId, result.failure());
            }
            if (result.created()) {
                CrashPoints.reach(CrashPoints.AFTER_LOG_WRITE);
                AfterCommit.run(storage, table, next, metadata);
                return new CommitOutcome.Committed(next);
            }
        }
        deleteVectors(vectors);
        return new CommitOutcome.Rejected(table, starved(next));
    }

    /** What became of an attempt to create a log entry. */
    private record CreateResult(boolean created, @Nullable RuntimeException failure) {}

    private CreateResult create(long version, List<Action> actions) {
        byte[] content = content(version, actions);
        CrashPoints.reach(CrashPoints.BEFORE_LOG_WRITE);
        try {
            return new CreateResult(storage.createIfAbsent(log.file(version), content), null);
        } catch (RuntimeException e) {
            return afterFailure(version, e);
        }
    }

    /** A failed creation may have taken place all the same: the log knows. */
    private CreateResult afterFailure(long version, RuntimeException failure) {
        boolean ours;
        // An interrupt is a reason to stop, but not to leave it open whether the table changed.
        boolean interrupted = Thread.interrupted();
        try {
            if (!log.has(version)) {
                if (mayStillTakeEffect(failure)) {
                    return new CreateResult(false, failure);
                }
                throw new CertainFailure(failure);
            }
            ours = CommitLog.info(log.read(version))
                    .flatMap(CommitInfo::txnId)
                    .filter(changes.transactionId::equals)
                    .isPresent();
        } catch (CertainFailure e) {
            throw failure;
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            return new CreateResult(false, failure);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        if (ours) {
            LOG.warn(
                    "version {} of {} was committed although its creation reported a failure", version, table, failure);
        }
        return new CreateResult(ours, null);
    }

    /** A request that is still on its way to a store may create the entry after we have looked. */
    private static boolean mayStillTakeEffect(RuntimeException failure) {
        return failure instanceof TidemarkException error && error.code() == ErrorCode.WRITE_OUTCOME_UNKNOWN;
    }

    /** Marks a failure after which the log entry is certain not to exist. */
    private static final class CertainFailure extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CertainFailure(RuntimeException cause) {
            super(cause);
        }
    }

    private Attempt firstAttempt() {
        Attempt.Purpose purpose = new Attempt.Purpose(
                changes.metadata != null,
                protocolChanged,
                !changes.dataChange,
                changes.domains.keySet(),
                changes.transactions.keySet());
        return new Attempt(level, reads, purpose, changes.touched(), changes.rearranged(), Map.of());
    }

    private Verdict checkAll(Attempt attempt, long from, long to) {
        ConflictChecker checker = new ConflictChecker(this::deletedRows, this::isWritable);
        Attempt current = attempt;
        for (long version = from; version <= to; version++) {
            WinningCommit winner = new WinningCommit(version, log.read(version));
            Verdict verdict = checker.check(current, winner);
            if (!(verdict instanceof Verdict.Passed passed)) {
                return verdict;
            }
            current = passed.attempt();
            CommitLog.info(winner.actions())
                    .flatMap(CommitInfo::inCommitTimestamp)
                    .ifPresent(time -> lastTimestamp = Math.max(lastTimestamp, time));
        }
        return new Verdict.Passed(current);
    }

    private RowPositions deletedRows(@Nullable DeletionVectorDescriptor vector) {
        return vector == null ? RowPositions.empty() : DeletionVectors.read(storage, table, vector);
    }

    private boolean isWritable(Protocol newer) {
        try {
            TableFeatures.checkWritable(table, newer, metadata);
            return newer.writerFeatures().containsAll(protocol.writerFeatures());
        } catch (TidemarkException e) {
            return false;
        }
    }

    private Map<String, DeletionVectorDescriptor> writeVectors(Attempt attempt) {
        if (attempt.touched().values().stream().noneMatch(TouchedFile.RowsDeleted.class::isInstance)
                && attempt.deletedFromOutputs().isEmpty()) {
            return Map.of();
        }
        CrashPoints.reach(CrashPoints.BEFORE_VECTOR_WRITE);
        Map<String, DeletionVectorDescriptor> vectors = changes.writeVectors(storage, table, attempt);
        CrashPoints.reach(CrashPoints.AFTER_VECTOR_WRITE);
        return vectors;
    }

    /** After a rejection, and only then, it is certain that nobody names the file of our vectors. */
    private void deleteVectors(Map<String, DeletionVectorDescriptor> vectors) {
        try {
            vectors.values().stream()
                    .map(vector -> DeletionVectors.file(storage, table, vector))
                    .distinct()
                    .forEach(storage::delete);
        } catch (TidemarkException e) {
            LOG.warn("an unused deletion vector of {} stays behind", table, e);
        }
    }

    private List<Action> actions(Attempt attempt, Map<String, DeletionVectorDescriptor> vectors) {
        List<Action> actions = new ArrayList<>();
        if (protocolChanged) {
            actions.add(protocol);
        }
        if (changes.metadata != null) {
            actions.add(metadata);
        }
        actions.addAll(changes.transactions.values());
        actions.addAll(changes.domains.values());
        actions.addAll(changes.fileActions(attempt, vectors));
        return actions;
    }

    private byte[] content(long version, List<Action> actions) {
        long now = System.currentTimeMillis();
        if (beginsToKeepTimestamps()) {
            // Times of files that stand still are raised when they are read: ours must exceed what readers see.
            new CommitTimes(log, false).last().ifPresent(last -> lastTimestamp = Math.max(lastTimestamp, last));
        }
        long timestamp = keepsTimestamps() ? Math.max(now, lastTimestamp + 1) : now;
        UnaryOperator<Action> finish =
                action -> action instanceof Metadata changed ? withTimestampStart(changed, version, timestamp) : action;
        StringBuilder text = new StringBuilder();
        text.append(ActionJson.write(info(now, timestamp))).append('\n');
        for (Action action : actions) {
            text.append(ActionJson.write(finish.apply(action))).append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private CommitInfo info(long now, long timestamp) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("timestamp", now);
        if (keepsTimestamps()) {
            values.put("inCommitTimestamp", timestamp);
        }
        values.put("operation", changes.operation);
        values.put("operationParameters", new LinkedHashMap<>(changes.parameters));
        if (base != null) {
            values.put("readVersion", base.version());
        }
        values.put("isolationLevel", level.logName());
        values.put("isBlindAppend", isBlindAppend());
        values.put("operationMetrics", new LinkedHashMap<>(changes.metrics));
        if (changes.userMetadata != null) {
            values.put("userMetadata", changes.userMetadata);
        }
        values.put("engineInfo", Release.ENGINE_INFO);
        values.put("txnId", changes.transactionId);
        return new CommitInfo(values);
    }

    private boolean isBlindAppend() {
        return reads.readsNoRows() && !changes.removesRows() && changes.changeFiles.isEmpty();
    }

    private boolean beginsToKeepTimestamps() {
        return base != null
                && keepsTimestamps()
                && !TableProperties.flag(base.metadata(), TableProperties.ENABLE_IN_COMMIT_TIMESTAMPS);
    }

    /** A table that begins to keep times must say from which version on. */
    private Metadata withTimestampStart(Metadata changed, long version, long timestamp) {
        if (!beginsToKeepTimestamps()) {
            return changed;
        }
        Map<String, String> properties = new LinkedHashMap<>(changed.configuration());
        properties.put(TableProperties.IN_COMMIT_TIMESTAMP_VERSION, Long.toString(version));
        properties.put(TableProperties.IN_COMMIT_TIMESTAMP_TIME, Long.toString(timestamp));
        return changed.withConfiguration(properties);
    }

    private boolean keepsTimestamps() {
        return TableProperties.flag(metadata, TableProperties.ENABLE_IN_COMMIT_TIMESTAMPS);
    }

    private Set<String> neededFeatures() {
        Set<String> features = new TreeSet<>(changes.requestedFeatures);
        if (changes.metadata != null) {
            features.addAll(ProtocolUpgrade.needed(metadata));
        }
        if (!changes.domains.isEmpty() || features.contains(TableFeatures.CLUSTERING)) {
            features.add(TableFeatures.DOMAIN_METADATA);
        }
        return features;
    }

    private IsolationLevel levelOf() {
        boolean changesNoData = !changes.dataChange && changes.onlyTouchesFiles();
        return changesNoData ? IsolationLevel.SNAPSHOT : TableProperties.isolationLevel(metadata);
    }

    private long readVersion() {
        return base == null ? NO_TABLE_VERSION : base.version();
    }

    private Conflict starved(long version) {
        return new Conflict(
                ErrorCode.CONCURRENT_TRANSACTION,
                version,
                "many operations",
                "Other commits came first " + ATTEMPTS_MAX + " times in a row.",
                List.of());
    }

    private static Metadata metadataAfter(@Nullable Snapshot base, StagedChanges changes) {
        Metadata changed = changes.metadata;
        if (changed != null) {
            return changed;
        }
        if (base == null) {
            throw new IllegalStateException("a new table without metadata");
        }
        return base.metadata();
    }
}
