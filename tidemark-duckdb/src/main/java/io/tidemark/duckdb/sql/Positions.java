package io.tidemark.duckdb.sql;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;

/** Finds the line and column in the user's file for an offset in the text of a query. */
final class Positions {
    private final QueryText query;

    Positions(QueryText query) {
        this.query = query;
    }

    /** The place of a character. */
    TextLocation at(int offset) {
        TextLocation start = query.location();
        if (!start.isKnown()) {
            return start;
        }
        String before = query.sql()
                .substring(0, Math.max(0, Math.min(offset, query.sql().length())));
        int lastBreak = before.lastIndexOf('\n');
        int line = start.line()
                + (int) before.chars().filter(character -> character == '\n').count();
        int column = lastBreak < 0 ? start.column() + before.length() : before.length() - lastBreak;
        return new TextLocation(start.file(), line, column);
    }

    /** The offset of the first token that is that name, or 0. */
    int find(String name) {
        return Lexer.tokens(query.sql(), this).stream()
                .filter(token -> token.isName() && token.text().equalsIgnoreCase(name))
                .findFirst()
                .map(Token::start)
                .orElse(0);
    }

    /** Starts an error at a character. */
    TidemarkException.Builder error(ErrorCode code, String primary, int offset) {
        return TidemarkException.of(code, primary).at(at(offset));
    }
}
