package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.flow.ColumnReference;

/**
 * {@code column = value}.
 *
 * @param column the column of the target
 * @param value an expression over the values before the change
 */
public record ColumnAssignment(ColumnReference column, QueryText value) {}
