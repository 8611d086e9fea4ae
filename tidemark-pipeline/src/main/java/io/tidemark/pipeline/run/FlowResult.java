package io.tidemark.pipeline.run;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What one update of a flow or materialized view did.
 *
 * @param name the flow's or view's name
 * @param target the table's name
 * @param status how it ended
 * @param rowsRead rows that the flow's query gave
 * @param metrics counters by name, in order: {@code num_upserted_rows} and {@code num_deleted_rows} of change flows,
 *     {@code num_output_rows} of append flows and materialized views
 * @param version the target's version that the update made; empty if it made none
 * @param millis how long it took, in milliseconds
 */
public record FlowResult(
        String name,
        String target,
        Status status,
        long rowsRead,
        Map<String, Long> metrics,
        OptionalLong version,
        long millis) {
    /** Counter of change flows: rows inserted or changed. */
    public static final String UPSERTED_ROWS = "num_upserted_rows";
    /** Counter of change flows: rows removed from the visible target. */
    public static final String DELETED_ROWS = "num_deleted_rows";
    /** Counter of append flows and materialized views: rows written. */
    public static final String OUTPUT_ROWS = "num_output_rows";
    /** Counter of change flows: events without key or sequence that were dropped, as the target's property allows. */
    public static final String DROPPED_ROWS = "num_dropped_rows";
    /** Counter of change flows: events older than a tombstone that was forgotten. */
    public static final String LATE_ROWS = "num_late_rows_after_forgotten";

    /** Copies the counters. */
    public FlowResult {
        metrics = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
    }

    /** This result with the time that it took. */
    public FlowResult took(long duration) {
        return new FlowResult(name, target, status, rowsRead, metrics, version, duration);
    }

    /** How an update ended. */
    public enum Status {
        /** It made a version. */
        UPDATED,
        /** There was no new input, or no difference: nothing was committed. */
        UNCHANGED,
        /** A ONCE flow that has run before, or an update that would have read a dataset that failed. */
        SKIPPED,
        /** Another run had applied the same input. */
        ALREADY_APPLIED
    }
}
