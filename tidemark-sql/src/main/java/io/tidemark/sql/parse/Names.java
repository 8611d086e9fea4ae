package io.tidemark.sql.parse;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.grammar.StatementParser.IdentifierContext;
import io.tidemark.sql.grammar.StatementParser.NamesContext;
import io.tidemark.sql.grammar.StatementParser.QualifiedNameContext;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.List;
import java.util.stream.Collectors;
import org.antlr.v4.runtime.ParserRuleContext;
import org.antlr.v4.runtime.Token;

/** Reads names, strings and places of a statement's tree. */
final class Names {
    private static final String LIVE = "live";

    private final LocatedText text;

    Names(LocatedText text) {
        this.text = text;
    }

    TextLocation at(ParserRuleContext context) {
        return at(context.getStart());
    }

    TextLocation at(Token token) {
        return text.at(token.getStartIndex());
    }

    String name(IdentifierContext context) {
        String name = Literals.name(context.getText());
        if (name.isEmpty()) {
            throw text.error(
                            ErrorCode.SYNTAX_ERROR,
                            "a name is empty",
                            context.getStart().getStartIndex())
                    .hint("write at least one character between the backticks")
                    .build();
        }
        return name;
    }

    ColumnReference column(IdentifierContext context) {
        return new ColumnReference(name(context), at(context));
    }

    List<ColumnReference> columns(NamesContext context) {
        return context.identifier().stream().map(this::column).toList();
    }

    /** A table's name; the prefix LIVE of older pipelines is left out. */
    TableName table(QualifiedNameContext context) {
        List<String> parts = parts(context);
        if (parts.size() > 2) {
            throw text.error(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "the name " + context.getText() + " has more than two parts",
                            context.getStart().getStartIndex())
                    .hint("a warehouse has schemas and tables, no catalogs: write table or schema.table")
                    .build();
        }
        return parts.size() == 1 ? TableName.of(parts.get(0)) : new TableName(parts.get(0), parts.get(1));
    }

    /** A flow's name, parts joined by dots. */
    String flow(QualifiedNameContext context) {
        return String.join(".", parts(context));
    }

    String string(Token token) {
        return Literals.string(token.getText());
    }

    /** The tokens of a context without what stands between them. */
    static String joined(List<? extends ParserRuleContext> contexts) {
        return contexts.stream().map(ParserRuleContext::getText).collect(Collectors.joining("."));
    }

    private List<String> parts(QualifiedNameContext context) {
        List<IdentifierContext> written = context.identifier();
        boolean live = written.size() > 1 && written.get(0).getText().equalsIgnoreCase(LIVE);
        return written.stream().skip(live ? 1 : 0).map(this::name).toList();
    }
}
