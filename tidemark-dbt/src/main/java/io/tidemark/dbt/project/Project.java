package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Templates.Template;
import io.tidemark.sql.grammar.Words;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A dbt project as far as its snapshots need it. Used by one thread. */
public final class Project {
    private final String name;
    private final Path folder;
    private final Target target;
    private final NodeCompiler compiler;
    private final Map<String, ModelNode> models = new LinkedHashMap<>();
    private final Map<String, SourceTable> sources;
    private final Map<String, SnapshotNode> snapshots = new LinkedHashMap<>();

    Project(String name, Path folder, Target target, NodeCompiler compiler, Map<String, SourceTable> sources) {
        this.name = name;
        this.folder = folder;
        this.target = target;
        this.compiler = compiler;
        this.sources = new LinkedHashMap<>(sources);
    }

    /**
     * Reads a project with all of its snapshots.
     *
     * @throws TidemarkException {@code PROJECT_INVALID}, {@code TEMPLATE_FAILED}, {@code SNAPSHOT_CONFIG_INVALID},
     *     {@code UNKNOWN_NODE}, {@code ADAPTER_UNSUPPORTED} or {@code UNSUPPORTED_FEATURE}, with file and line
     */
    public static Project read(ProjectOptions options) {
        return new ProjectReader(options).read();
    }

    /** The project's name. */
    public String name() {
        return name;
    }

    /** The project's folder, at which relative paths of its sources begin. */
    public Path folder() {
        return folder;
    }

    /** Where the project's SQL is meant to run. */
    public Target target() {
        return target;
    }

    /** The snapshots that are enabled, each behind those that it reads. */
    public List<SnapshotNode> snapshots() {
        List<SnapshotNode> ordered = new ArrayList<>();
        Set<String> done = new LinkedHashSet<>();
        snapshots.values().forEach(node -> order(node, done, new LinkedHashSet<>(), ordered));
        return ordered;
    }

    private void order(SnapshotNode node, Set<String> done, Set<String> above, List<SnapshotNode> ordered) {
        if (done.contains(node.name())) {
            return;
        }
        if (!above.add(node.name())) {
            throw TidemarkException.of(
                            ErrorCode.GRAPH_CYCLE, "snapshots read each other in a circle: " + String.join(", ", above))
                    .at(node.location())
                    .build();
        }
        for (String before : snapshotsReadBy(node)) {
            snapshot(before).ifPresent(each -> order(each, done, above, ordered));
        }
        above.remove(node.name());
        done.add(node.name());
        ordered.add(node);
    }

    /** The snapshots that a snapshot reads, directly or through models that are queries. */
    public Set<String> snapshotsReadBy(SnapshotNode node) {
        Set<String> found = new LinkedHashSet<>();
        Set<String> seen = new LinkedHashSet<>();
        List<String> names = new ArrayList<>(node.references());
        while (!names.isEmpty()) {
            String each = names.remove(0);
            if (!seen.add(each)) {
                continue;
            }
            if (snapshots.containsKey(each)) {
                found.add(each);
            } else {
                names.addAll(compiler.referencesOfModel(each));
            }
        }
        return found;
    }

    /** The SQL of a snapshot's query. */
    public String compile(SnapshotNode node, References references) {
        return compiler.compile(node, references);
    }

    /** The statements of a hook of a snapshot. */
    public String compile(SnapshotNode node, Template hook, References references) {
        return compiler.compile(node, hook, references);
    }

    /** The SQL of a model's query. */
    public String compile(ModelNode model, References references) {
        return compiler.compile(model, references);
    }

    void add(SnapshotNode node) {
        snapshots.put(node.name(), node);
    }

    Optional<SnapshotNode> snapshot(String wanted) {
        return Optional.ofNullable(snapshots.get(wanted));
    }

    Optional<ModelNode> model(String wanted) {
        ModelNode known = models.get(wanted);
        if (known == null) {
            Optional<ModelNode> found = compiler.findModel(wanted);
            found.ifPresent(model -> models.put(wanted, model));
            return found;
        }
        return Optional.of(known);
    }

    SourceTable source(String source, String table) {
        SourceTable found = sources.get(source + "." + table);
        if (found == null) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_NODE, "the project has no source " + source + " with a table " + table)
                    .hint(Words.nearest(source + "." + table, sources.keySet())
                            .map(near -> "did you mean " + near + "?")
                            .orElse("declare it below sources: in a YAML file of the folders of models or snapshots"))
                    .build();
        }
        return found;
    }

    Set<String> nodeNames() {
        Set<String> names = new LinkedHashSet<>(compiler.modelNames());
        names.addAll(snapshots.keySet());
        return names;
    }

    /** A template with the text of a file. */
    static Template template(ProjectFiles files, String path) {
        return new Template(files.read(path), files.shown(path), 1);
    }
}
