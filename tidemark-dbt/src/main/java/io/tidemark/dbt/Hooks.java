package io.tidemark.dbt;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.jinja.Templates.Template;
import io.tidemark.dbt.project.ModelNode;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.References;
import io.tidemark.dbt.project.RelationName;
import io.tidemark.dbt.project.SnapshotNode;
import io.tidemark.dbt.project.SourceTable;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.List;

/**
 * Runs the statements that a snapshot has before and behind it, over the warehouse and in its language, whatever the
 * project's adapter is: there is no connection to the place where dbt would run them.
 */
final class Hooks {
    private final Project project;
    private final Engine engine;
    private final Warehouse warehouse;

    Hooks(Project project, Engine engine, Warehouse warehouse) {
        this.project = project;
        this.engine = engine;
        this.warehouse = warehouse;
    }

    /**
     * Runs hooks, one after the other; each statement is a commit of its own.
     *
     * @param option their option, for people
     * @param consequence what is the case if one fails, for people
     * @throws TidemarkException what a statement fails with, at the hook's place
     */
    void run(SnapshotNode node, String option, List<Template> hooks, String consequence) {
        for (Template hook : hooks) {
            String sql = project.compile(node, hook, new Names(project, node));
            if (sql.isBlank()) {
                continue;
            }
            try {
                new Session(warehouse, engine, project.folder())
                        .execute(new SourceText(option + " of " + node.name(), sql), Hooks::readAll);
            } catch (TidemarkException e) {
                if (e.code() == ErrorCode.INTERRUPTED) {
                    throw e;
                }
                throw TidemarkException.of(e.code(), option + " of snapshot " + node.name() + " failed: " + e.primary())
                        .at(new TextLocation(hook.file(), hook.firstLine(), 1))
                        .detail(e.detail().map(text -> text + "\n").orElse("") + "The statement is: " + sql + "\n"
                                + consequence)
                        .hint(e.hint()
                                .orElse(
                                        "hooks are run by Tidemark over its warehouse; let others be empty for this target:"
                                                + " {% if target.name == '…' %}…{% endif %}"))
                        .cause(e)
                        .build();
            }
        }
    }

    private static void readAll(StatementResult result) {
        if (result instanceof StatementResult.Rows rows) {
            rows.rows().forEach(row -> true);
        }
    }

    /** Names of tables of the warehouse. */
    private record Names(Project project, SnapshotNode node) implements References {
        @Override
        public RelationName model(ModelNode model) {
            return named(model.schema(), model.identifier());
        }

        @Override
        public RelationName snapshot(SnapshotNode snapshot) {
            return named(snapshot.schema(), snapshot.identifier());
        }

        @Override
        public RelationName source(SourceTable source) {
            return named(source.schema(), source.identifier());
        }

        @Override
        public RelationName self() {
            return snapshot(node);
        }

        private RelationName named(String schema, String identifier) {
            return new RelationName(
                    project.target().database(),
                    schema,
                    identifier,
                    Literals.quote(schema) + "." + Literals.quote(identifier));
        }
    }
}
