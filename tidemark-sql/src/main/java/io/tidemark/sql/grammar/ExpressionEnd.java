package io.tidemark.sql.grammar;

import io.tidemark.core.error.ErrorCode;
import java.util.Locale;
import java.util.Set;
import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/**
 * Finds the end of an expression without knowing expressions. Outside brackets and CASE … END a word can follow a
 * complete operand only if it is an operator such as AND or IS; any other word belongs to what comes after the
 * expression. So columns that are called like clauses do no harm, and a misspelled clause is found where it stands.
 */
final class ExpressionEnd {
    /** Words that continue an expression after an operand and want another operand. */
    private static final Set<String> OPERATORS = Set.of(
            "and",
            "or",
            "not",
            "is",
            "in",
            "like",
            "ilike",
            "rlike",
            "regexp",
            "between",
            "div",
            "escape",
            "collate",
            "distinct",
            "from",
            "any",
            "some",
            "all",
            "over",
            "filter",
            "within",
            "respect",
            "ignore",
            "xor");

    /** Words behind a number or string in an interval. */
    private static final Set<String> UNITS =
            Set.of("year", "month", "week", "day", "hour", "minute", "second", "millisecond", "microsecond");

    /** Words that are followed by one more word which is not an operand: {@code IGNORE NULLS}, {@code WITHIN GROUP}. */
    private static final Set<String> PAIRS = Set.of("ignore", "respect", "within");

    private final TokenStream input;
    private int caseDepth;
    private int bracketDepth;
    private boolean complete;

    ExpressionEnd(TokenStream input) {
        this.input = input;
    }

    /** Takes the tokens behind the first one, which was taken. */
    void take() {
        Token first = input.LT(-1);
        if (ClauseStart.isPair(first.getType(), input.LA(1))) {
            throw new RefusedStatement(
                    ErrorCode.SYNTAX_ERROR,
                    first,
                    "expected an expression before " + folded(first).toUpperCase(Locale.ROOT),
                    "the clause in front of it needs a column or an expression");
        }
        see(first, first);
        while (input.LA(1) != Token.EOF && !isEnd()) {
            Token previous = input.LT(-1);
            Token token = input.LT(1);
            see(token, previous);
            input.consume();
        }
        if (caseDepth > 0) {
            throw new RefusedStatement(
                    ErrorCode.SYNTAX_ERROR, first, "CASE without END", "close the CASE expression with END");
        }
    }

    private boolean isEnd() {
        if (bracketDepth == 0 && Brackets.step(input.LA(1)) < 0) {
            return true;
        }
        if (bracketDepth > 0 || caseDepth > 0) {
            return false;
        }
        Token next = input.LT(1);
        if (next.getType() == StatementLexer.COMMA) {
            return true;
        }
        if (!complete || !Words.isName(next.getType())) {
            return false;
        }
        if (next.getType() == StatementLexer.BACKQUOTED) {
            return true;
        }
        String word = folded(next);
        if (PAIRS.contains(word)) {
            return input.LA(2) == StatementLexer.NULL;
        }
        return !OPERATORS.contains(word) && !continuesInterval(word);
    }

    private boolean continuesInterval(String word) {
        Token previous = input.LT(-1);
        String unit = word.endsWith("s") ? word.substring(0, word.length() - 1) : word;
        boolean behindValue = isLiteral(previous.getType());
        boolean behindUnit = previous.getType() != StatementLexer.BACKQUOTED && isUnit(folded(previous));
        return (behindValue && UNITS.contains(unit)) || (behindUnit && word.equals("to"));
    }

    private static boolean isUnit(String word) {
        return UNITS.contains(word) || (word.endsWith("s") && UNITS.contains(word.substring(0, word.length() - 1)));
    }

    /** Updates the state for a token that belongs to the expression. */
    private void see(Token token, Token previous) {
        int step = Brackets.step(token.getType());
        if (step != 0) {
            bracketDepth += step;
            complete = step < 0;
            return;
        }
        if (bracketDepth > 0) {
            return;
        }
        boolean isWord = Words.isName(token.getType()) && token.getType() != StatementLexer.BACKQUOTED;
        boolean isField = previous != token && previous.getType() == StatementLexer.DOT;
        if (isWord && !isField) {
            seeWord(folded(token));
        } else {
            complete = isWord || token.getType() == StatementLexer.BACKQUOTED || isLiteral(token.getType());
        }
        if (token.getType() == StatementLexer.STAR && isField) {
            complete = true;
        }
    }

    private void seeWord(String word) {
        if (word.equals("case") && !complete) {
            caseDepth++;
            complete = false;
        } else if (word.equals("end") && caseDepth > 0) {
            caseDepth--;
            complete = true;
        } else if (caseDepth > 0 && Set.of("when", "then", "else").contains(word)) {
            complete = false;
        } else if (complete) {
            // behind an operand: an operator, or the unit or pair word that ends the operand
            complete = isUnit(word) || word.equals("nulls") || word.equals("group");
        } else {
            // NOT and DISTINCT may begin or continue an operator; any other word is the operand
            complete = !Set.of("not", "distinct", "from", "any", "some", "all", "and", "or", "in", "like", "between")
                    .contains(word);
        }
    }

    private static boolean isLiteral(int type) {
        return type == StatementLexer.STRING
                || type == StatementLexer.RAW_STRING
                || type == StatementLexer.INTEGER
                || type == StatementLexer.NUMBER;
    }

    private static String folded(Token token) {
        return token.getText().toLowerCase(Locale.ROOT);
    }
}
