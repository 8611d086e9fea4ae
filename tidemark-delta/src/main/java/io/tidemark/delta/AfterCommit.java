package io.tidemark.delta;

import io.tidemark.delta.kernel.ReplayedLog;
import io.tidemark.delta.log.ActionJson;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.storage.Storage;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows a commit to keep the log quick to read. The commit stands whatever happens here, so failures are only
 * logged.
 *
 * <p>Every {@code delta.checkpointInterval} versions (10 unless set) a checkpoint and a checksum file are written. With
 * a checkpoint of the latest version, log entries go that are older than {@code delta.logRetentionDuration} (30 days
 * unless set) and that a remaining checkpoint covers; {@code delta.enableExpiredLogCleanup=false} keeps them all.
 */
final class AfterCommit {
    private static final Logger LOG = LoggerFactory.getLogger(AfterCommit.class);

    private AfterCommit() {}

    static void run(Storage storage, String table, long version, Metadata metadata) {
        if (version == 0 || version % TableProperties.checkpointInterval(metadata) != 0) {
            return;
        }
        try {
            CrashPoints.reach(CrashPoints.BEFORE_CHECKPOINT);
            ReplayedLog latest = ReplayedLog.latest(storage, table);
            ReplayedLog log = latest.version() == version ? latest : ReplayedLog.at(storage, table, version);
            log.writeCheckpoint();
            CrashPoints.reach(CrashPoints.AFTER_CHECKPOINT);
            writeChecksum(storage, table, log);
        } catch (RuntimeException | LinkageError e) {
            LOG.warn("version {} of {} is committed, but its checkpoint could not be written", version, table, e);
        }
    }

    /** Kernel's own writer fails on tables where some files have deletion vectors and some have not. */
    private static void writeChecksum(Storage storage, String table, ReplayedLog log) {
        AtomicLong files = new AtomicLong();
        AtomicLong bytes = new AtomicLong();
        log.forEachFile(add -> {
            files.incrementAndGet();
            bytes.addAndGet(add.size());
        });
        Metadata metadata = log.metadata();
        boolean keepsTimestamps = TableProperties.flag(metadata, TableProperties.ENABLE_IN_COMMIT_TIMESTAMPS);
        String text = ActionJson.writeChecksum(
                log.protocol(), metadata, files.get(), bytes.get(), keepsTimestamps ? log.timestampMillis() : null);
        String folder = storage.child(table, LogFiles.FOLDER);
        storage.createIfAbsent(
                storage.child(folder, LogFiles.checksumName(log.version())), text.getBytes(StandardCharsets.UTF_8));
    }
}
