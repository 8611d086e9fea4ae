package io.tidemark.sql.session;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.maintenance.AutoCompaction;
import io.tidemark.sql.parse.Maintenance;
import io.tidemark.sql.parse.SessionStatement;
import io.tidemark.sql.parse.SessionStatement.AlterProperties;
import io.tidemark.sql.parse.SessionStatement.AlterTable;
import io.tidemark.sql.parse.SessionStatement.ChangeSetting;
import io.tidemark.sql.parse.SessionStatement.CreateTable;
import io.tidemark.sql.parse.SessionStatement.CreateView;
import io.tidemark.sql.parse.SessionStatement.Delete;
import io.tidemark.sql.parse.SessionStatement.Describe;
import io.tidemark.sql.parse.SessionStatement.DropTable;
import io.tidemark.sql.parse.SessionStatement.DropView;
import io.tidemark.sql.parse.SessionStatement.Insert;
import io.tidemark.sql.parse.SessionStatement.Merge;
import io.tidemark.sql.parse.SessionStatement.Query;
import io.tidemark.sql.parse.SessionStatement.Show;
import io.tidemark.sql.parse.SessionStatement.Truncate;
import io.tidemark.sql.parse.SessionStatement.Update;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.sql.query.ScannedQuery;
import io.tidemark.sql.session.StatementResult.Done;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.ViewColumns;
import io.tidemark.sql.warehouse.Warehouse;
import java.util.List;

/** Executes one statement. */
final class StatementRunner implements SessionStatement.Handler<StatementResult> {
    private final StatementContext context;
    private final Warehouse warehouse;
    private final Engine engine;
    private final Relations relations;
    private final Settings settings;

    StatementRunner(StatementContext context, Settings settings) {
        this.context = context;
        this.warehouse = context.warehouse();
        this.engine = context.engine();
        this.relations = context.relations();
        this.settings = settings;
    }

    @Override
    public StatementResult query(Query statement) {
        PreparedQuery query = relations.prepare(statement.query());
        return new StatementResult.Rows(query.schema(), consumer -> engine.stream(query.sql(), consumer));
    }

    @Override
    public StatementResult insert(Insert statement) {
        return compacted(statement.target(), new InsertRunner(context).run(statement));
    }

    @Override
    public StatementResult update(Update statement) {
        return compacted(statement.target().name(), new UpdateRunner(context).run(statement));
    }

    @Override
    public StatementResult delete(Delete statement) {
        return compacted(statement.target().name(), new DeleteRunner(context).run(statement));
    }

    @Override
    public StatementResult merge(Merge statement) {
        return compacted(statement.target().name(), new MergeRunner(context).run(statement));
    }

    /** Many small statements must not make a table slow. */
    private StatementResult compacted(TableName name, StatementResult result) {
        AutoCompaction.run(
                engine,
                warehouse.storage(),
                () -> warehouse.table(name),
                snapshot -> TargetRules.of(snapshot).map(TargetRules::keys).orElse(List.of()));
        return result;
    }

    @Override
    public StatementResult truncate(Truncate statement) {
        return new DeleteRunner(context).truncate(statement);
    }

    @Override
    public StatementResult maintain(Maintenance statement) {
        return new MaintenanceRunner(context, settings).run(statement);
    }

    @Override
    public StatementResult createTable(CreateTable statement) {
        return new TableMaker(context).run(statement);
    }

    @Override
    public StatementResult createView(CreateView statement) {
        TableName name = statement.view().name();
        ScannedQuery query = QueryScanner.scan(statement.view().query());
        PreparedQuery prepared = relations.prepare(query);
        ViewColumns.rename(engine, statement.view(), prepared);
        checkNoCircle(statement);
        if (warehouse.putView(statement.view(), statement.replace())) {
            return Done.of("created view " + name);
        }
        if (statement.ifNotExists()) {
            return Done.of("view " + name + " exists");
        }
        throw TidemarkException.of(ErrorCode.TABLE_EXISTS, "there is a view called " + name)
                .hint("write CREATE OR REPLACE VIEW to replace it")
                .build();
    }

    /** A view that replaces one which its own query reads would read itself. */
    private void checkNoCircle(CreateView statement) {
        TableName name = statement.view().name();
        if (relations.viewsRead().contains(name)) {
            throw TidemarkException.of(ErrorCode.GRAPH_CYCLE, "the view " + name + " would read itself")
                    .at(statement.view().query().location())
                    .hint("give the new view another name")
                    .build();
        }
    }

    @Override
    public StatementResult dropView(DropView statement) {
        TableName name = statement.name();
        if (warehouse.dropView(name)) {
            return Done.of("dropped view " + name);
        }
        if (warehouse.table(name).exists()) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_STATEMENT, name + " is a table, not a view")
                    .build();
        }
        if (statement.ifExists()) {
            return Done.of("there is no view " + name);
        }
        throw relations.unknown(name, statement.location());
    }

    @Override
    public StatementResult dropTable(DropTable statement) {
        TableName name = statement.name();
        if (warehouse.dropTable(name)) {
            return Done.of("dropped table " + name);
        }
        if (warehouse.view(name).isPresent()) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_STATEMENT, name + " is a view, not a table")
                    .hint("write DROP VIEW " + name)
                    .build();
        }
        if (statement.ifExists()) {
            return Done.of("there is no table " + name);
        }
        throw relations.unknown(name, statement.location());
    }

    @Override
    public StatementResult alterTable(AlterTable statement) {
        return new TableAlterer(context).run(statement);
    }

    @Override
    public StatementResult alterProperties(AlterProperties statement) {
        Snapshot table = table(statement.name(), statement.location());
        PropertyNames.check(statement.set());
        for (String key : statement.unset()) {
            if (!statement.ifExists() && !table.properties().containsKey(key)) {
                throw TidemarkException.of(
                                ErrorCode.INVALID_SETTING, "the table " + statement.name() + " has no property " + key)
                        .hint("write UNSET TBLPROPERTIES IF EXISTS")
                        .build();
            }
        }
        boolean sets = statement.unset().isEmpty();
        Transaction transaction = table.begin(sets ? "SET TBLPROPERTIES" : "UNSET TBLPROPERTIES")
                .parameter("properties", sets ? Texts.json(statement.set()) : Texts.json(statement.unset()))
                .setProperties(statement.set(), statement.unset());
        context.commit(transaction);
        return Done.of("altered table " + statement.name());
    }

    @Override
    public StatementResult show(Show statement) {
        return new Descriptions(warehouse, engine, relations).show(statement);
    }

    @Override
    public StatementResult describe(Describe statement) {
        return new Descriptions(warehouse, engine, relations).describe(statement);
    }

    @Override
    public StatementResult set(ChangeSetting statement) {
        String name = statement.name().orElse("");
        if (statement.value().isPresent()) {
            settings.set(name, statement.value().get());
            return Done.of(name + " = " + statement.value().get());
        }
        TableRows rows = new TableRows().texts("key", "value");
        settings.all().forEach((key, value) -> {
            if (name.isEmpty() || key.equalsIgnoreCase(name)) {
                rows.row(key, value);
            }
        });
        return rows.result();
    }

    private Snapshot table(TableName name, TextLocation location) {
        return relations.snapshot(name, location);
    }
}
