package io.tidemark.dbt.project;

import io.tidemark.dbt.yaml.YamlNode;
import java.util.Optional;

/**
 * Which parts of names are quoted in SQL that a database runs.
 *
 * @param database the database
 * @param schema the schema
 * @param identifier the table
 */
public record Quoting(boolean database, boolean schema, boolean identifier) {
    /** What dbt does without settings. */
    public static final Quoting ALL = new Quoting(true, true, true);

    Quoting with(Optional<YamlNode> settings) {
        if (settings.isEmpty()) {
            return this;
        }
        YamlNode node = settings.get();
        return new Quoting(
                node.get("database").map(YamlNode::flag).orElse(database),
                node.get("schema").map(YamlNode::flag).orElse(schema),
                node.get("identifier").map(YamlNode::flag).orElse(identifier));
    }

    /** A name as SQL has it. */
    public String name(Optional<String> databaseName, String schemaName, String name) {
        String text = databaseName
                .filter(given -> !given.isEmpty())
                .map(given -> part(given, database) + ".")
                .orElse("");
        return text + part(schemaName, schema) + "." + part(name, identifier);
    }

    private static String part(String name, boolean quoted) {
        return quoted ? '"' + name.replace("\"", "\"\"") + '"' : name;
    }
}
