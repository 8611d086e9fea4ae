package io.tidemark.dbt.source;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.ModelNode;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.Quoting;
import io.tidemark.dbt.project.RelationName;
import io.tidemark.dbt.project.SnapshotNode;
import io.tidemark.dbt.project.SourceTable;
import io.tidemark.dbt.run.EngineSql;
import io.tidemark.dbt.run.ProjectSql;
import io.tidemark.dbt.run.SourceQuery;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Relations of a project whose SQL runs in PostgreSQL: one query of the database gives the rows of a snapshot. Models that
 * are queries become part of it. Keys and other expressions of options run in the engine.
 */
public final class PushedDownSources implements ProjectSources {
    private static final String MODEL_PREFIX = "__dbt__cte__";
    private static final String RELATION = "__tidemark_pushed_down";

    private final Engine engine;
    private final Project project;
    private final SnapshotNode node;
    private final Map<String, String> models = new LinkedHashMap<>();
    private final Set<String> modelsInProgress = new LinkedHashSet<>();

    /** The relations of a snapshot. */
    public PushedDownSources(Engine engine, Project project, SnapshotNode node) {
        this.engine = engine;
        this.project = project;
        this.node = node;
    }

    @Override
    public ProjectSql sql() {
        return new EngineSql(engine);
    }

    @Override
    public SourceQuery query(SnapshotNode snapshot, String rendered) {
        TextLocation location =
                new TextLocation(snapshot.template().file(), snapshot.template().firstLine(), 1);
        String text = whole(rendered);
        try {
            JdbcSource.ofProfile(project).load(engine, RELATION, text);
        } catch (TidemarkException e) {
            throw e.at(location);
        }
        return new SourceQuery("SELECT * FROM " + engine.dialect().name(RELATION), location, text, Optional.empty());
    }

    /** The query with the models that it reads in front of it. */
    private String whole(String rendered) {
        String text = rendered.strip();
        while (text.endsWith(";")) {
            text = text.substring(0, text.length() - 1).strip();
        }
        if (models.isEmpty()) {
            return text;
        }
        return models.entrySet().stream()
                .map(model -> quoted(MODEL_PREFIX + model.getKey()) + " as (\n" + model.getValue() + "\n)")
                .collect(Collectors.joining(",\n", "with ", "\nselect * from (\n" + text + "\n) as __dbt__query"));
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    @Override
    public RelationName model(ModelNode model) {
        if (model.kind() == ModelNode.Kind.TABLE) {
            return named(Quoting.ALL, Optional.empty(), model.schema(), model.identifier());
        }
        if (!models.containsKey(model.name())) {
            if (!modelsInProgress.add(model.name())) {
                throw TidemarkException.of(
                                ErrorCode.GRAPH_CYCLE,
                                "models read each other in a circle: " + String.join(", ", modelsInProgress))
                        .at(model.location())
                        .build();
            }
            // Models that this one reads come first, as a query may only name what stands before it.
            String text = project.compile(model, this);
            modelsInProgress.remove(model.name());
            models.put(model.name(), text);
        }
        return new RelationName(
                project.target().database(), model.schema(), model.identifier(), quoted(MODEL_PREFIX + model.name()));
    }

    @Override
    public RelationName snapshot(SnapshotNode snapshot) {
        throw TidemarkException.of(
                        ErrorCode.UNSUPPORTED_FEATURE,
                        "snapshot " + node.name() + " reads snapshot " + snapshot.name()
                                + ", whose table is in the warehouse and not in the database")
                .hint("read a copy of it that the database has, as a source")
                .build();
    }

    @Override
    public RelationName source(SourceTable source) {
        if (source.meta("external_location").isPresent()
                || source.meta(JdbcSource.URL).isPresent()) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "source " + source.source() + "." + source.name()
                                    + " is not in the database in which the project's SQL runs")
                    .at(source.location())
                    .hint("choose a target of type duckdb for it")
                    .build();
        }
        return named(source.quoting(), source.database(), source.schema(), source.identifier());
    }

    @Override
    public RelationName self() {
        return named(Quoting.ALL, Optional.empty(), node.schema(), node.identifier());
    }

    private RelationName named(Quoting quoting, Optional<String> database, String schema, String identifier) {
        String known = database.orElse(project.target().database());
        return new RelationName(known, schema, identifier, quoting.name(Optional.of(known), schema, identifier));
    }

    @Override
    public String tableOfDbt() {
        JdbcSource.ofProfile(project)
                .load(
                        engine,
                        RELATION,
                        "SELECT * FROM " + Quoting.ALL.name(Optional.empty(), node.schema(), node.identifier()));
        return "SELECT * FROM " + engine.dialect().name(RELATION);
    }

    @Override
    public void close() {
        engine.drop(RELATION);
    }
}
