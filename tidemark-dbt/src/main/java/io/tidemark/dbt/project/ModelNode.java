package io.tidemark.dbt.project;

import io.tidemark.core.error.TextLocation;
import io.tidemark.dbt.jinja.Templates.Template;
import java.util.Optional;

/**
 * A model or seed of a project, which snapshots may read.
 *
 * @param name its name
 * @param kind how it exists
 * @param schema the schema in which it is, or would be
 * @param identifier what it is called there
 * @param template its query; absent for seeds
 * @param location where it is
 */
public record ModelNode(
        String name, Kind kind, String schema, String identifier, Optional<Template> template, TextLocation location) {
    /** How a model exists. */
    public enum Kind {
        /** As a query that readers take in: {@code view} and {@code ephemeral}. */
        QUERY,
        /** As a table that must be there. */
        TABLE
    }
}
