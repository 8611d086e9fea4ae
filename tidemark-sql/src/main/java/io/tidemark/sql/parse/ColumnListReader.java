package io.tidemark.sql.parse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnDefinition;
import io.tidemark.sql.grammar.StatementParser.ColumnCommentContext;
import io.tidemark.sql.grammar.StatementParser.ColumnElementContext;
import io.tidemark.sql.grammar.StatementParser.ColumnOptionContext;
import io.tidemark.sql.grammar.StatementParser.ExpectationContext;
import io.tidemark.sql.grammar.StatementParser.NotNullContext;
import io.tidemark.sql.grammar.StatementParser.TableElementContext;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Reads the column list of a table and collects what it must refuse in it. */
final class ColumnListReader {
    private final LocatedText text;
    private final Names names;
    private final TypeReader types;
    private final List<TidemarkException> faults;

    ColumnListReader(LocatedText text, List<TidemarkException> faults) {
        this.text = text;
        this.names = new Names(text);
        this.types = new TypeReader(text);
        this.faults = faults;
    }

    List<ColumnDefinition> read(List<TableElementContext> elements) {
        List<ColumnDefinition> columns = new ArrayList<>();
        Map<String, TextLocation> seen = new HashMap<>();
        for (TableElementContext element : elements) {
            if (element instanceof ColumnElementContext column) {
                addColumn(column, columns, seen);
            } else if (element instanceof ExpectationContext expectation) {
                refuse(
                        ErrorCode.EXPECTATIONS_UNSUPPORTED,
                        names.at(expectation),
                        "expectations such as " + names.name(expectation.constraint) + " are not supported yet",
                        "remove the CONSTRAINT, or filter the rows in the query");
            } else {
                refuse(
                        ErrorCode.UNSUPPORTED_FEATURE,
                        names.at(element),
                        "key and check constraints of tables are not supported",
                        "remove the constraint; a change flow names its keys in KEYS");
            }
        }
        return columns;
    }

    private void addColumn(
            ColumnElementContext element, List<ColumnDefinition> columns, Map<String, TextLocation> seen) {
        try {
            ColumnDefinition column = column(element);
            TextLocation first = seen.putIfAbsent(Literals.fold(column.name()), column.location());
            if (first != null) {
                faults.add(TidemarkException.of(
                                ErrorCode.DUPLICATE_NAME, "the column " + column.name() + " is declared twice")
                        .at(column.location())
                        .detail("It was first declared at " + first + ".")
                        .hint("names are compared without regard to case")
                        .build());
            } else {
                columns.add(column);
            }
        } catch (TidemarkException fault) {
            faults.add(fault);
        }
    }

    private ColumnDefinition column(ColumnElementContext element) {
        Optional<String> comment = Optional.empty();
        boolean nullable = true;
        for (ColumnOptionContext option : element.columnOption()) {
            if (option instanceof NotNullContext) {
                nullable = false;
            } else if (option instanceof ColumnCommentContext said) {
                comment = Optional.of(names.string(said.STRING().getSymbol()));
            } else {
                String word = option.getStart().getText().toUpperCase(Locale.ROOT);
                refuse(
                        ErrorCode.UNSUPPORTED_FEATURE,
                        text.at(option.getStart().getStartIndex()),
                        word + " is not supported for columns",
                        "a column has a name, a type, NOT NULL and COMMENT");
            }
        }
        return new ColumnDefinition(
                names.name(element.column), types.read(element.dataType()), nullable, comment, names.at(element));
    }

    private void refuse(ErrorCode code, TextLocation place, String primary, String hint) {
        faults.add(TidemarkException.of(code, primary).at(place).hint(hint).build());
    }
}
