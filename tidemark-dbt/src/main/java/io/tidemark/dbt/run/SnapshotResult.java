package io.tidemark.dbt.run;

import java.util.List;
import java.util.OptionalLong;

/**
 * What a run did to a snapshot.
 *
 * @param snapshot its name
 * @param table its table
 * @param status what came of it
 * @param counts numbers of rows and keys
 * @param version version of the table that the run made, if it made one
 * @param warnings what its user should know
 * @param millis how long it took, in milliseconds
 */
public record SnapshotResult(
        String snapshot,
        String table,
        Status status,
        Counts counts,
        OptionalLong version,
        List<String> warnings,
        long millis) {
    /** Copies the list. */
    public SnapshotResult {
        warnings = List.copyOf(warnings);
    }

    /** What came of a run. */
    public enum Status {
        /** The table was made. */
        CREATED,
        /** The table was changed. */
        UPDATED,
        /** Nothing was to be done, and nothing was committed. */
        UNCHANGED,
        /** A snapshot that it reads failed. */
        SKIPPED,
        /** It failed, and nothing was committed. */
        FAILED
    }

    /**
     * Numbers of a run.
     *
     * @param sourceRows rows of the source; 0 if it was not read
     * @param newKeys keys that got their first version, or came back
     * @param changedKeys keys whose current version was closed by another one
     * @param deletedKeys keys that vanished and were closed
     * @param removedRows rows that were taken out because they would have begun after their end
     * @param missedChanges keys whose data changed without their time moving forward, so that no version was made
     */
    public record Counts(
            long sourceRows, long newKeys, long changedKeys, long deletedKeys, long removedRows, long missedChanges) {
        /** Nothing happened. */
        public static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0);
    }
}
