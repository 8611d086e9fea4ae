package io.tidemark.core.flow;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import java.util.List;
import java.util.Optional;

/**
 * A change flow ({@code AUTO CDC INTO}), as written; {@link AutoCdcRules} checks what can be checked without a schema.
 *
 * @param name the flow's name
 * @param target the table
 * @param once whether it runs once
 * @param query a SELECT over what stands behind FROM
 * @param keys KEYS
 * @param ignoreNullUpdates IGNORE NULL UPDATES with its columns
 * @param deleteWhen condition of APPLY AS DELETE WHEN
 * @param truncateWhen condition of APPLY AS TRUNCATE WHEN
 * @param sequenceBy expression of SEQUENCE BY
 * @param systemSequenceBy expression of SYSTEM SEQUENCE BY
 * @param columns COLUMNS; all source columns if absent
 * @param storedAs STORED AS; type 1 if absent
 * @param trackHistory TRACK HISTORY ON; all columns if absent
 * @param columnsToUpdate COLUMNS TO UPDATE
 * @param comment the comment
 * @param location where the definition begins
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
        TextLocation location)
        implements FlowDefinition {
    /** Copies the keys. */
    public AutoCdcFlow {
        keys = List.copyOf(keys);
    }

    /** Whether events may leave columns as they are. */
    public boolean isPartial() {
        return ignoreNullUpdates.isPresent() || columnsToUpdate.isPresent();
    }
}
