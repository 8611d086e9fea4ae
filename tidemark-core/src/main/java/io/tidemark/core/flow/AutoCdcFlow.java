package io.tidemark.core.flow;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A change flow ({@code AUTO CDC INTO}), as written; {@link AutoCdcRules} checks what can be checked without a schema.
 *
 * @param name the flow's name
 * @param target the table
 * @param once whether it runs once
 * @param query a SELECT over what stands behind FROM; of FROM SNAPSHOT the snapshot's query
 * @param keys KEYS
 * @param ignoreNullUpdates IGNORE NULL UPDATES with its columns
 * @param deleteWhen condition of APPLY AS DELETE WHEN
 * @param truncateWhen condition of APPLY AS TRUNCATE WHEN
 * @param sequenceBy expression of SEQUENCE BY; empty for snapshots, whose version is the sequence
 * @param systemSequenceBy expression of SYSTEM SEQUENCE BY
 * @param columns COLUMNS; all source columns if absent
 * @param storedAs STORED AS; type 1 if absent
 * @param trackHistory TRACK HISTORY ON; all columns if absent
 * @param columnsToUpdate COLUMNS TO UPDATE
 * @param comment the comment
 * @param location where the definition begins
 * @param places where the clauses begin, as far as they are written
 * @param snapshot what tells the versions of FROM SNAPSHOT; absent for flows of events
 */
public record AutoCdcFlow(
        String name,
        TableName target,
        boolean once,
        QueryText query,
        List<ColumnReference> keys,
        Optional<ColumnSelection> ignoreNullUpdates,
        Optional<QueryText> deleteWhen,
        Optional<QueryText> truncateWhen,
        QueryText sequenceBy,
        Optional<QueryText> systemSequenceBy,
        Optional<ColumnSelection> columns,
        ScdType storedAs,
        Optional<ColumnSelection> trackHistory,
        Optional<ColumnReference> columnsToUpdate,
        Optional<String> comment,
        TextLocation location,
        Map<Clause, TextLocation> places,
        Optional<SnapshotSource> snapshot)
        implements FlowDefinition {
    /** Copies the collections. */
    public AutoCdcFlow {
        keys = List.copyOf(keys);
        places = Map.copyOf(places);
    }

    /** A flow of events. */
    public AutoCdcFlow(
            String name,
            TableName target,
            boolean once,
            QueryText query,
            List<ColumnReference> keys,
            Optional<ColumnSelection> ignoreNullUpdates,
            Optional<QueryText> deleteWhen,
            Optional<QueryText> truncateWhen,
            QueryText sequenceBy,
            Optional<QueryText> systemSequenceBy,
            Optional<ColumnSelection> columns,
            ScdType storedAs,
            Optional<ColumnSelection> trackHistory,
            Optional<ColumnReference> columnsToUpdate,
            Optional<String> comment,
            TextLocation location,
            Map<Clause, TextLocation> places) {
        this(
                name,
                target,
                once,
                query,
                keys,
                ignoreNullUpdates,
                deleteWhen,
                truncateWhen,
                sequenceBy,
                systemSequenceBy,
                columns,
                storedAs,
                trackHistory,
                columnsToUpdate,
                comment,
                location,
                places,
                Optional.empty());
    }

    /** The parts of a definition to which errors point. */
    public enum Clause {
        /** What stands behind FROM. */
        FROM,
        /** KEYS. */
        KEYS,
        /** WITH VERSION of FROM SNAPSHOT. */
        VERSION,
        /** SEQUENCE BY. */
        SEQUENCE_BY,
        /** SYSTEM SEQUENCE BY. */
        SYSTEM_SEQUENCE_BY,
        /** IGNORE NULL UPDATES. */
        IGNORE_NULL,
        /** APPLY AS DELETE WHEN. */
        DELETE_WHEN,
        /** APPLY AS TRUNCATE WHEN. */
        TRUNCATE_WHEN,
        /** STORED AS. */
        STORED_AS,
        /** TRACK HISTORY ON. */
        TRACK_HISTORY,
        /** COLUMNS. */
        COLUMNS,
        /** COLUMNS TO UPDATE. */
        COLUMNS_TO_UPDATE
    }

    /** Where a clause begins, or the definition if the clause is not written; a snapshot's sequence is its version. */
    public TextLocation place(Clause clause) {
        boolean versionDecides = isSnapshot() && (clause == Clause.SEQUENCE_BY || clause == Clause.SYSTEM_SEQUENCE_BY);
        TextLocation otherwise = versionDecides
                ? places.getOrDefault(Clause.VERSION, places.getOrDefault(Clause.FROM, location))
                : location;
        return places.getOrDefault(clause, otherwise);
    }

    /** Whether events may leave columns as they are. */
    public boolean isPartial() {
        return ignoreNullUpdates.isPresent() || columnsToUpdate.isPresent();
    }

    /** Whether the flow reads whole snapshots instead of events. */
    public boolean isSnapshot() {
        return snapshot.isPresent();
    }

    /** This flow with another query: a snapshot's query with its version written into it. */
    public AutoCdcFlow reading(QueryText other) {
        return new AutoCdcFlow(
                name,
                target,
                once,
                other,
                keys,
                ignoreNullUpdates,
                deleteWhen,
                truncateWhen,
                sequenceBy,
                systemSequenceBy,
                columns,
                storedAs,
                trackHistory,
                columnsToUpdate,
                comment,
                location,
                places,
                snapshot);
    }
}
