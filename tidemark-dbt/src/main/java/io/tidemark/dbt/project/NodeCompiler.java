package io.tidemark.dbt.project;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Callable;
import io.tidemark.dbt.jinja.Templates;
import io.tidemark.dbt.jinja.Templates.Template;
import io.tidemark.dbt.yaml.YamlNode;
import io.tidemark.sql.grammar.Words;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Renders the SQL of models and snapshots, and finds out what their {@code config()} and {@code ref()} say. */
final class NodeCompiler {
    /** Options of models that decide how they are read. */
    private static final Set<String> MODEL_OPTIONS =
            Set.of("materialized", "schema", "database", "alias", "enabled", "tags", "meta");

    private static final Set<String> QUERIES = Set.of("view", "ephemeral");
    private static final Set<String> TABLES = Set.of("table", "incremental", "materialized_view");
    private static final String GENERATE_SCHEMA_NAME = "generate_schema_name";
    private static final String GENERATE_ALIAS_NAME = "generate_alias_name";

    private final ProjectFiles files;
    private final String projectName;
    private final Target target;
    private final Templates templates;
    private final TemplateScope scope;
    private final ConfigTree modelConfig;
    private final Map<String, Map<String, YamlNode>> modelProperties;
    private final Map<String, ProjectFiles.Found> modelFiles;
    private final Map<String, ProjectFiles.Found> seeds;
    private final Map<String, Parsed> parsedModels = new LinkedHashMap<>();
    private @Nullable Project project;

    NodeCompiler(
            ProjectFiles files,
            String projectName,
            Target target,
            Templates templates,
            TemplateScope scope,
            YamlNode models,
            Map<String, Map<String, YamlNode>> modelProperties,
            Map<String, ProjectFiles.Found> modelFiles,
            Map<String, ProjectFiles.Found> seeds) {
        this.files = files;
        this.projectName = projectName;
        this.target = target;
        this.templates = templates;
        this.scope = scope;
        this.modelConfig = new ConfigTree(models, MODEL_OPTIONS);
        this.modelProperties = modelProperties;
        this.modelFiles = modelFiles;
        this.seeds = seeds;
    }

    void setProject(Project owner) {
        this.project = owner;
    }

    private Project owner() {
        Project known = project;
        if (known == null) {
            throw new IllegalStateException("the project is not read yet");
        }
        return known;
    }

    /**
     * What a template says when it is rendered for the first time.
     *
     * @param config options of its {@code config()} calls, later ones over earlier ones
     * @param references names that it refers to
     */
    record Parsed(Map<String, YamlNode> config, Set<String> references) {}

    /** Renders a template without relations being there. */
    Parsed parse(Template template, String node, Map<String, YamlNode> known) {
        Map<String, YamlNode> config = new LinkedHashMap<>();
        Set<String> references = new LinkedHashSet<>();
        RelationName something = new RelationName(target.database(), target.schema(), node, '"' + node + '"');
        Map<String, Callable> functions = new LinkedHashMap<>();
        functions.put("config", arguments -> {
            Map<String, @Nullable Object> given = new LinkedHashMap<>();
            arguments.positional().forEach(each -> {
                if (each instanceof Map<?, ?> map) {
                    map.forEach((key, value) -> given.put(String.valueOf(key), value));
                }
            });
            given.putAll(arguments.named());
            Map<String, YamlNode> options = new LinkedHashMap<>();
            given.forEach((key, value) -> options.put(key, YamlNode.of(value, arguments.location())));
            ConfigTree.merge(config, options);
            return "";
        });
        functions.put("ref", arguments -> {
            references.add(referenceName(arguments));
            return something;
        });
        functions.put("source", arguments -> {
            sourceTable(arguments);
            return something;
        });
        Map<String, YamlNode> seen = new LinkedHashMap<>(known);
        templates.render(
                template,
                nodeScope(
                        functions,
                        node,
                        () -> {
                            ConfigTree.merge(seen, config);
                            return seen;
                        },
                        something));
        return new Parsed(config, references);
    }

    String compile(SnapshotNode node, References references) {
        return render(node.template(), node.name(), references.self(), references);
    }

    String compile(SnapshotNode node, Template hook, References references) {
        return render(hook, node.name(), references.self(), references);
    }

    String compile(ModelNode model, References references) {
        RelationName self = new RelationName(target.database(), model.schema(), model.identifier(), model.identifier());
        return render(model.template().orElseThrow(), model.name(), self, references);
    }

    private String render(Template template, String node, RelationName self, References references) {
        Map<String, Callable> functions = new LinkedHashMap<>();
        functions.put("config", arguments -> "");
        functions.put("ref", arguments -> relation(referenceName(arguments), references));
        functions.put("source", arguments -> references.source(sourceTable(arguments)));
        return templates
                .render(template, nodeScope(functions, node, Map::of, self))
                .strip();
    }

    private Templates.Scope nodeScope(
            Map<String, Callable> functions,
            String node,
            java.util.function.Supplier<Map<String, YamlNode>> config,
            RelationName self) {
        functions.put("is_incremental", arguments -> false);
        Map<String, @Nullable Object> variables = new LinkedHashMap<>();
        variables.put("this", self);
        variables.put("model", nodeFacts(node, "snapshot"));
        Callable get = arguments -> {
            YamlNode value = config.get()
                    .get(arguments.get(0, "name").map(Object::toString).orElse(""));
            return value == null ? arguments.get(1, "default").orElse("") : value.plain();
        };
        variables.put("config", Map.<String, @Nullable Object>of("get", get, "require", get));
        return scope.with(variables, functions);
    }

    private static Map<String, @Nullable Object> nodeFacts(String node, String kind) {
        Map<String, @Nullable Object> facts = new LinkedHashMap<>();
        facts.put("name", node);
        facts.put("resource_type", kind);
        return facts;
    }

    private RelationName relation(String wanted, References references) {
        Optional<SnapshotNode> snapshot = owner().snapshot(wanted);
        if (snapshot.isPresent()) {
            return references.snapshot(snapshot.get());
        }
        return references.model(owner().model(wanted)
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.UNKNOWN_NODE, "the project has no model, seed or snapshot " + wanted)
                        .hint(Words.nearest(wanted, owner().nodeNames())
                                .map(near -> "did you mean " + near + "?")
                                .orElse("models are files of " + projectName + "'s folders of models"))
                        .build()));
    }

    private String referenceName(Callable.Arguments arguments) {
        List<String> names =
                arguments.positional().stream().map(String::valueOf).toList();
        if (arguments.named().containsKey("v") || arguments.named().containsKey("version")) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, "ref() of a version of a model is not supported")
                    .build();
        }
        if (names.size() == 2 && !names.get(0).equals(projectName)) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "ref() of a model of another package is not supported: " + names.get(0))
                    .hint("declare its table as a source")
                    .build();
        }
        if (names.isEmpty() || names.size() > 2) {
            throw TidemarkException.of(ErrorCode.TEMPLATE_FAILED, "ref() takes the name of a model")
                    .build();
        }
        return names.get(names.size() - 1);
    }

    private SourceTable sourceTable(Callable.Arguments arguments) {
        Optional<Object> source = arguments.get(0, "source_name");
        Optional<Object> table = arguments.get(1, "table_name");
        if (source.isEmpty() || table.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.TEMPLATE_FAILED, "source() takes the names of a source and of a table of it")
                    .build();
        }
        return owner().source(source.get().toString(), table.get().toString());
    }

    Set<String> modelNames() {
        Set<String> names = new LinkedHashSet<>(modelFiles.keySet());
        names.addAll(seeds.keySet());
        return names;
    }

    /** The names that a model's query refers to; none if it is a table, which exists whatever it was made of. */
    Set<String> referencesOfModel(String name) {
        Optional<ModelNode> model = owner().model(name);
        return model.isPresent() && model.get().kind() == ModelNode.Kind.QUERY
                ? parsed(name).references()
                : Set.of();
    }

    private Parsed parsed(String name) {
        Parsed known = parsedModels.get(name);
        if (known == null) {
            ProjectFiles.Found file = modelFiles.get(name);
            if (file == null) {
                return new Parsed(Map.of(), Set.of());
            }
            known = parse(Project.template(files, file.path()), name, Map.of());
            parsedModels.put(name, known);
        }
        return known;
    }

    Optional<ModelNode> findModel(String name) {
        ProjectFiles.Found seed = seeds.get(name);
        if (seed != null) {
            TextLocation place = new TextLocation(files.shown(seed.path()), 1, 1);
            String schema = schemaName(Optional.empty(), name, "seed", place);
            return Optional.of(new ModelNode(name, ModelNode.Kind.TABLE, schema, name, Optional.empty(), place));
        }
        ProjectFiles.Found file = modelFiles.get(name);
        if (file == null) {
            return Optional.empty();
        }
        TextLocation place = new TextLocation(files.shown(file.path()), 1, 1);
        if (file.path().endsWith(".py")) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE, "model " + name + " is written in Python: " + file.path())
                    .hint("declare its table as a source")
                    .build();
        }
        Map<String, YamlNode> config = modelConfig.of(fullName(file, name));
        ConfigTree.merge(config, modelProperties.getOrDefault(name, Map.of()));
        ConfigTree.merge(config, parsed(name).config());
        String materialized = text(config, "materialized").orElse("view");
        if (!QUERIES.contains(materialized) && !TABLES.contains(materialized)) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "model " + name + " is materialized as " + materialized + ", which is not supported")
                    .hint("declare what it makes as a source")
                    .build();
        }
        ModelNode.Kind kind = QUERIES.contains(materialized) ? ModelNode.Kind.QUERY : ModelNode.Kind.TABLE;
        String schema = schemaName(text(config, "schema"), name, "model", place);
        String identifier = aliasName(text(config, "alias"), name, place);
        return Optional.of(new ModelNode(
                name, kind, schema, identifier, Optional.of(Project.template(files, file.path())), place));
    }

    /** The full name of a model: project, folders, name. */
    private List<String> fullName(ProjectFiles.Found file, String name) {
        List<String> parts = new ArrayList<>();
        parts.add(projectName);
        parts.addAll(file.folders());
        parts.add(name);
        return parts;
    }

    /** The schema of a node: by the project's macro if it has one, else by dbt's rule. */
    String schemaName(Optional<String> custom, String node, String kind, TextLocation place) {
        return macro(GENERATE_SCHEMA_NAME, custom, node, kind, place);
    }

    /** The name of a node's table: by the project's macro if it has one, else its alias or name. */
    String aliasName(Optional<String> alias, String node, TextLocation place) {
        return templates.defines(scope.plain(), GENERATE_ALIAS_NAME)
                ? macro(GENERATE_ALIAS_NAME, alias, node, "model", place)
                : alias.orElse(node);
    }

    private String macro(String name, Optional<String> custom, String node, String kind, TextLocation place) {
        String result = templates.call(
                name,
                Arrays.<@Nullable Object>asList(custom.orElse(null), nodeFacts(node, kind)),
                scope.plain(),
                place);
        if (result.isEmpty()) {
            throw TidemarkException.of(ErrorCode.PROJECT_INVALID, "the macro " + name + " gives no name for " + node)
                    .at(place)
                    .build();
        }
        return result;
    }

    static Optional<String> text(Map<String, YamlNode> config, String name) {
        return Optional.ofNullable(config.get(name))
                .filter(node -> !node.isNull())
                .map(YamlNode::text)
                .filter(text -> !text.isBlank());
    }
}
