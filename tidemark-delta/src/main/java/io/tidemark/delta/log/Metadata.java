package io.tidemark.delta.log;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a table is: schema, partitioning and properties.
 *
 * @param id the table's unique id
 * @param name its name, if it has one
 * @param description its comment, if it has one
 * @param formatProvider format of the data files, always {@code parquet}
 * @param formatOptions options of the format
 * @param schemaString the schema as JSON text, see {@link SchemaJson}
 * @param partitionColumns names of the partition columns, in order
 * @param configuration the table's properties
 * @param createdTime when this was written first, in milliseconds since 1970
 */
public record Metadata(
        String id,
        @Nullable String name,
        @Nullable String description,
        String formatProvider,
        Map<String, String> formatOptions,
        String schemaString,
        List<String> partitionColumns,
        Map<String, String> configuration,
        @Nullable Long createdTime)
        implements Action {
    /** Copies lists and maps. */
    public Metadata {
        formatOptions = Map.copyOf(formatOptions);
        partitionColumns = List.copyOf(partitionColumns);
        configuration = Map.copyOf(configuration);
    }

    /** The same table with another schema. */
    public Metadata withSchema(String otherSchemaString) {
        return new Metadata(
                id,
                name,
                description,
                formatProvider,
                formatOptions,
                otherSchemaString,
                partitionColumns,
                configuration,
                createdTime);
    }

    /** The same table with other properties. */
    public Metadata withConfiguration(Map<String, String> otherConfiguration) {
        return new Metadata(
                id,
                name,
                description,
                formatProvider,
                formatOptions,
                schemaString,
                partitionColumns,
                otherConfiguration,
                createdTime);
    }

    /** The same table with another comment. */
    public Metadata withDescription(@Nullable String otherDescription) {
        return new Metadata(
                id,
                name,
                otherDescription,
                formatProvider,
                formatOptions,
                schemaString,
                partitionColumns,
                configuration,
                createdTime);
    }
}
