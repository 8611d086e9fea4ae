package io.tidemark.sql.grammar;

import io.tidemark.core.error.ErrorCode;
import java.util.Locale;
import org.antlr.v4.runtime.Parser;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/**
 * The part of the parser that is written by hand: it takes runs of tokens that the grammar does not look into. Brackets
 * of a statement are balanced before it is parsed, see {@link StatementTokens}.
 */
public abstract class StatementParserBase extends Parser {
    /** How deep types may nest. Parsing is recursive, so some limit is needed. */
    private static final int TYPE_DEPTH_MAX = 100;

    /** Made by the generated parser. */
    protected StatementParserBase(TokenStream input) {
        super(input);
    }

    /** Takes tokens up to the bracket that closes the one just taken. */
    protected void skipToClosing() {
        int depth = 1;
        while (depth > 0 && type(1) != Token.EOF) {
            depth += Brackets.step(type(1));
            take();
        }
    }

    /** Takes the rest of a column or constraint in a column list, up to its comma or closing parenthesis. */
    protected void skipElement() {
        int depth = Brackets.step(_input.LT(-1).getType()) > 0 ? 1 : 0;
        while (type(1) != Token.EOF) {
            int step = Brackets.step(type(1));
            if (depth == 0 && (step < 0 || type(1) == StatementLexer.COMMA)) {
                return;
            }
            depth += step;
            take();
        }
    }

    /** Takes the rest of an expression whose first token was taken, up to the next clause. */
    protected void takeExpression() {
        new ExpressionEnd(_input).take();
    }

    /** Takes the rest of what stands behind FROM; its first token was taken. */
    protected void takeSource() {
        int first = _input.LT(-1).getType();
        if (first == StatementLexer.LPAREN) {
            skipToClosing();
            return;
        }
        if (first == StatementLexer.SNAPSHOT && takesArgument()) {
            takeNameOrParentheses();
            return;
        }
        if (first == StatementLexer.STREAM && type(1) != StatementLexer.LPAREN && takesArgument()) {
            take();
        }
        takeNameAndArguments();
    }

    /** Takes the rest of a MERGE's source, whose first token was taken, up to ON. */
    protected void takeMergeSource() {
        int depth = Brackets.step(_input.LT(-1).getType());
        while (type(1) != Token.EOF && (depth > 0 || type(1) != StatementLexer.ON)) {
            depth += Brackets.step(type(1));
            take();
        }
    }

    /** Whether the name that comes next is a table's alias and not the word that follows the table. */
    protected boolean isAlias() {
        return switch (type(1)) {
            case StatementLexer.SET, StatementLexer.USING, StatementLexer.WHERE -> false;
            default -> isWord(_input.LT(1));
        };
    }

    /** Whether a parenthesised list of names comes next, and not a query in parentheses. */
    protected boolean isNameList() {
        if (type(1) != StatementLexer.LPAREN) {
            return false;
        }
        return switch (type(2)) {
            case StatementLexer.SELECT,
                    StatementLexer.WITH,
                    StatementLexer.VALUES,
                    StatementLexer.FROM,
                    StatementLexer.TABLE,
                    StatementLexer.LPAREN -> isListToken(type(3));
            default -> true;
        };
    }

    /** Stops at types that nest too deeply. */
    protected void enterType() {
        if (getContext().depth() > 2 * TYPE_DEPTH_MAX) {
            throw new RefusedStatement(
                    ErrorCode.INVALID_TYPE,
                    _input.LT(1),
                    "types nest deeper than " + TYPE_DEPTH_MAX + " levels",
                    "flatten the type");
        }
    }

    /** Stops at {@code CREATE LIVE TABLE}, the first spelling of materialized views. */
    protected void refuseLive() {
        throw new RefusedStatement(
                ErrorCode.UNSUPPORTED_STATEMENT,
                _input.LT(-2),
                "CREATE LIVE " + _input.LT(-1).getText().toUpperCase(Locale.ROOT) + " is an old spelling",
                "write CREATE MATERIALIZED VIEW or CREATE TEMPORARY VIEW");
    }

    /** Stops at a clause of other systems. */
    protected void refuseClause() {
        Token word = _input.LT(-1);
        throw new RefusedStatement(
                ErrorCode.UNSUPPORTED_FEATURE,
                word,
                word.getText().toUpperCase(Locale.ROOT) + " is not supported here",
                "remove the clause");
    }

    private static boolean isListToken(int type) {
        return type == StatementLexer.COMMA || type == StatementLexer.RPAREN;
    }

    private void takeNameOrParentheses() {
        boolean opens = type(1) == StatementLexer.LPAREN;
        if (type(1) == Token.EOF) {
            return;
        }
        take();
        if (opens) {
            skipToClosing();
        } else {
            takeNameAndArguments();
        }
    }

    private void takeNameAndArguments() {
        while (type(1) == StatementLexer.DOT && isWord(_input.LT(2))) {
            take();
            take();
        }
        if (type(1) == StatementLexer.LPAREN) {
            take();
            skipToClosing();
        }
    }

    /** Whether STREAM or SNAPSHOT, just taken, is a keyword: a name or parenthesis follows that begins no clause. */
    private boolean takesArgument() {
        return type(1) == StatementLexer.LPAREN || (isWord(_input.LT(1)) && !ClauseStart.isAt(_input));
    }

    private static boolean isWord(Token token) {
        return Words.isName(token.getType());
    }

    private int type(int distance) {
        return _input.LA(distance);
    }

    private void take() {
        _input.consume();
    }
}
