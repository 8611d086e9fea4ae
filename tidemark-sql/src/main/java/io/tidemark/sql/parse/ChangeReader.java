package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementParser.AssignmentContext;
import io.tidemark.sql.grammar.StatementParser.DeleteStatementContext;
import io.tidemark.sql.grammar.StatementParser.ExpressionContext;
import io.tidemark.sql.grammar.StatementParser.IdentifierContext;
import io.tidemark.sql.grammar.StatementParser.MatchedClauseContext;
import io.tidemark.sql.grammar.StatementParser.MergeClauseContext;
import io.tidemark.sql.grammar.StatementParser.MergeInsertContext;
import io.tidemark.sql.grammar.StatementParser.MergeStatementContext;
import io.tidemark.sql.grammar.StatementParser.MergeUpdateContext;
import io.tidemark.sql.grammar.StatementParser.NotMatchedClauseContext;
import io.tidemark.sql.grammar.StatementParser.QualifiedNameContext;
import io.tidemark.sql.grammar.StatementParser.TableAliasContext;
import io.tidemark.sql.grammar.StatementParser.UpdateStatementContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/** Reads UPDATE, DELETE and MERGE. */
final class ChangeReader {
    private final StatementTokens statement;
    private final Names names;
    private final TableReader tables;
    private final TextLocation start;

    ChangeReader(StatementTokens statement, TableReader tables, TextLocation start) {
        this.statement = statement;
        this.names = new Names(statement.text());
        this.tables = tables;
        this.start = start;
    }

    SessionStatement update(UpdateStatementContext update) {
        TargetTable target = target(update.target, update.tableAlias());
        return new SessionStatement.Update(
                target, assignments(update.assignment(), target), optional(update.expression()), start);
    }

    SessionStatement delete(DeleteStatementContext delete) {
        return new SessionStatement.Delete(
                target(delete.target, delete.tableAlias()), optional(delete.expression()), start);
    }

    SessionStatement merge(MergeStatementContext merge) {
        TargetTable target = target(merge.target, merge.tableAlias());
        List<MergeClause> clauses = new ArrayList<>();
        for (MergeClauseContext clause : merge.mergeClause()) {
            clauses.add(
                    clause instanceof MatchedClauseContext matched
                            ? matched(matched, target)
                            : notMatched((NotMatchedClauseContext) clause, target));
        }
        checkReachable(clauses);
        Token first = merge.mergeSource().getStart();
        Token last = merge.mergeSource().getStop();
        return new SessionStatement.Merge(
                target,
                SourceQuery.of(statement.part(first, last)),
                sourceAlias(first, last),
                expression(merge.expression()),
                clauses,
                start);
    }

    private MergeClause matched(MatchedClauseContext clause, TargetTable target) {
        MergeClause.Action action =
                clause.mergeUpdate() == null ? new MergeClause.Delete() : update(clause.mergeUpdate(), target);
        return new MergeClause(MergeClause.Rows.MATCHED, optional(clause.expression()), action, names.at(clause));
    }

    private MergeClause notMatched(NotMatchedClauseContext clause, TargetTable target) {
        boolean bySource = clause.SOURCE() != null;
        if (bySource == (clause.mergeInsert() != null)) {
            throw TidemarkException.of(
                            ErrorCode.SYNTAX_ERROR,
                            bySource
                                    ? "rows that the source does not have cannot be inserted"
                                    : "rows that the target does not have can only be inserted")
                    .at(names.at(clause))
                    .hint(
                            bySource
                                    ? "write UPDATE SET or DELETE here, or WHEN NOT MATCHED THEN INSERT"
                                    : "write INSERT here, or WHEN NOT MATCHED BY SOURCE")
                    .build();
        }
        MergeClause.Action action = clause.mergeInsert() != null
                ? insert(clause.mergeInsert())
                : clause.mergeUpdate() != null ? update(clause.mergeUpdate(), target) : new MergeClause.Delete();
        if (bySource && action instanceof MergeClause.UpdateAll) {
            throw TidemarkException.of(ErrorCode.SYNTAX_ERROR, "there is no source row for SET *")
                    .at(names.at(clause))
                    .hint("name the columns: UPDATE SET a = ...")
                    .build();
        }
        return new MergeClause(
                bySource ? MergeClause.Rows.NOT_MATCHED_BY_SOURCE : MergeClause.Rows.NOT_MATCHED,
                optional(clause.expression()),
                action,
                names.at(clause));
    }

    /** Only the last clause of its kind may do without a condition: the others behind it would never count. */
    private static void checkReachable(List<MergeClause> clauses) {
        for (MergeClause.Rows rows : MergeClause.Rows.values()) {
            List<MergeClause> same =
                    clauses.stream().filter(clause -> clause.rows() == rows).toList();
            for (int i = 0; i + 1 < same.size(); i++) {
                if (same.get(i).condition().isEmpty()) {
                    throw TidemarkException.of(
                                    ErrorCode.SYNTAX_ERROR, "a clause without condition leaves nothing to this one")
                            .at(same.get(i + 1).location())
                            .hint("give the clause before it a condition, or remove this one")
                            .build();
                }
            }
        }
    }

    private MergeClause.Action update(MergeUpdateContext update, TargetTable target) {
        return update.STAR() != null
                ? new MergeClause.UpdateAll()
                : new MergeClause.Update(assignments(update.assignment(), target));
    }

    private MergeClause.Action insert(MergeInsertContext insert) {
        if (insert.STAR() != null) {
            return new MergeClause.InsertAll();
        }
        List<ColumnReference> columns =
                insert.columnNames().identifier().stream().map(names::column).toList();
        tables.distinct(columns);
        List<QueryText> values =
                insert.expression().stream().map(this::expression).toList();
        if (values.size() != columns.size()) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "INSERT names " + columns.size() + " columns and has " + values.size() + " values")
                    .at(names.at(insert))
                    .hint("give each column one value")
                    .build();
        }
        return new MergeClause.Insert(columns, values);
    }

    private List<ColumnAssignment> assignments(List<AssignmentContext> assignments, TargetTable target) {
        List<ColumnAssignment> read = assignments.stream()
                .map(assignment -> new ColumnAssignment(
                        column(assignment.identifier(), target), expression(assignment.expression())))
                .toList();
        tables.distinct(read.stream().map(ColumnAssignment::column).toList());
        return read;
    }

    /** A column of the target, which may be called by the table's name and the column's. */
    private ColumnReference column(List<IdentifierContext> parts, TargetTable target) {
        ColumnReference last = names.column(parts.get(parts.size() - 1));
        boolean qualified = parts.size() == 2 && names.name(parts.get(0)).equalsIgnoreCase(target.qualifier());
        if (parts.size() > 1 && !qualified) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE, "only whole columns can be set, not " + Names.joined(parts))
                    .at(names.at(parts.get(0)))
                    .hint("set the whole struct: SET a = named_struct(...)")
                    .build();
        }
        return new ColumnReference(last.name(), names.at(parts.get(0)));
    }

    private TargetTable target(QualifiedNameContext name, @Nullable TableAliasContext alias) {
        return new TargetTable(
                names.table(name),
                Optional.ofNullable(alias).map(context -> names.name(context.identifier())),
                names.at(name));
    }

    /** The alias of what stands behind USING, or the name by which a plain table is called. */
    private Optional<String> sourceAlias(Token first, Token last) {
        List<Token> tokens = statement.tokens().stream()
                .filter(token ->
                        token.getStartIndex() >= first.getStartIndex() && token.getStopIndex() <= last.getStopIndex())
                .toList();
        int end = tokens.size() - 1;
        if (type(tokens, end) == StatementLexer.RPAREN) {
            // an alias with a list of column names, or else the arguments of a function
            int name = opening(tokens, end) - 1;
            boolean named = name > 0 && Words.isName(type(tokens, name)) && endsRelation(tokens, name - 1);
            return named ? Optional.of(name(tokens.get(name))) : Optional.empty();
        }
        if (end > 0 && Words.isName(type(tokens, end)) && endsRelation(tokens, end - 1)) {
            return Optional.of(name(tokens.get(end)));
        }
        int part = 0;
        while (type(tokens, part + 1) == StatementLexer.DOT) {
            part += 2;
        }
        boolean isName =
                part <= end && Words.isName(type(tokens, part)) && type(tokens, part + 1) != StatementLexer.LPAREN;
        return isName ? Optional.of(name(tokens.get(part))) : Optional.empty();
    }

    /** Whether a token can be the last of a relation, or AS behind it. */
    private static boolean endsRelation(List<Token> tokens, int index) {
        int type = type(tokens, index);
        return type != StatementLexer.DOT && type != StatementLexer.AT && type != StatementLexer.LPAREN;
    }

    private static int opening(List<Token> tokens, int closing) {
        int depth = 0;
        for (int i = closing; i >= 0; i--) {
            int type = type(tokens, i);
            depth += type == StatementLexer.RPAREN ? 1 : type == StatementLexer.LPAREN ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return 0;
    }

    private static int type(List<Token> tokens, int index) {
        return index >= 0 && index < tokens.size() ? tokens.get(index).getType() : Token.EOF;
    }

    private static String name(Token token) {
        return Literals.name(token.getText());
    }

    private Optional<QueryText> optional(@Nullable ExpressionContext expression) {
        return Optional.ofNullable(expression).map(this::expression);
    }

    private QueryText expression(ExpressionContext expression) {
        return statement.part(expression.getStart(), expression.getStop());
    }
}
