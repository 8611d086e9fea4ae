package io.tidemark.sql.parse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnDefinition;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.sql.grammar.StatementParser.AlterTableContext;
import io.tidemark.sql.grammar.StatementParser.ColumnChangeContext;
import io.tidemark.sql.grammar.StatementParser.CommentStatementContext;
import io.tidemark.sql.grammar.StatementParser.TableElementContext;
import io.tidemark.sql.grammar.StatementTokens;
import java.util.List;
import java.util.Optional;

/** Reads what ALTER TABLE and COMMENT ON change of columns and comments. */
final class AlterReader {
    private final StatementTokens statement;
    private final Names names;
    private final List<TidemarkException> faults;

    AlterReader(StatementTokens statement, List<TidemarkException> faults) {
        this.statement = statement;
        this.names = new Names(statement.text());
        this.faults = faults;
    }

    /** The change of columns; nothing if the statement is about properties. */
    Optional<TableChange> columns(AlterTableContext alter) {
        if (alter.columnChange() != null) {
            return Optional.of(column(names.column(alter.column), alter.columnChange()));
        }
        if (alter.columnDefinitions() != null) {
            return Optional.of(added(alter.columnDefinitions().tableElement()));
        }
        return Optional.ofNullable(alter.columnElements()).map(elements -> added(elements.tableElement()));
    }

    TableChange comment(CommentStatementContext comment) {
        return new TableChange.TableComment(
                Optional.ofNullable(comment.STRING()).map(text -> names.string(text.getSymbol())));
    }

    private TableChange added(List<TableElementContext> elements) {
        List<ColumnDefinition> columns = new ColumnListReader(statement.text(), faults).read(elements);
        for (ColumnDefinition column : columns) {
            if (!column.nullable()) {
                faults.add(TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "the new column " + column.name() + " cannot be NOT NULL")
                        .at(column.location())
                        .hint("rows that exist have no value for it; set NOT NULL when all have one")
                        .build());
            }
        }
        return new TableChange.AddColumns(columns);
    }

    private TableChange column(ColumnReference column, ColumnChangeContext change) {
        if (change.dataType() != null) {
            return new TableChange.ColumnType(column, new TypeReader(statement.text()).read(change.dataType()));
        }
        if (change.STRING() != null) {
            return new TableChange.ColumnComment(
                    column, names.string(change.STRING().getSymbol()));
        }
        return new TableChange.ColumnNullable(column, change.DROP() != null);
    }
}
