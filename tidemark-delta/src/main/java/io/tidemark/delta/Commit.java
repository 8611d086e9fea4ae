package io.tidemark.delta;

import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.CommitInfo;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * One commit as the log holds it.
 *
 * @param version the version that it made
 * @param timestamp its time, as {@link CommitRecord#timestamp}
 * @param actions its actions in the order of the log, without those of unknown kinds
 */
public record Commit(long version, Instant timestamp, List<Action> actions) {
    /** Copies the list. */
    public Commit {
        actions = List.copyOf(actions);
    }

    /** What the writer said about it. */
    public Optional<CommitInfo> info() {
        return CommitLog.info(actions);
    }
}
