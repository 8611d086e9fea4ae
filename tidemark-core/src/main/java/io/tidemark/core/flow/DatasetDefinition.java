package io.tidemark.core.flow;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A table or view that a pipeline defines. */
public sealed interface DatasetDefinition {
    /** The name. */
    TableName name();

    /** Where the definition begins. */
    TextLocation location();

    /**
     * A Delta table that flows write ({@code CREATE STREAMING TABLE}).
     *
     * @param name the name
     * @param table what stands behind the name
     * @param location where the definition begins
     */
    record StreamingTable(TableName name, TableClauses table, TextLocation location) implements DatasetDefinition {}

    /**
     * A Delta table that always equals its query ({@code CREATE MATERIALIZED VIEW}).
     *
     * @param name the name
     * @param table what stands behind the name
     * @param query the query
     * @param location where the definition begins
     */
    record MaterializedView(TableName name, TableClauses table, QueryText query, TextLocation location)
            implements DatasetDefinition {}

    /**
     * A named query.
     *
     * @param name the name
     * @param temporary whether it is known in the pipeline only; otherwise it is stored in the warehouse
     * @param columns new names of the query's columns; empty = as the query names them
     * @param comment the comment
     * @param query the query
     * @param location where the definition begins
     */
    record View(
            TableName name,
            boolean temporary,
            List<String> columns,
            Optional<String> comment,
            QueryText query,
            TextLocation location)
            implements DatasetDefinition {
        /** Copies the list. */
        public View {
            columns = List.copyOf(columns);
        }
    }

    /**
     * What a table's definition says beside its name.
     *
     * @param columns declared columns; empty = from the queries
     * @param comment the comment
     * @param properties table properties
     * @param clusterBy clustering columns; empty = none
     * @param partitionBy partition columns; empty = none
     * @param propertyPlaces where properties stand, as far as they are written in a text
     */
    record TableClauses(
            List<ColumnDefinition> columns,
            Optional<String> comment,
            Map<String, String> properties,
            List<ColumnReference> clusterBy,
            List<ColumnReference> partitionBy,
            Map<String, TextLocation> propertyPlaces) {
        /** No clause at all. */
        public static final TableClauses NONE =
                new TableClauses(List.of(), Optional.empty(), Map.of(), List.of(), List.of(), Map.of());

        /** Copies the collections. */
        public TableClauses {
            columns = List.copyOf(columns);
            properties = Map.copyOf(properties);
            clusterBy = List.copyOf(clusterBy);
            partitionBy = List.copyOf(partitionBy);
            propertyPlaces = Map.copyOf(propertyPlaces);
        }
    }
}
