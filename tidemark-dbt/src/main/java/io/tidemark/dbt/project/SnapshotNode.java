package io.tidemark.dbt.project;

import io.tidemark.core.error.TextLocation;
import io.tidemark.dbt.jinja.Templates.Template;
import java.util.List;
import java.util.Set;

/**
 * A snapshot of a project.
 *
 * @param name its name
 * @param path file in which it is defined, relative to the project
 * @param fullName project, folders, file and name
 * @param template its query
 * @param settings its options, checked
 * @param preHooks statements that run before it, not rendered yet
 * @param postHooks statements that run behind it
 * @param schema schema of its table
 * @param identifier name of its table
 * @param tags marks for selection
 * @param references names of models and snapshots that its query reads directly
 * @param location where it is defined
 */
public record SnapshotNode(
        String name,
        String path,
        List<String> fullName,
        Template template,
        SnapshotSettings settings,
        List<Template> preHooks,
        List<Template> postHooks,
        String schema,
        String identifier,
        Set<String> tags,
        Set<String> references,
        TextLocation location) {
    /** Copies the collections. */
    public SnapshotNode {
        fullName = List.copyOf(fullName);
        preHooks = List.copyOf(preHooks);
        postHooks = List.copyOf(postHooks);
        tags = Set.copyOf(tags);
        references = Set.copyOf(references);
    }
}
