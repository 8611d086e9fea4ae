package io.tidemark.delta;

import io.tidemark.core.type.StructType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a new table shall be.
 *
 * @param schema columns, partition columns included
 * @param partitionColumns names of the partition columns; empty for none
 * @param clusteringColumns names of the clustering columns; empty for none
 * @param properties table properties; {@code delta.feature.<name>=supported} makes the protocol list a feature
 * @param comment the table's comment, if any
 */
public record TableDefinition(
        StructType schema,
        List<String> partitionColumns,
        List<String> clusteringColumns,
        Map<String, String> properties,
        @Nullable String comment) {
    /** Copies lists and maps. */
    public TableDefinition {
        partitionColumns = List.copyOf(partitionColumns);
        clusteringColumns = List.copyOf(clusteringColumns);
        properties = Map.copyOf(properties);
    }

    /**
     * Checks the value of a property that the transaction layer obeys; others are not looked at.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code INVALID_SETTING}
     */
    public static void checkProperty(String name, String value) {
        TableProperties.checkSettings(Map.of(name, value));
    }

    /** A plain table of these columns. */
    public static TableDefinition of(StructType schema) {
        return new TableDefinition(schema, List.of(), List.of(), Map.of(), null);
    }

    /** This, partitioned. */
    public TableDefinition partitionedBy(String... columns) {
        return new TableDefinition(schema, List.of(columns), clusteringColumns, properties, comment);
    }

    /** This, clustered. */
    public TableDefinition clusteredBy(String... columns) {
        return new TableDefinition(schema, partitionColumns, List.of(columns), properties, comment);
    }

    /** This with one more property. */
    public TableDefinition with(String property, String value) {
        Map<String, String> more = new LinkedHashMap<>(properties);
        more.put(property, value);
        return new TableDefinition(schema, partitionColumns, clusteringColumns, more, comment);
    }

    /** This with a comment. */
    public TableDefinition commented(String text) {
        return new TableDefinition(schema, partitionColumns, clusteringColumns, properties, text);
    }

    /** The comment, if there is one. */
    public Optional<String> optionalComment() {
        return Optional.ofNullable(comment);
    }
}
