package io.tidemark.dbt.source;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.RelationResolver;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.ModelNode;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.RelationName;
import io.tidemark.dbt.project.SnapshotNode;
import io.tidemark.dbt.project.SourceTable;
import io.tidemark.dbt.project.Target.Adapter;
import io.tidemark.dbt.run.EngineSql;
import io.tidemark.dbt.run.ProjectQueries;
import io.tidemark.dbt.run.ProjectSql;
import io.tidemark.dbt.run.SnapshotUpdate;
import io.tidemark.dbt.run.SourceQuery;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Relations of a project whose SQL the engine runs: as it is written (DuckDB's), or translated (Spark's). Each name of the
 * project is a relation of the engine that is called like the table, so that queries may qualify columns by it.
 */
public final class EngineSources implements ProjectSources {
    private final Engine engine;
    private final Project project;
    private final SnapshotNode node;
    private final boolean translated;
    private final WarehouseTables tables;
    private final DatabaseFiles databases;
    private final ProjectSql sql;
    private final Map<String, String> relations = new LinkedHashMap<>();
    private final Set<String> names = new LinkedHashSet<>();
    private final Set<String> modelsInProgress = new LinkedHashSet<>();
    private final List<String> texts = new ArrayList<>();
    /** Versions of what is read beside tables of the warehouse. */
    private final Map<String, String> marks = new LinkedHashMap<>();

    private boolean versioned = true;

    /** The relations of a snapshot. */
    public EngineSources(Engine engine, Warehouse warehouse, Project project, SnapshotNode node) {
        this.engine = engine;
        this.project = project;
        this.node = node;
        this.translated = project.target().adapter() == Adapter.SPARK;
        this.tables = new WarehouseTables(engine, warehouse);
        this.databases = new DatabaseFiles(engine, project);
        this.sql = translated ? new TranslatedSql(engine, this::resolve) : new EngineSql(engine);
    }

    @Override
    public ProjectSql sql() {
        return sql;
    }

    @Override
    public SourceQuery query(SnapshotNode snapshot, String rendered) {
        TextLocation location =
                new TextLocation(snapshot.template().file(), snapshot.template().firstLine(), 1);
        texts.add(rendered);
        boolean certain = versioned && texts.stream().noneMatch(Volatility::mayDiffer);
        return new SourceQuery(
                sql.query(rendered, location),
                location,
                String.join("\n;\n", texts),
                certain ? Optional.of(versions()) : Optional.empty());
    }

    private Map<String, String> versions() {
        Map<String, String> versions = new LinkedHashMap<>(tables.versions());
        versions.putAll(marks);
        return versions;
    }

    /** Remembers what tells that files are the same as before; without it they are read each time. */
    private void mark(String what, Optional<String> mark) {
        versioned &= mark.isPresent();
        mark.ifPresent(value -> marks.put(what, value));
    }

    // ---- names

    @Override
    public RelationName model(ModelNode model) {
        String key = "model " + model.name();
        if (!relations.containsKey(key)) {
            if (model.kind() == ModelNode.Kind.QUERY) {
                view(key, model);
            } else {
                table(key, Optional.empty(), model.schema(), model.identifier(), "model or seed " + model.name());
            }
        }
        return named(key, model.schema(), model.identifier());
    }

    private void view(String key, ModelNode model) {
        if (!modelsInProgress.add(model.name())) {
            throw TidemarkException.of(
                            ErrorCode.GRAPH_CYCLE,
                            "models read each other in a circle: " + String.join(", ", modelsInProgress))
                    .at(model.location())
                    .build();
        }
        String rendered = project.compile(model, this);
        modelsInProgress.remove(model.name());
        texts.add(rendered);
        String relation = fresh(model.identifier());
        String text = sql.query(rendered, model.location());
        try {
            engine.createView(relation, text);
        } catch (TidemarkException e) {
            throw ProjectQueries.asUserError(e, model.location());
        }
        relations.put(key, relation);
    }

    @Override
    public RelationName snapshot(SnapshotNode snapshot) {
        String key = "snapshot " + snapshot.name();
        if (!relations.containsKey(key)) {
            table(key, Optional.empty(), snapshot.schema(), snapshot.identifier(), "snapshot " + snapshot.name());
        }
        return named(key, snapshot.schema(), snapshot.identifier());
    }

    @Override
    public RelationName self() {
        return new RelationName(
                project.target().database(), node.schema(), node.identifier(), () -> spelled(ownTable()));
    }

    /** Registered when the query names it, as most do not. Before the first run it names nothing. */
    private String ownTable() {
        String key = "snapshot " + node.name();
        String relation = relations.get(key);
        if (relation == null) {
            relation = fresh(node.identifier());
            if (tables.register(node.schema(), node.identifier(), relation)) {
                relations.put(key, relation);
            }
        }
        return relation;
    }

    @Override
    public RelationName source(SourceTable source) {
        String key = "source " + source.source() + "." + source.name();
        source.meta("plugin").ifPresent(plugin -> {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "source " + source.source() + "." + source.name() + " is loaded by the plugin " + plugin
                                    + ", which is not supported")
                    .at(source.location())
                    .hint("plugins are programs in Python; say where its files are with external_location, or give "
                            + JdbcSource.URL)
                    .build();
        });
        if (!relations.containsKey(key)) {
            Optional<String> external = source.meta("external_location");
            if (external.isPresent()) {
                external(key, source, external.get());
            } else if (source.meta(JdbcSource.URL).isPresent()) {
                versioned = false;
                String relation = fresh(source.identifier());
                JdbcSource.of(source).loadTable(engine, relation, source);
                relations.put(key, relation);
            } else {
                table(
                        key,
                        source.database(),
                        source.schema(),
                        source.identifier(),
                        "source " + source.source() + "." + source.name());
            }
        }
        return named(key, source.schema(), source.identifier());
    }

    private void external(String key, SourceTable source, String location) {
        String relation = fresh(source.identifier());
        String from = ExternalLocation.sql(location, source, project.folder());
        mark(key, markOfFiles(from));
        try {
            engine.createView(relation, "SELECT * FROM " + from);
        } catch (TidemarkException e) {
            throw ProjectQueries.asUserError(e, source.location());
        }
        relations.put(key, relation);
    }

    private Optional<String> markOfFiles(String from) {
        List<Path> files = new ArrayList<>();
        for (String pattern : ExternalLocation.patterns(from)) {
            int before = files.size();
            engine.stream(
                    "SELECT file FROM glob('" + pattern.replace("'", "''") + "') ORDER BY file",
                    row -> files.add(Path.of(String.valueOf(row.get(0)))));
            if (files.size() == before) {
                return Optional.empty();
            }
        }
        return files.isEmpty() ? Optional.empty() : FileMarks.of(files);
    }

    private void table(String key, Optional<String> database, String schema, String identifier, String what) {
        String relation = fresh(identifier);
        boolean elsewhere = database.isPresent() && databases.isAttached(database.get());
        if (!elsewhere && tables.register(schema, identifier, relation)) {
            relations.put(key, relation);
            return;
        }
        Optional<String> found = databases.find(database, schema, identifier);
        if (found.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_TABLE,
                            "the table of " + what + " does not exist: " + schema + "." + identifier)
                    .detail("It was looked for in the warehouse"
                            + databases.shown().map(files -> " and in " + files).orElse("") + ".")
                    .hint("build it before, or say where it is: external_location for files, " + JdbcSource.URL
                            + " for a database")
                    .build();
        }
        mark("database " + database.orElse(project.target().database()), databases.mark(database));
        engine.createView(relation, "SELECT * FROM " + found.get());
        relations.put(key, relation);
    }

    @Override
    public String tableOfDbt() {
        return databases
                .find(Optional.empty(), node.schema(), node.identifier())
                .map(table -> "SELECT * FROM " + table)
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.UNKNOWN_TABLE,
                                "there is no table " + node.schema() + "." + node.identifier() + " to import")
                        .detail(databases
                                .shown()
                                .map(files -> "It was looked for in " + files + ".")
                                .orElse("The profile has no database file."))
                        .hint(
                                "tables of dbt-duckdb and dbt-postgres are imported; one of dbt-spark is a Delta table and"
                                        + " is continued where it is")
                        .build());
    }

    /** A name that no relation of this snapshot has yet, the table's own if possible. */
    private String fresh(String identifier) {
        String name = identifier;
        for (int i = 2; !names.add(name.toLowerCase(Locale.ROOT)); i++) {
            name = identifier + "_" + i;
        }
        return name;
    }

    private RelationName named(String key, String schema, String identifier) {
        String relation = relations.getOrDefault(key, identifier);
        return new RelationName(project.target().database(), schema, identifier, spelled(relation));
    }

    private String spelled(String relation) {
        return translated
                ? "`" + relation.replace("`", "``") + "`"
                : engine.dialect().relation(relation);
    }

    private String resolve(List<String> parts, TextLocation location) {
        String name = parts.get(parts.size() - 1);
        boolean known = parts.size() == 1
                && (relations.values().stream().anyMatch(name::equalsIgnoreCase)
                        || name.startsWith(SnapshotUpdate.RELATION_PREFIX));
        if (!known) {
            throw TidemarkException.of(ErrorCode.UNKNOWN_TABLE, "there is no table or view " + String.join(".", parts))
                    .at(location)
                    .hint("name it as {{ source('…', '…') }} or {{ ref('…') }}")
                    .build();
        }
        return name;
    }

    @Override
    public void close() {
        List<String> all = new ArrayList<>(relations.values());
        Collections.reverse(all);
        all.forEach(engine::drop);
        relations.clear();
        databases.close();
    }

    /** SQL that the engine translates. */
    private record TranslatedSql(Engine engine, RelationResolver resolver) implements ProjectSql {
        @Override
        public String query(String text, TextLocation location) {
            return engine.prepare(new QueryText(text, location), resolver).sql();
        }

        @Override
        public String with(String relation, List<String> expressions, List<String> aliases, TextLocation location) {
            StringBuilder text = new StringBuilder("SELECT r.*");
            for (int i = 0; i < aliases.size(); i++) {
                text.append(", (")
                        .append(expressions.get(i))
                        .append(") AS `")
                        .append(aliases.get(i))
                        .append('`');
            }
            text.append(" FROM `").append(relation).append("` AS r");
            return engine.prepare(new QueryText(text.toString(), location), resolver)
                    .sql();
        }

        @Override
        public String constant(String expression, TextLocation location) {
            QueryText text = new QueryText("SELECT (" + expression + ") AS v", location);
            return "(" + engine.prepare(text, resolver).sql() + ")";
        }
    }
}
