package io.tidemark.sql.parse;

import io.tidemark.core.flow.ColumnDefinition;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.type.DataType;
import java.util.List;
import java.util.Optional;

/** A change of a table's columns or comment. */
public sealed interface TableChange {
    /** {@code ADD COLUMNS (…)}. */
    record AddColumns(List<ColumnDefinition> columns) implements TableChange {
        /** Copies the list. */
        public AddColumns {
            columns = List.copyOf(columns);
        }
    }

    /** {@code ALTER COLUMN column TYPE type}. */
    record ColumnType(ColumnReference column, DataType type) implements TableChange {}

    /** {@code ALTER COLUMN column COMMENT 'text'}. */
    record ColumnComment(ColumnReference column, String comment) implements TableChange {}

    /** {@code ALTER COLUMN column SET NOT NULL} or {@code DROP NOT NULL}. */
    record ColumnNullable(ColumnReference column, boolean nullable) implements TableChange {}

    /** {@code COMMENT ON TABLE … IS}; nothing takes the comment away. */
    record TableComment(Optional<String> comment) implements TableChange {}
}
