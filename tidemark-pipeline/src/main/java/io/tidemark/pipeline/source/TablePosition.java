package io.tidemark.pipeline.source;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.pipeline.state.FlowEntry.Position;
import java.util.Optional;

/**
 * Positions in tables that are read commit by commit. A table may have been made anew, or its folder put back to an
 * older copy and written since: then the versions that follow are not the continuation of those that were read.
 */
final class TablePosition {
    private static final String REBUILD = "rebuild the target with --full-refresh";

    private TablePosition() {}

    /** The position behind a version. */
    static Position behind(String source, DeltaTable table, Snapshot snapshot) {
        return new Position(
                source, Optional.of(snapshot.tableId()), snapshot.version(), mark(table, snapshot.version()));
    }

    /**
     * Checks that a table goes on where a position ended.
     *
     * @param name the table's name for the user
     * @throws TidemarkException with {@code SOURCE_START_GONE}
     */
    static void check(Position from, DeltaTable table, Snapshot snapshot, String name, TextLocation location) {
        if (!from.sourceId().equals(Optional.of(snapshot.tableId()))) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_START_GONE,
                            "table " + name + " is not the one that the flow has read so far")
                    .at(location)
                    .detail("It was made anew since.")
                    .hint(REBUILD)
                    .build();
        }
        if (from.at() > snapshot.version()) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_START_GONE,
                            "table " + name + " is at version " + snapshot.version() + ", but the flow has read up to "
                                    + from.at())
                    .at(location)
                    .hint(REBUILD)
                    .build();
        }
        Optional<String> now = from.commit().isPresent() ? mark(table, from.at()) : Optional.empty();
        if (now.isPresent() && !now.equals(from.commit())) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_START_GONE,
                            "version " + from.at() + " of table " + name + " is not the one that the flow has read")
                    .at(location)
                    .detail("The table was put back to an older state of its folder and written since: the flow read "
                            + from.commit().get() + ", the log has " + now.get() + ".")
                    .hint(REBUILD)
                    .build();
        }
    }

    /** What a commit says of itself that another one of the same version would not say. */
    private static Optional<String> mark(DeltaTable table, long version) {
        Optional<CommitInfo> info = table.commitInfo(version);
        Optional<String> transaction = info.flatMap(CommitInfo::txnId).map(id -> "transaction " + id);
        if (transaction.isPresent()) {
            return transaction;
        }
        Optional<Long> time = info.flatMap(CommitInfo::inCommitTimestamp);
        return (time.isPresent() ? time : info.flatMap(CommitInfo::timestamp)).map(millis -> "time " + millis);
    }
}
