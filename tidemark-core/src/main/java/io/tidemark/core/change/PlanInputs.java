package io.tidemark.core.change;

import java.util.List;
import java.util.Optional;

/**
 * Names of the relations that a plan reads, and facts that are not relations.
 *
 * @param prefix start of the names of all relations that the plan makes
 * @param events staged events: the columns of {@link EventStaging} and {@link EventStaging#ORDINAL}
 * @param target the target's rows: its columns under their own names, {@link #FILE} and {@link #ROW}, and
 *     {@link #SEQUENCE} where {@link ChangeSpec#needsTargetSequence} says so
 * @param state the pinned state: the columns of {@link ChangeSpec#stateSchema} and {@link #RUN}; absent = nothing is
 *     remembered
 * @param manual rows that others changed since the last update; absent = none did
 * @param nothingThere whether the target is known to have no rows and the state no records
 * @param truncation the sequence of the newest truncate, as text per leaf
 * @param newTruncation whether that truncate came with this update
 * @param arrivedMicros when this update's events arrived, in microseconds since 1970-01-01 UTC
 * @param openRowsOnly whether the target relation leaves out rows of SCD type 2 that ended before all events of this
 *     update, which therefore stay as they are; only possible if others changed no rows and events are whole
 */
public record PlanInputs(
        String prefix,
        String events,
        String target,
        Optional<String> state,
        Optional<ManualRows> manual,
        boolean nothingThere,
        Optional<List<String>> truncation,
        boolean newTruncation,
        long arrivedMicros,
        boolean openRowsOnly) {
    /** BIGINT column of the target relation: index of the row's data file. */
    public static final String FILE = "__file";
    /** BIGINT column of the target relation: 0-based position of the row in its data file. */
    public static final String ROW = "__row";
    /** Column of the target relations with the value of SEQUENCE BY over the row's own columns. */
    public static final String SEQUENCE = "__sequence";
    /** BIGINT column of the state relation: newer state files have greater numbers. */
    public static final String RUN = "__run";

    /** Inputs with all rows of the target. */
    public PlanInputs(
            String prefix,
            String events,
            String target,
            Optional<String> state,
            Optional<ManualRows> manual,
            boolean nothingThere,
            Optional<List<String>> truncation,
            boolean newTruncation,
            long arrivedMicros) {
        this(prefix, events, target, state, manual, nothingThere, truncation, newTruncation, arrivedMicros, false);
    }

    /** The same with other events. */
    PlanInputs withEvents(String others) {
        return new PlanInputs(
                prefix,
                others,
                target,
                state,
                manual,
                nothingThere,
                truncation,
                newTruncation,
                arrivedMicros,
                openRowsOnly);
    }

    /**
     * Rows that other writers removed from or added to the target since the last update of any of its flows; a row that
     * was only moved between files is in neither or in both.
     *
     * @param removed relation with the target's columns, and {@link #SEQUENCE} as above
     * @param added relation with the target's columns, and {@link #SEQUENCE} as above
     */
    public record ManualRows(String removed, String added) {}
}
