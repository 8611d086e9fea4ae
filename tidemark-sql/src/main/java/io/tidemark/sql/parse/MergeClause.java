package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.ColumnReference;
import java.util.List;
import java.util.Optional;

/**
 * One WHEN of a MERGE.
 *
 * @param rows the rows that it is about
 * @param condition which of them; all if absent
 * @param action what becomes of them
 * @param location where it begins
 */
public record MergeClause(Rows rows, Optional<QueryText> condition, Action action, TextLocation location) {
    /** Which rows. */
    public enum Rows {
        /** Target rows with the source row that belongs to them. */
        MATCHED,
        /** Source rows to which no target row belongs. */
        NOT_MATCHED,
        /** Target rows to which no source row belongs. */
        NOT_MATCHED_BY_SOURCE
    }

    /** What becomes of rows. */
    public sealed interface Action {}

    /** {@code UPDATE SET column = value, …}. */
    public record Update(List<ColumnAssignment> assignments) implements Action {
        /** Copies the list. */
        public Update {
            assignments = List.copyOf(assignments);
        }
    }

    /** {@code UPDATE SET *}: each column gets the value of the source's column of that name. */
    public record UpdateAll() implements Action {}

    /** {@code DELETE}. */
    public record Delete() implements Action {}

    /** {@code INSERT (column, …) VALUES (value, …)}; both lists are of one length. */
    public record Insert(List<ColumnReference> columns, List<QueryText> values) implements Action {
        /** Copies the lists. */
        public Insert {
            columns = List.copyOf(columns);
            values = List.copyOf(values);
        }
    }

    /** {@code INSERT *}: each column gets the value of the source's column of that name. */
    public record InsertAll() implements Action {}
}
