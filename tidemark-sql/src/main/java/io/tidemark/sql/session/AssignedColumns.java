package io.tidemark.sql.session;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.parse.ColumnAssignment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What each column of a table gets: an expression, or its old value, or NULL.
 *
 * @param schema the table's columns
 * @param values for each of them its new value, if it gets one
 */
record AssignedColumns(StructType schema, List<Optional<QueryText>> values) {
    static AssignedColumns of(TableName table, StructType schema, List<ColumnAssignment> assignments) {
        assignments.forEach(assignment -> known(table, schema, assignment.column()));
        return new AssignedColumns(
                schema,
                schema.fields().stream()
                        .map(field -> assignments.stream()
                                .filter(one -> one.column().name().equalsIgnoreCase(field.name()))
                                .map(ColumnAssignment::value)
                                .findFirst())
                        .toList());
    }

    /** Refuses a column that the table does not have. */
    static void known(TableName table, StructType schema, ColumnReference column) {
        if (!schema.has(column.name())) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_COLUMN, "the table " + table + " has no column " + column.name())
                    .at(column.location())
                    .hint(Words.nearest(column.name(), schema.names())
                            .map(near -> "did you mean " + near + "?")
                            .orElse("the table has " + String.join(", ", schema.names())))
                    .build();
        }
    }

    /**
     * Adds the values to a query as its columns: first others, then old values, then new ones.
     *
     * @param leading columns that come first
     * @param changed the rows whose old values stay
     * @return for each column of the table the number of the query's column
     */
    List<Integer> select(ComposedQuery query, List<String> leading, ChangedRows changed) {
        List<Integer> sources = new ArrayList<>();
        int next = leading.size();
        query.add(String.join(", ", leading));
        for (int i = 0; i < values.size(); i++) {
            StructField field = schema.fields().get(i);
            query.add(", ");
            Optional<QueryText> value = values.get(i);
            if (value.isPresent()) {
                query.addOperand(value.get());
            } else {
                query.add(changed.column(field.name()));
            }
            sources.add(next++);
        }
        return sources;
    }

    /**
     * Adds the new values alone to a query as its columns.
     *
     * @return for each column of the table the number of the query's column, null for NULL
     */
    List<@Nullable Integer> selectNew(ComposedQuery query, List<String> leading) {
        List<@Nullable Integer> sources = new ArrayList<>();
        int next = leading.size();
        query.add(String.join(", ", leading));
        for (Optional<QueryText> value : values) {
            if (value.isPresent()) {
                query.add(", ").addOperand(value.get());
                sources.add(next++);
            } else {
                sources.add(null);
            }
        }
        return sources;
    }

    /** Where each column's value stands. */
    List<TextLocation> places(TextLocation statement) {
        return values.stream()
                .map(value -> value.map(QueryText::location).orElse(statement))
                .toList();
    }
}
