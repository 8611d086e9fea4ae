package io.tidemark.sql.query;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.Brackets;
import io.tidemark.sql.grammar.ExpressionLength;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.util.List;
import org.antlr.v4.runtime.Token;

/** A place between the tokens of a query. */
final class TokenCursor {
    private static final int NONE = Token.EOF;

    private final LocatedText text;
    private final List<Token> tokens;
    private int next;

    TokenCursor(LocatedText text, List<Token> tokens) {
        this.text = text;
        this.tokens = tokens;
    }

    int index() {
        return next;
    }

    void moveTo(int index) {
        next = index;
    }

    boolean atEnd() {
        return next >= tokens.size();
    }

    void take() {
        next++;
    }

    /** The token at a distance, 0 for the next one; there must be one. */
    Token token(int distance) {
        return tokens.get(next + distance);
    }

    /** The type of the token at a distance. */
    int type(int distance) {
        int at = next + distance;
        return at < 0 || at >= tokens.size() ? NONE : tokens.get(at).getType();
    }

    boolean isName(int distance) {
        return Words.isName(type(distance));
    }

    /** The token at a distance as a lower-case word without quotes; empty if it is not a bare word. */
    String word(int distance) {
        boolean bare = isName(distance) && type(distance) != StatementLexer.BACKQUOTED;
        return bare ? Literals.fold(token(distance).getText()) : "";
    }

    /** Whether no white space or comment stands before the token at a distance. */
    boolean isAdjacent(int distance) {
        return token(distance - 1).getStopIndex() + 1 == token(distance).getStartIndex();
    }

    /** The offset behind the token taken last. */
    int endOfLast() {
        return tokens.get(next - 1).getStopIndex() + 1;
    }

    /** The offset of the next token. */
    int offset() {
        return atEnd() ? text.text().length() : token(0).getStartIndex();
    }

    TextLocation place() {
        return text.at(offset());
    }

    /** The number of tokens of the expression that begins at the next token; 0 at the end. */
    int expression() {
        return atEnd() ? 0 : ExpressionLength.of(tokens.subList(next, tokens.size()));
    }

    /** How far the bracket is that closes the one at the next token. */
    int closing() {
        int depth = 0;
        for (int i = 0; next + i < tokens.size(); i++) {
            depth += Brackets.step(type(i));
            if (depth == 0) {
                return i;
            }
        }
        throw fault(ErrorCode.SYNTAX_ERROR, "( is not closed", "close it");
    }

    TidemarkException fault(ErrorCode code, String primary, String hint) {
        return text.error(code, primary, offset()).hint(hint).build();
    }
}
