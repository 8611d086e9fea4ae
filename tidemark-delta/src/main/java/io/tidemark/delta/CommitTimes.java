package io.tidemark.delta;

import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.storage.FileInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The times of the commits whose log entries exist: those in the log where the table keeps them, else those of the
 * entries' files. File times may stand still or go back; they are raised so that they ascend with versions, alike for
 * history, time travel and change data feed.
 */
final class CommitTimes {
    private final CommitLog log;
    private final boolean inLog;
    private final long[] versions;
    private final long[] fileTimes;

    /**
     * Lists the commits.
     *
     * @param inLog whether entries may hold times of their own, which only reading them tells
     */
    CommitTimes(CommitLog log, boolean inLog) {
        this.log = log;
        this.inLog = inLog;
        List<FileInfo> commits = log.commitsFrom(0);
        this.versions = new long[commits.size()];
        this.fileTimes = new long[commits.size()];
        for (int i = 0; i < versions.length; i++) {
            long time = commits.get(i).modified().toEpochMilli();
            versions[i] = LogFiles.commitVersion(commits.get(i).name()).orElseThrow();
            fileTimes[i] = i == 0 ? time : Math.max(time, fileTimes[i - 1] + 1);
        }
    }

    /** Whether entries may hold times of their own. */
    boolean areInLog() {
        return inLog;
    }

    int count() {
        return versions.length;
    }

    long version(int index) {
        return versions[index];
    }

    /** The raised time of the newest entry's file, in milliseconds since 1970; nothing if there is no entry. */
    OptionalLong last() {
        return fileTimes.length == 0 ? OptionalLong.empty() : OptionalLong.of(fileTimes[fileTimes.length - 1]);
    }

    /** The time of a commit whose entry was read. */
    Instant time(int index, @Nullable CommitInfo info) {
        Optional<Long> said = info == null ? Optional.empty() : info.inCommitTimestamp();
        return Instant.ofEpochMilli(said.orElse(fileTimes[index]));
    }

    /** The first version that is not older than a time. */
    OptionalLong from(Instant time) {
        for (int i = 0; i < versions.length; i++) {
            if (!time(i).isBefore(time)) {
                return OptionalLong.of(versions[i]);
            }
        }
        return OptionalLong.empty();
    }

    /** The last version that is not younger than a time. */
    OptionalLong upTo(Instant time) {
        for (int i = versions.length - 1; i >= 0; i--) {
            if (!time(i).isAfter(time)) {
                return OptionalLong.of(versions[i]);
            }
        }
        return OptionalLong.empty();
    }

    private Instant time(int index) {
        return time(index, inLog ? log.info(versions[index]).orElse(null) : null);
    }
}
