package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import io.tidemark.core.flow.AutoCdcRules;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementParser.ApplyAsClauseContext;
import io.tidemark.sql.grammar.StatementParser.CdcClauseContext;
import io.tidemark.sql.grammar.StatementParser.ColumnSelectionContext;
import io.tidemark.sql.grammar.StatementParser.ColumnsClauseContext;
import io.tidemark.sql.grammar.StatementParser.ColumnsToUpdateClauseContext;
import io.tidemark.sql.grammar.StatementParser.ExpressionContext;
import io.tidemark.sql.grammar.StatementParser.IgnoreNullClauseContext;
import io.tidemark.sql.grammar.StatementParser.KeysClauseContext;
import io.tidemark.sql.grammar.StatementParser.ParenthesizedContext;
import io.tidemark.sql.grammar.StatementParser.SequenceClauseContext;
import io.tidemark.sql.grammar.StatementParser.SourceContext;
import io.tidemark.sql.grammar.StatementParser.StoredAsClauseContext;
import io.tidemark.sql.grammar.StatementParser.SystemSequenceClauseContext;
import io.tidemark.sql.grammar.StatementParser.TrackHistoryClauseContext;
import io.tidemark.sql.grammar.StatementParser.VersionClauseContext;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.text.LocatedText;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.antlr.v4.runtime.Token;
import org.jspecify.annotations.Nullable;

/** Reads the clauses of one change flow. One reader reads one flow. */
final class FlowReader {
    private final StatementTokens statement;
    private final Names names;
    private final TableReader tables;
    private final List<TidemarkException> faults;
    private final Map<String, TextLocation> seen = new HashMap<>();
    private final Map<Clause, TextLocation> places = new EnumMap<>(Clause.class);

    private List<ColumnReference> keys = List.of();
    private @Nullable ColumnSelection ignoreNullUpdates;
    private @Nullable QueryText deleteWhen;
    private @Nullable QueryText truncateWhen;
    private @Nullable QueryText sequenceBy;
    private @Nullable QueryText systemSequenceBy;
    private @Nullable ColumnSelection columns;
    private ScdType storedAs = ScdType.SCD1;
    private @Nullable ColumnSelection trackHistory;
    private @Nullable ColumnReference columnsToUpdate;
    private @Nullable QueryText version;

    FlowReader(StatementTokens statement, List<TidemarkException> faults) {
        this.statement = statement;
        this.names = new Names(statement.text());
        this.tables = new TableReader(statement, faults);
        this.faults = faults;
    }

    /** What a change flow is called and where it goes. */
    record Heading(String name, TableName target, boolean once, Optional<String> comment, TextLocation location) {}

    /** Reads a flow; nothing if it cannot be a flow, with the reason among the faults. */
    Optional<AutoCdcFlow> read(Heading heading, SourceContext source, List<CdcClauseContext> clauses) {
        boolean snapshot = isSnapshot(source);
        places.put(Clause.FROM, names.at(source));
        clauses.forEach(this::take);
        QueryText query =
                snapshot ? snapshotQuery(source) : SourceQuery.of(statement.part(source.getStart(), source.getStop()));
        if (version != null && !snapshot) {
            faults.add(TidemarkException.of(ErrorCode.SYNTAX_ERROR, "WITH VERSION is for FROM SNAPSHOT only")
                    .at(places.getOrDefault(Clause.VERSION, heading.location()))
                    .hint("remove it, or write FROM SNAPSHOT (query)")
                    .build());
        }
        AutoCdcFlow flow = new AutoCdcFlow(
                heading.name(),
                heading.target(),
                heading.once(),
                query,
                keys,
                Optional.ofNullable(ignoreNullUpdates),
                Optional.ofNullable(deleteWhen),
                Optional.ofNullable(truncateWhen),
                sequenceBy == null ? new QueryText("", heading.location()) : sequenceBy,
                Optional.ofNullable(systemSequenceBy),
                Optional.ofNullable(columns),
                storedAs,
                Optional.ofNullable(trackHistory),
                Optional.ofNullable(columnsToUpdate),
                heading.comment(),
                heading.location(),
                places,
                snapshot ? Optional.of(versions()) : Optional.empty());
        faults.addAll(AutoCdcRules.check(flow));
        return Optional.of(flow);
    }

    private SnapshotSource versions() {
        return version == null ? new SnapshotSource.Periodic() : new SnapshotSource.Versioned(version);
    }

    /** The query in parentheses, or all of a table or of files. */
    private QueryText snapshotQuery(SourceContext source) {
        int next = statement.tokens().indexOf(source.getStart()) + 1;
        Token first = statement.tokens().get(next);
        QueryText said = statement.part(first, source.getStop());
        return first.getType() == StatementLexer.LPAREN ? inner(said) : SourceQuery.of(said);
    }

    private static QueryText inner(QueryText parenthesized) {
        return LocatedText.of(parenthesized).part(1, parenthesized.sql().length() - 1);
    }

    private static boolean isSnapshot(SourceContext source) {
        boolean first = source.getStart().getType() == StatementLexer.SNAPSHOT;
        int next = source.getStop().getTokenIndex() > source.getStart().getTokenIndex() ? 1 : 0;
        return first
                && next == 1
                && !source.getText().startsWith(source.getStart().getText() + ".");
    }

    private void take(CdcClauseContext clause) {
        TextLocation place = names.at(clause);
        if (clause instanceof KeysClauseContext said) {
            once("KEYS", Clause.KEYS, place);
            // KEYS () is understood, so that it is called what it is: no keys
            keys = said.names() == null ? List.of() : names.columns(said.names());
        } else if (clause instanceof IgnoreNullClauseContext said) {
            once("IGNORE NULL UPDATES", Clause.IGNORE_NULL, place);
            ignoreNullUpdates = said.columnSelection() == null
                    ? new ColumnSelection(ColumnSelection.Mode.ALL, List.of(), place)
                    : selection(said.columnSelection(), place);
        } else if (clause instanceof ApplyAsClauseContext said) {
            takeCondition(said, place);
        } else if (clause instanceof SystemSequenceClauseContext said) {
            once("SYSTEM SEQUENCE BY", Clause.SYSTEM_SEQUENCE_BY, place);
            systemSequenceBy = expression(said.expression());
        } else if (clause instanceof SequenceClauseContext said) {
            once("SEQUENCE BY", Clause.SEQUENCE_BY, place);
            sequenceBy = expression(said.expression());
        } else if (clause instanceof ColumnsClauseContext said) {
            takeColumns(selection(said.columnSelection(), place), place);
        } else if (clause instanceof ColumnsToUpdateClauseContext said) {
            once("COLUMNS TO UPDATE", Clause.COLUMNS_TO_UPDATE, place);
            columnsToUpdate = names.column(said.identifier());
        } else if (clause instanceof TrackHistoryClauseContext said) {
            once("TRACK HISTORY ON", Clause.TRACK_HISTORY, place);
            trackHistory = selection(said.columnSelection(), place);
        } else if (clause instanceof VersionClauseContext said) {
            takeVersion(said, place);
        } else if (clause instanceof StoredAsClauseContext said) {
            once("STORED AS", Clause.STORED_AS, place);
            storedAs = storage(said);
        }
    }

    private void takeVersion(VersionClauseContext clause, TextLocation place) {
        if (!clause.what.getText().equalsIgnoreCase("VERSION")) {
            faults.add(TidemarkException.of(
                            ErrorCode.SYNTAX_ERROR,
                            "expected VERSION after 'WITH', found '" + clause.what.getText() + "'")
                    .at(names.at(clause.what))
                    .hint("write WITH VERSION (query)")
                    .build());
            return;
        }
        once("WITH VERSION", Clause.VERSION, place);
        ParenthesizedContext query = clause.parenthesized();
        version = inner(statement.part(query.getStart(), query.getStop()));
    }

    private void once(String words, Clause clause, TextLocation place) {
        tables.once(words, place, seen);
        places.putIfAbsent(clause, place);
    }

    private void takeCondition(ApplyAsClauseContext clause, TextLocation place) {
        if (clause.DELETE() != null) {
            once("APPLY AS DELETE WHEN", Clause.DELETE_WHEN, place);
            deleteWhen = expression(clause.expression());
        } else {
            once("APPLY AS TRUNCATE WHEN", Clause.TRUNCATE_WHEN, place);
            truncateWhen = expression(clause.expression());
        }
    }

    private void takeColumns(ColumnSelection selection, TextLocation place) {
        boolean bothKinds = columns != null && columns.mode() != selection.mode();
        if (bothKinds) {
            faults.add(conflict(place));
        } else {
            once("COLUMNS", Clause.COLUMNS, place);
        }
        columns = selection;
    }

    private ColumnSelection selection(ColumnSelectionContext context, TextLocation place) {
        if (context.STAR() == null && context.EXCEPT() != null) {
            faults.add(conflict(names.at(context)));
        }
        if (context.names().isEmpty()) {
            return new ColumnSelection(ColumnSelection.Mode.ALL, List.of(), place);
        }
        List<ColumnReference> listed = names.columns(context.names(0));
        tables.distinct(listed);
        ColumnSelection.Mode mode = context.STAR() == null ? ColumnSelection.Mode.INCLUDE : ColumnSelection.Mode.EXCEPT;
        return new ColumnSelection(mode, listed, place);
    }

    private static TidemarkException conflict(TextLocation place) {
        return TidemarkException.of(ErrorCode.COLUMN_LIST_CONFLICT, "columns are both listed and left out by EXCEPT")
                .at(place)
                .hint("write either the columns, or * EXCEPT (columns)")
                .build();
    }

    private ScdType storage(StoredAsClauseContext clause) {
        if (clause.BITEMPORAL() != null) {
            return ScdType.BITEMPORAL;
        }
        return switch (clause.INTEGER().getText()) {
            case "1" -> ScdType.SCD1;
            case "2" -> ScdType.SCD2;
            default -> {
                faults.add(TidemarkException.of(
                                ErrorCode.UNSUPPORTED_FEATURE,
                                "there is no storage SCD TYPE "
                                        + clause.INTEGER().getText())
                        .at(names.at(clause.INTEGER().getSymbol()))
                        .hint("STORED AS takes SCD TYPE 1, SCD TYPE 2 or BITEMPORAL")
                        .build());
                yield ScdType.SCD1;
            }
        };
    }

    private QueryText expression(ExpressionContext context) {
        return statement.part(context.getStart(), context.getStop());
    }
}
