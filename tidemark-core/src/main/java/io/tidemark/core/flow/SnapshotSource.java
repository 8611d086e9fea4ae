package io.tidemark.core.flow;

import io.tidemark.core.engine.QueryText;
import java.util.Optional;

/** Where a change flow takes whole snapshots from ({@code FROM SNAPSHOT}), and what tells their versions. */
public sealed interface SnapshotSource {
    /** One snapshot for each update: what the flow's query gives at that time, which is the snapshot's version. */
    record Periodic() implements SnapshotSource {}

    /**
     * Snapshots that a query finds one after the other ({@code WITH VERSION}).
     *
     * @param version a query with one column that gives the version of the next snapshot, or no row if there is none;
     *     it may call {@code last_snapshot_version()}, which is NULL before the first
     */
    record Versioned(QueryText version) implements SnapshotSource {}

    /**
     * Snapshots that a Java function finds one after the other; the flow's own query is empty.
     *
     * @param next the function
     */
    record Provided(NextSnapshot next) implements SnapshotSource {}

    /** Finds the snapshot that follows another one. It is also asked when definitions are checked. */
    @FunctionalInterface
    interface NextSnapshot {
        /**
         * The next snapshot, or nothing if there is none yet.
         *
         * @param last version of the last snapshot that was applied, of the class that the function gave; absent before
         *     the first
         */
        Optional<Snapshot> after(Optional<Object> last);
    }

    /**
     * A snapshot.
     *
     * @param query a query in Spark SQL whose rows are all rows of the source; it may call
     *     {@code current_snapshot_version()}
     * @param version a Byte, Short, Integer, Long, BigDecimal, String, LocalDate, Instant or LocalDateTime; always of one
     *     class, and above that of the snapshot before it
     */
    record Snapshot(String query, Object version) {}
}
