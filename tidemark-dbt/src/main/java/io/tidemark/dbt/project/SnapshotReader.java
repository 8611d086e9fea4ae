package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Templates.Template;
import io.tidemark.dbt.project.ProjectReader.SnapshotProperties;
import io.tidemark.dbt.project.SnapshotBlocks.Block;
import io.tidemark.dbt.yaml.YamlNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Makes the snapshots of a project out of blocks, YAML entries and the options of {@code dbt_project.yml}. */
final class SnapshotReader {
    private static final Set<String> TREE_OPTIONS = treeOptions();

    private final ProjectFiles files;
    private final String projectName;
    private final Target target;
    private final NodeCompiler compiler;
    private final ConfigTree tree;
    private final Map<String, SnapshotNode> nodes = new LinkedHashMap<>();
    private final Map<String, TextLocation> places = new LinkedHashMap<>();

    SnapshotReader(ProjectFiles files, String projectName, Target target, NodeCompiler compiler, YamlNode snapshots) {
        this.files = files;
        this.projectName = projectName;
        this.target = target;
        this.compiler = compiler;
        this.tree = new ConfigTree(snapshots, TREE_OPTIONS);
    }

    private static Set<String> treeOptions() {
        Set<String> options = new java.util.HashSet<>(SettingsReader.SUPPORTED);
        options.add("docs");
        return Set.copyOf(options);
    }

    List<SnapshotNode> read(List<String> folders, Map<String, SnapshotProperties> properties) {
        for (ProjectFiles.Found file : files.find(folders, ".sql")) {
            String text = files.read(file.path());
            for (Block block : SnapshotBlocks.find(files.shown(file.path()), text)) {
                List<String> fullName = new ArrayList<>(List.of(projectName));
                fullName.addAll(file.folders());
                fullName.add(file.stem());
                fullName.add(block.name());
                SnapshotProperties beside = properties.get(block.name());
                if (beside != null && beside.relation().isPresent()) {
                    throw duplicate(block.name(), beside.location());
                }
                add(
                        block.name(),
                        file.path(),
                        fullName,
                        block.template(),
                        block.location(),
                        Optional.ofNullable(beside));
            }
        }
        properties.forEach((name, entry) -> {
            if (entry.relation().isPresent()) {
                YamlNode relation = entry.relation().get();
                String call =
                        relation.text().strip().replaceAll("^\\{\\{|}}$", "").strip();
                Template template = new Template(
                        "select * from {{ " + call + " }}",
                        relation.location().file(),
                        relation.location().line());
                List<String> fullName = new ArrayList<>(List.of(projectName));
                fullName.addAll(entry.folders());
                fullName.add(name);
                add(name, entry.path(), fullName, template, entry.location(), Optional.of(entry));
            } else if (!places.containsKey(name)) {
                throw TidemarkException.of(
                                ErrorCode.UNKNOWN_NODE,
                                "there are properties of a snapshot " + name + ", but no snapshot")
                        .at(entry.location())
                        .hint("give it a relation: ref('model'), or define it in a block {% snapshot " + name + " %}")
                        .build();
            }
        });
        return List.copyOf(nodes.values());
    }

    private static TidemarkException duplicate(String name, TextLocation place) {
        return TidemarkException.of(ErrorCode.DUPLICATE_NAME, "there are two snapshots " + name)
                .at(place)
                .build();
    }

    private void add(
            String name,
            String path,
            List<String> fullName,
            Template template,
            TextLocation location,
            Optional<SnapshotProperties> properties) {
        if (places.put(name, location) != null) {
            throw duplicate(name, location);
        }
        Map<String, YamlNode> config = tree.of(fullName);
        properties.ifPresent(entry -> ConfigTree.merge(config, entry.config()));
        NodeCompiler.Parsed parsed = compiler.parse(template, name, config);
        ConfigTree.merge(config, parsed.config());
        YamlNode enabled = config.get("enabled");
        if (enabled != null && !enabled.isNull() && !enabled.flag()) {
            return;
        }
        SnapshotSettings settings = SettingsReader.read(
                name, config, properties.map(SnapshotProperties::docs).orElse(() -> PersistedDocs.NONE), location);
        checkDatabase(name, config, location);
        Optional<String> literal = NodeCompiler.text(config, "target_schema");
        String schema = literal.orElseGet(
                () -> compiler.schemaName(NodeCompiler.text(config, "schema"), name, "snapshot", location));
        String identifier = compiler.aliasName(NodeCompiler.text(config, "alias"), name, location);
        nodes.values().stream()
                .filter(other -> other.schema().equalsIgnoreCase(schema)
                        && other.identifier().equalsIgnoreCase(identifier))
                .findFirst()
                .ifPresent(other -> {
                    throw TidemarkException.of(
                                    ErrorCode.DUPLICATE_NAME,
                                    "snapshots " + other.name() + " and " + name + " have one table, " + schema + "."
                                            + identifier)
                            .at(location)
                            .detail("The other one is defined at " + other.location() + ".")
                            .hint("give one of them an alias or a schema of its own")
                            .build();
                });
        nodes.put(
                name,
                new SnapshotNode(
                        name,
                        path,
                        fullName,
                        template,
                        settings,
                        ConfigTree.hooks(config, "pre_hook"),
                        ConfigTree.hooks(config, "post_hook"),
                        schema,
                        identifier,
                        ConfigTree.texts(config, "tags"),
                        parsed.references(),
                        location));
    }

    /** A warehouse is one database: another one than the target's has no place in it. */
    private void checkDatabase(String name, Map<String, YamlNode> config, TextLocation location) {
        for (String option : List.of("target_database", "database")) {
            Optional<String> database = NodeCompiler.text(config, option);
            if (database.isPresent() && !database.get().equalsIgnoreCase(target.database())) {
                YamlNode node = config.get(option);
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "snapshot " + name + " has " + option + " " + database.get()
                                        + ", but a warehouse has no databases")
                        .at(node == null ? location : node.location())
                        .hint("leave it out, or keep snapshots of each database in a schema of its own")
                        .build();
            }
        }
    }
}
