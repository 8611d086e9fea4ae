package io.tidemark.dbt.project;

import io.tidemark.core.error.TextLocation;
import io.tidemark.dbt.yaml.YamlNode;
import java.util.Map;
import java.util.Optional;

/**
 * A table that a project declares as a source.
 *
 * @param source name of the source
 * @param name name of the table in the project
 * @param database where it is, if the project says so
 * @param schema where it is
 * @param identifier what it is called there
 * @param quoting what of its name is quoted
 * @param meta free entries of the source and the table, the table's first
 * @param location where it is declared
 */
public record SourceTable(
        String source,
        String name,
        Optional<String> database,
        String schema,
        String identifier,
        Quoting quoting,
        Map<String, YamlNode> meta,
        TextLocation location) {
    /** Copies the map. */
    public SourceTable {
        meta = Map.copyOf(meta);
    }

    /** A free entry as text. */
    public Optional<String> meta(String key) {
        return Optional.ofNullable(meta.get(key)).filter(node -> !node.isNull()).map(YamlNode::text);
    }
}
