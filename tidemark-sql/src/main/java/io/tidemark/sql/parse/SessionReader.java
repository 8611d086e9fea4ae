package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.sql.grammar.StatementParser.AlterTableContext;
import io.tidemark.sql.grammar.StatementParser.ColumnDefinitionsContext;
import io.tidemark.sql.grammar.StatementParser.CreateObjectContext;
import io.tidemark.sql.grammar.StatementParser.CreateStatementContext;
import io.tidemark.sql.grammar.StatementParser.CreateTableContext;
import io.tidemark.sql.grammar.StatementParser.CreateViewContext;
import io.tidemark.sql.grammar.StatementParser.DescribeStatementContext;
import io.tidemark.sql.grammar.StatementParser.DropStatementContext;
import io.tidemark.sql.grammar.StatementParser.InsertStatementContext;
import io.tidemark.sql.grammar.StatementParser.QualifiedNameContext;
import io.tidemark.sql.grammar.StatementParser.QueryContext;
import io.tidemark.sql.grammar.StatementParser.ReplaceTableContext;
import io.tidemark.sql.grammar.StatementParser.SetStatementContext;
import io.tidemark.sql.grammar.StatementParser.ShowStatementContext;
import io.tidemark.sql.grammar.StatementParser.StatementContext;
import io.tidemark.sql.grammar.StatementParser.TableClauseContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.grammar.StatementTrees;
import io.tidemark.sql.parse.SessionStatement.AlterProperties;
import io.tidemark.sql.parse.SessionStatement.AlterTable;
import io.tidemark.sql.parse.SessionStatement.ChangeSetting;
import io.tidemark.sql.parse.SessionStatement.CreateTable;
import io.tidemark.sql.parse.SessionStatement.CreateView;
import io.tidemark.sql.parse.SessionStatement.Describe;
import io.tidemark.sql.parse.SessionStatement.DropTable;
import io.tidemark.sql.parse.SessionStatement.DropView;
import io.tidemark.sql.parse.SessionStatement.Insert;
import io.tidemark.sql.parse.SessionStatement.Query;
import io.tidemark.sql.parse.SessionStatement.Show;
import io.tidemark.sql.parse.SessionStatement.Truncate;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Reads one statement of the session. */
final class SessionReader {
    private static final int LIMIT_DIGITS_MAX = 9;
    private static final String VALUES = "VALUES";

    private final StatementTokens statement;
    private final Names names;
    private final List<TidemarkException> faults = new ArrayList<>();
    private final TableReader tables;
    private final TextLocation start;

    SessionReader(StatementTokens statement) {
        this.statement = statement;
        this.names = new Names(statement.text());
        this.tables = new TableReader(statement, faults);
        this.start = names.at(statement.tokens().get(0));
    }

    SessionStatement read() {
        SessionStatement result = statement(StatementTrees.statement(statement));
        if (!faults.isEmpty()) {
            throw faults.get(0);
        }
        return result;
    }

    private SessionStatement statement(StatementContext tree) {
        if (tree.queryStatement() != null) {
            QueryText query = statement.part(
                    tree.queryStatement().getStart(), tree.queryStatement().getStop());
            return new Query(asSelect(query), start);
        }
        if (tree.insertStatement() != null) {
            return insert(tree.insertStatement());
        }
        Optional<SessionStatement> change = change(tree);
        if (change.isPresent()) {
            return change.get();
        }
        if (tree.createStatement() != null) {
            return create(tree.createStatement());
        }
        if (tree.replaceTable() != null) {
            ReplaceTableContext table = tree.replaceTable();
            return table(
                    table.name,
                    table.columnDefinitions(),
                    table.tableClause(),
                    table.query(),
                    CreateTable.Existing.REQUIRED);
        }
        if (tree.dropStatement() != null) {
            return drop(tree.dropStatement());
        }
        if (tree.alterTable() != null) {
            return alter(tree.alterTable());
        }
        if (tree.showStatement() != null) {
            return show(tree.showStatement());
        }
        if (tree.describeStatement() != null) {
            return describe(tree.describeStatement());
        }
        if (tree.setStatement() != null) {
            return set(tree.setStatement());
        }
        String verb = tree.getStart().getText().toUpperCase(Locale.ROOT);
        if (tree.applyChanges() != null) {
            throw pipelinesOnly("APPLY CHANGES");
        }
        throw unsupported(verb + " is not supported yet", "the session reads and changes tables");
    }

    private Optional<SessionStatement> change(StatementContext tree) {
        ChangeReader reader = new ChangeReader(statement, tables, start);
        if (tree.updateStatement() != null) {
            return Optional.of(reader.update(tree.updateStatement()));
        }
        if (tree.deleteStatement() != null) {
            return Optional.of(reader.delete(tree.deleteStatement()));
        }
        if (tree.mergeStatement() != null) {
            return Optional.of(reader.merge(tree.mergeStatement()));
        }
        if (tree.truncateStatement() != null) {
            return Optional.of(new Truncate(names.table(tree.truncateStatement().name), start));
        }
        MaintenanceReader maintenance = new MaintenanceReader(statement, start);
        if (tree.optimizeStatement() != null) {
            return Optional.of(maintenance.optimize(tree.optimizeStatement()));
        }
        if (tree.vacuumStatement() != null) {
            return Optional.of(maintenance.vacuum(tree.vacuumStatement()));
        }
        if (tree.restoreStatement() != null) {
            return Optional.of(maintenance.restore(tree.restoreStatement()));
        }
        if (tree.commentStatement() != null) {
            TableChange comment = new AlterReader(statement, faults).comment(tree.commentStatement());
            return Optional.of(new AlterTable(names.table(tree.commentStatement().name), comment, start));
        }
        return Optional.empty();
    }

    private SessionStatement insert(InsertStatementContext insert) {
        List<ColumnReference> columns = insert.names() == null ? List.of() : names.columns(insert.names());
        tables.distinct(columns);
        if (!columns.isEmpty() && insert.NAME() != null) {
            throw TidemarkException.of(ErrorCode.COLUMN_LIST_CONFLICT, "a column list and BY NAME exclude each other")
                    .at(names.at(insert.NAME().getSymbol()))
                    .hint("keep one of the two")
                    .build();
        }
        return new Insert(
                names.table(insert.target),
                columns,
                insert.NAME() != null,
                insert.OVERWRITE() != null,
                asSelect(tables.query(insert.query())),
                start);
    }

    /** Engines take one SELECT; VALUES becomes the rows of one. */
    private static QueryText asSelect(QueryText query) {
        boolean isValues = query.sql().regionMatches(true, 0, VALUES, 0, VALUES.length());
        return isValues ? SourceQuery.of(query) : query;
    }

    private SessionStatement create(CreateStatementContext create) {
        CreateObjectContext object = create.createObject();
        if (object instanceof CreateTableContext table) {
            CreatePrefix.check(create, names, CreatePrefix.REPLACE);
            if (create.replace != null && table.ifNotExists() != null) {
                throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "OR REPLACE and IF NOT EXISTS exclude each other")
                        .at(names.at(table.ifNotExists()))
                        .hint("keep one of the two")
                        .build();
            }
            CreateTable.Existing existing = create.replace != null
                    ? CreateTable.Existing.REPLACED
                    : table.ifNotExists() != null ? CreateTable.Existing.KEPT : CreateTable.Existing.REFUSED;
            return table(table.name, table.columnDefinitions(), table.tableClause(), table.query(), existing);
        }
        if (object instanceof CreateViewContext view) {
            CreatePrefix.check(create, names, CreatePrefix.REPLACE);
            return new CreateView(
                    new ViewReader(names, tables).read(view, start),
                    create.replace != null,
                    view.ifNotExists() != null);
        }
        throw pipelinesOnly("CREATE " + object.getStart().getText().toUpperCase(Locale.ROOT));
    }

    private SessionStatement table(
            QualifiedNameContext name,
            @Nullable ColumnDefinitionsContext columns,
            List<TableClauseContext> clauses,
            @Nullable QueryContext rows,
            CreateTable.Existing existing) {
        Optional<QueryText> query = Optional.ofNullable(rows).map(tables::query);
        if (query.isEmpty() && columns == null) {
            throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "the table has neither columns nor a query")
                    .at(names.at(name))
                    .hint("write CREATE TABLE t (id BIGINT, ...) or CREATE TABLE t AS SELECT ...")
                    .build();
        }
        if (query.isPresent() && columns != null) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE, "a table made by AS takes its columns from the query")
                    .at(names.at(columns))
                    .hint("remove the column list and write CAST in the query")
                    .build();
        }
        return new CreateTable(names.table(name), existing, tables.clauses(columns, clauses), query, start);
    }

    private SessionStatement drop(DropStatementContext drop) {
        if (drop.MATERIALIZED() != null) {
            throw unsupported("a materialized view is a table here", "write DROP TABLE");
        }
        if (drop.TABLE() != null) {
            return new DropTable(names.table(drop.name), drop.IF() != null, start);
        }
        return new DropView(names.table(drop.name), drop.IF() != null, start);
    }

    private SessionStatement alter(AlterTableContext alter) {
        Optional<TableChange> columns = new AlterReader(statement, faults).columns(alter);
        if (columns.isPresent()) {
            return new AlterTable(names.table(alter.name), columns.get(), start);
        }
        Map<String, String> set = alter.SET() == null ? Map.of() : tables.properties(alter.properties());
        List<String> unset =
                alter.propertyKey().stream().map(tables::propertyKey).toList();
        return new AlterProperties(names.table(alter.name), set, unset, alter.IF() != null, start);
    }

    private SessionStatement show(ShowStatementContext show) {
        Optional<String> schema = Optional.ofNullable(show.identifier()).map(names::name);
        if (show.qualifiedName() != null) {
            Show.Subject kind = show.COLUMNS() == null ? Show.Subject.PROPERTIES : Show.Subject.COLUMNS;
            return new Show(kind, Optional.empty(), Optional.of(names.table(show.qualifiedName())), start);
        }
        Show.Subject kind = show.TABLES() != null
                ? Show.Subject.TABLES
                : show.VIEWS() != null ? Show.Subject.VIEWS : Show.Subject.SCHEMAS;
        return new Show(kind, schema, Optional.empty(), start);
    }

    private SessionStatement describe(DescribeStatementContext describe) {
        Describe.Aspect kind = Describe.Aspect.COLUMNS;
        if (describe.HISTORY() != null) {
            kind = Describe.Aspect.HISTORY;
        } else if (describe.DETAIL() != null) {
            kind = Describe.Aspect.DETAIL;
        } else if (describe.EXTENDED() != null) {
            kind = Describe.Aspect.EXTENDED;
        }
        OptionalInt limit = OptionalInt.empty();
        if (describe.INTEGER() != null) {
            String digits = describe.INTEGER().getText();
            limit = OptionalInt.of(digits.length() > LIMIT_DIGITS_MAX ? Integer.MAX_VALUE : Integer.parseInt(digits));
        }
        return new Describe(kind, names.table(describe.qualifiedName()), limit, start);
    }

    private SessionStatement set(SetStatementContext set) {
        SettingReader reader = new SettingReader(statement);
        @Nullable String name = set.settingKey() == null ? null : reader.key(set.settingKey());
        @Nullable String value = set.settingValue() == null ? null : reader.value(set.settingValue());
        return new ChangeSetting(Optional.ofNullable(name), Optional.ofNullable(value), start);
    }

    private TidemarkException pipelinesOnly(String what) {
        return unsupported(what + " belongs into a pipeline file", "write it to a file and run it as a pipeline");
    }

    private TidemarkException unsupported(String primary, String hint) {
        return TidemarkException.of(ErrorCode.UNSUPPORTED_STATEMENT, primary)
                .at(start)
                .hint(hint)
                .build();
    }
}
