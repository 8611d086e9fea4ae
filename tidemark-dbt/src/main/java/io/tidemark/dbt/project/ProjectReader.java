package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Templates;
import io.tidemark.dbt.jinja.Templates.Template;
import io.tidemark.dbt.yaml.YamlNode;
import io.tidemark.dbt.yaml.YamlReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the files of a project. */
final class ProjectReader {
    private static final String PROJECT_FILE = "dbt_project.yml";
    private static final String PROFILES_FILE = "profiles.yml";
    /** Options that may also stand beside {@code config}. */
    private static final List<String> BESIDE_CONFIG = List.of("tags", "meta", "docs");
    /** In macro files, blocks of other kinds that snapshots cannot use. */
    private static final Pattern OTHER_BLOCKS = Pattern.compile(
            "\\{%-?\\s*(test|materialization|docs|data_test)\\b.*?\\{%-?\\s*end\\1\\s*-?%}", Pattern.DOTALL);

    private static final Pattern RELATION = Pattern.compile(
            "(\\{\\{\\s*)?(ref|source)\\s*\\(\\s*('[^']*'|\"[^\"]*\")(\\s*,\\s*[^(){}]+)?\\s*\\)(\\s*}})?");

    private final ProjectOptions options;
    private final ProjectFiles files;
    private final Templates templates = new Templates();
    private final Map<String, @Nullable Object> variables = new LinkedHashMap<>();
    private TemplateScope scope;
    private String projectName = "";

    ProjectReader(ProjectOptions options) {
        this.options = options;
        this.files = new ProjectFiles(options.folder());
        this.scope = scope(Optional.empty(), List.of());
    }

    private TemplateScope scope(Optional<Target> target, List<Template> macros) {
        return new TemplateScope(variables, options.environment(), target, projectName, macros);
    }

    Project read() {
        Path file = options.folder().resolve(PROJECT_FILE);
        String text = ProjectFiles.readIfThere(file)
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.PROJECT_INVALID, "there is no dbt project in " + options.folder())
                        .detail("The file " + file + " does not exist.")
                        .hint("name the folder that holds dbt_project.yml")
                        .build());
        YamlNode raw = YamlReader.read(files.shown(PROJECT_FILE), text);
        projectName = raw.required("name");
        readVariables(raw);
        scope = scope(Optional.empty(), List.of());
        Target target = target(raw);
        scope = scope(Optional.of(target), List.of());
        YamlNode project = rendered(raw);
        refuseHooks(project);
        List<String> modelPaths = paths(project, "model-paths", "models");
        List<String> snapshotPaths = paths(project, "snapshot-paths", "snapshots");
        List<String> macroPaths = paths(project, "macro-paths", "macros");
        scope = scope(Optional.of(target), macros(macroPaths));

        Properties properties = properties(modelPaths, snapshotPaths, project);
        NodeCompiler compiler = new NodeCompiler(
                files,
                projectName,
                target,
                templates,
                scope,
                section(project, "models"),
                properties.models(),
                byName(files.find(modelPaths, ".sql", ".py")),
                byName(files.find(paths(project, "seed-paths", "seeds"), ".csv")));
        Project read = new Project(projectName, options.folder(), target, compiler, properties.sources());
        compiler.setProject(read);
        new SnapshotReader(files, projectName, target, compiler, section(project, "snapshots"))
                .read(snapshotPaths, properties.snapshots())
                .forEach(read::add);
        return read;
    }

    /** Statements that dbt runs before and behind snapshots, on a connection that there is none of here. */
    private static void refuseHooks(YamlNode project) {
        for (String hook : List.of("on-run-start", "on-run-end")) {
            Optional<YamlNode> given =
                    project.get(hook).filter(node -> node.items().stream().anyMatch(ProjectReader::saysSomething));
            if (given.isPresent()) {
                throw TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE, "the project has " + hook + ", which is not supported")
                        .at(given.get().location())
                        .hint("leave its statements to dbt: write them so that they are empty here, or take them out")
                        .build();
            }
        }
    }

    /** A hook may be a template that is empty for this target. */
    private static boolean saysSomething(YamlNode hook) {
        return !hook.toString().isBlank();
    }

    private static YamlNode section(YamlNode project, String name) {
        return project.get(name).orElseGet(() -> YamlNode.mapping(Map.of(), project.location()));
    }

    private List<String> paths(YamlNode project, String key, String usual) {
        return project.get(key).map(YamlNode::texts).orElse(List.of(usual));
    }

    /** Variables of the project are seen under its own name first. */
    private void readVariables(YamlNode project) {
        project.get("vars").ifPresent(vars -> {
            vars.entries().forEach((name, value) -> {
                if (!(name.equals(projectName) && value.isMapping())) {
                    variables.put(name, value.plain());
                }
            });
            vars.get(projectName)
                    .filter(YamlNode::isMapping)
                    .ifPresent(own -> own.entries().forEach((name, value) -> variables.put(name, value.plain())));
        });
        variables.putAll(options.variables());
    }

    private Target target(YamlNode project) {
        String profile = options.profile()
                .orElseGet(() -> rendered(project.get("profile")
                                .orElseThrow(() -> project.invalid("there is no profile")
                                        .hint("profile: names the entry of profiles.yml to use")
                                        .build()))
                        .text());
        Path file = profilesFile();
        String text = ProjectFiles.readIfThere(file).orElseThrow();
        YamlNode profiles = YamlReader.read(file.toString(), text);
        YamlNode chosen = profiles.get(profile)
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.PROJECT_INVALID, "there is no profile " + profile + " in " + file)
                        .at(profiles.location())
                        .hint("it has " + String.join(", ", profiles.entries().keySet()))
                        .build());
        String name = options.target()
                .orElseGet(() ->
                        chosen.get("target").map(node -> rendered(node).text()).orElse("default"));
        YamlNode outputs = chosen.get("outputs")
                .orElseThrow(() ->
                        chosen.invalid("profile " + profile + " has no outputs").build());
        YamlNode output = outputs.get(name)
                .orElseThrow(() -> outputs.invalid("profile " + profile + " has no target " + name)
                        .hint("it has " + String.join(", ", outputs.entries().keySet()))
                        .build());
        // Only the chosen output is rendered: others may ask for variables that are not set here.
        return Target.read(profile, name, rendered(output));
    }

    private Path profilesFile() {
        List<Path> folders = new ArrayList<>();
        Optional<String> said = Optional.ofNullable(options.environment().get("DBT_PROFILES_DIR"));
        if (options.profilesFolder().isPresent()) {
            folders.add(options.profilesFolder().get());
        } else if (said.isPresent()) {
            folders.add(Path.of(said.get()));
        } else {
            folders.add(options.folder());
            folders.add(
                    Path.of(options.environment().getOrDefault("HOME", System.getProperty("user.home", ".")), ".dbt"));
        }
        for (Path folder : folders) {
            Path file = folder.resolve(PROFILES_FILE);
            if (java.nio.file.Files.isRegularFile(file)) {
                return file;
            }
        }
        throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "there is no profiles.yml")
                .detail("It was looked for in "
                        + String.join(", ", folders.stream().map(Path::toString).toList()) + ".")
                .hint("name its folder with --profiles-dir")
                .build();
    }

    private List<Template> macros(List<String> macroPaths) {
        List<Template> macros = new ArrayList<>();
        for (ProjectFiles.Found file : files.find(macroPaths, ".sql")) {
            Template whole = Project.template(files, file.path());
            String text = OTHER_BLOCKS
                    .matcher(whole.text())
                    .replaceAll(block -> "\n".repeat((int)
                            block.group().chars().filter(each -> each == '\n').count()));
            macros.add(new Template(text, whole.file(), 1));
        }
        return macros;
    }

    /** Texts that are templates are rendered; what {@code as_bool}, {@code as_number}, {@code as_native} give is typed. */
    private YamlNode rendered(YamlNode node) {
        UnaryOperator<YamlNode> change = scalar -> {
            Object value = scalar.plain();
            if (!(value instanceof String text) || !(text.contains("{{") || text.contains("{%"))) {
                return scalar;
            }
            TextLocation place = scalar.location();
            String result = templates.render(new Template(text, place.file(), place.line()), scope.plain());
            boolean typed = text.contains("as_bool") || text.contains("as_number") || text.contains("as_native");
            return typed ? YamlReader.scalarOf(result, place) : YamlNode.scalar(result, place);
        };
        return node.scalars(change, ConfigTree::hasHooks);
    }

    private static Map<String, ProjectFiles.Found> byName(List<ProjectFiles.Found> found) {
        Map<String, ProjectFiles.Found> names = new LinkedHashMap<>();
        found.forEach(file -> names.put(file.stem(), file));
        return names;
    }

    /**
     * A snapshot's entry in a YAML file.
     *
     * @param path the file
     * @param folders the folders above it
     * @param config its options
     * @param relation the call that names what it reads, if it is defined here and not in a block
     * @param docs renders its descriptions, which only some snapshots need
     * @param location its place
     */
    record SnapshotProperties(
            String path,
            List<String> folders,
            Map<String, YamlNode> config,
            Optional<YamlNode> relation,
            Supplier<PersistedDocs> docs,
            TextLocation location) {}

    private record Properties(
            Map<String, SourceTable> sources,
            Map<String, Map<String, YamlNode>> models,
            Map<String, SnapshotProperties> snapshots) {}

    private Properties properties(List<String> modelPaths, List<String> snapshotPaths, YamlNode project) {
        Properties all = new Properties(new LinkedHashMap<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
        LinkedHashSet<String> folders = new LinkedHashSet<>(modelPaths);
        folders.addAll(snapshotPaths);
        Quoting quoting = Quoting.ALL.with(project.get("quoting"));
        for (ProjectFiles.Found file : files.find(List.copyOf(folders), ".yml", ".yaml")) {
            YamlNode root = YamlReader.read(files.shown(file.path()), files.read(file.path()));
            root.get("sources")
                    .ifPresent(node -> node.items()
                            .forEach(source -> sources(source, quoting).forEach(table -> {
                                String key = table.source() + "." + table.name();
                                if (all.sources().put(key, table) != null) {
                                    throw duplicate("source " + key, table.location());
                                }
                            })));
            root.get("models")
                    .ifPresent(node ->
                            node.items().forEach(model -> all.models().put(model.required("name"), config(model))));
            root.get("snapshots")
                    .ifPresent(node -> node.items().forEach(snapshot -> {
                        String name = snapshot.required("name");
                        refuseMisplacedOptions(snapshot, name);
                        SnapshotProperties properties = new SnapshotProperties(
                                file.path(),
                                file.folders(),
                                config(snapshot),
                                snapshot.get("relation").map(ProjectReader::checkedRelation),
                                () -> docs(snapshot),
                                snapshot.location());
                        if (all.snapshots().put(name, properties) != null) {
                            throw duplicate("snapshot " + name, snapshot.location());
                        }
                    }));
        }
        return all;
    }

    /** Options beside {@code config} would be left out. */
    private static void refuseMisplacedOptions(YamlNode snapshot, String name) {
        snapshot.entries().forEach((key, value) -> {
            if (SettingsReader.SUPPORTED.contains(key) && !BESIDE_CONFIG.contains(key)) {
                throw value.invalid("snapshot " + name + " has " + key + " beside config, where it is not read")
                        .hint("move it below config:")
                        .build();
            }
        });
    }

    private static TidemarkException duplicate(String what, TextLocation place) {
        return TidemarkException.of(ErrorCode.DUPLICATE_NAME, "there are two definitions of " + what)
                .at(place)
                .build();
    }

    private static YamlNode checkedRelation(YamlNode relation) {
        if (!RELATION.matcher(relation.text().strip()).matches()) {
            throw relation.invalid("relation is '" + relation.text() + "'")
                    .hint("it must be one call: ref('model') or source('source', 'table')")
                    .build();
        }
        return relation;
    }

    /** The options of an entry: those below {@code config}, and tags and meta that stand beside it. */
    private Map<String, YamlNode> config(YamlNode entry) {
        Map<String, YamlNode> config = new LinkedHashMap<>();
        for (String beside : BESIDE_CONFIG) {
            entry.get(beside).ifPresent(value -> config.put(beside, rendered(value)));
        }
        entry.get("config")
                .ifPresent(node -> ConfigTree.merge(config, rendered(node).entries()));
        return config;
    }

    /** The descriptions of an entry; empty ones are none. */
    private PersistedDocs docs(YamlNode entry) {
        Map<String, String> columns = new LinkedHashMap<>();
        for (YamlNode column : entry.get("columns").map(YamlNode::items).orElse(List.of())) {
            description(column).ifPresent(text -> columns.put(column.required("name"), text));
        }
        return new PersistedDocs(description(entry), columns);
    }

    private Optional<String> description(YamlNode entry) {
        return entry.get("description")
                .filter(node -> !node.isNull())
                .map(node -> rendered(node).text().strip())
                .filter(text -> !text.isEmpty());
    }

    private List<SourceTable> sources(YamlNode raw, Quoting usual) {
        YamlNode source = rendered(raw);
        String name = source.required("name");
        Quoting quoting = usual.with(source.get("quoting"));
        List<SourceTable> tables = new ArrayList<>();
        for (YamlNode table : source.get("tables").map(YamlNode::items).orElse(List.of())) {
            Map<String, YamlNode> meta = new LinkedHashMap<>();
            for (YamlNode level : List.of(source, table)) {
                level.get("meta").ifPresent(node -> meta.putAll(node.entries()));
                level.get("config").ifPresent(node -> {
                    node.get("meta").ifPresent(inner -> meta.putAll(inner.entries()));
                    node.get("external_location").ifPresent(place -> meta.put("external_location", place));
                    node.get("plugin").ifPresent(plugin -> meta.put("plugin", plugin));
                });
                level.get("external_location").ifPresent(place -> meta.put("external_location", place));
            }
            String tableName = table.required("name");
            tables.add(new SourceTable(
                    name,
                    tableName,
                    source.text("database").or(() -> source.text("catalog")),
                    source.text("schema").orElse(name),
                    table.text("identifier").orElse(tableName),
                    quoting.with(table.get("quoting")),
                    meta,
                    table.location()));
        }
        return tables;
    }
}
