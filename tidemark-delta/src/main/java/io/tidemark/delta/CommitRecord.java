package io.tidemark.delta;

import io.tidemark.delta.log.CommitInfo;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * One line of a table's history.
 *
 * @param version the version that the commit made
 * @param timestamp its time: the one in the log if the table keeps it, else that of the log entry's file, raised where
 *     needed so that times ascend with versions
 * @param info what the writer said about it; empty if it said nothing
 */
public record CommitRecord(long version, Instant timestamp, CommitInfo info) {
    /** A commit whose writer said nothing. */
    static final CommitInfo SILENT = new CommitInfo(Map.of());

    /** The name of the operation. */
    public Optional<String> operation() {
        return info.operation();
    }
}
