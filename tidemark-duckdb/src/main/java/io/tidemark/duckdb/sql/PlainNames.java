package io.tidemark.duckdb.sql;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/**
 * Finds plain words that are names although DuckDB reserves them: Spark SQL reserves hardly any word, so a table may be
 * called {@code default} and a column {@code end}. Only places are looked at where the word could be nothing else.
 */
final class PlainNames {
    /** Words that DuckDB reserves and that no operand begins with, so that one in an operand's place is a name. */
    private static final Set<String> RESERVED =
            Set.of(("ANALYSE ANALYZE ASC ASOF ASYMMETRIC AT AUTHORIZATION BOTH CHECK"
                            + " COLLATE COLLATION COLUMN CONCURRENTLY CONSTRAINT CREATE DEFAULT DEFERRABLE DESC DESCRIBE DO ELSE END"
                            + " FETCH FOR FOREIGN FREEZE GENERATED GLOB GROUP INITIALLY INTO ISNULL LAMBDA LEADING LIMIT NOTNULL"
                            + " OFFSET ONLY ORDER OVERLAPS PIVOT PIVOT_LONGER PIVOT_WIDER PLACING POSITIONAL PRIMARY QUALIFY"
                            + " REFERENCES RETURNING SHOW SIMILAR SUMMARIZE SYMMETRIC TABLE THEN TO TRAILING UNIQUE UNPACK UNPIVOT"
                            + " USING VARIADIC VERBOSE WHEN WINDOW")
                    .split(" "));
    /** What stands before an operand or before the name of a relation. */
    private static final Set<String> WORDS_BEFORE = Set.of(
            "SELECT",
            "DISTINCT",
            "WHERE",
            "AND",
            "OR",
            "NOT",
            "BY",
            "ON",
            "HAVING",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "BETWEEN",
            "LIKE",
            "QUALIFY",
            "FROM",
            "JOIN");

    private static final Set<String> SYMBOLS_BEFORE =
            Set.of(",", "(", "[", "=", "==", "<", ">", "<=", ">=", "<>", "!=", "<=>", "+", "-", "/", "%", "||");
    private static final Set<String> FOLLOWED_BY_BY = Set.of("ORDER", "GROUP");
    private static final Set<String> TRIM_WORDS = Set.of("BOTH", "LEADING", "TRAILING");

    private final List<Token> tokens;
    /** Per open parenthesis, whether it belongs to a cast: its AS stands before a type. */
    private final Deque<Boolean> casts = new ArrayDeque<>();

    private PlainNames(List<Token> tokens) {
        this.tokens = new ArrayList<>(tokens);
    }

    /** The tokens with such words as names, as if they were written in backticks. */
    static List<Token> mark(List<Token> tokens) {
        return new PlainNames(tokens).marked();
    }

    private List<Token> marked() {
        for (int i = 1; i < tokens.size(); i++) {
            Token token = tokens.get(i);
            Token before = tokens.get(i - 1);
            if (token.isSymbol("(")) {
                casts.push(before.isWord("CAST") || before.isWord("TRY_CAST"));
            } else if (token.isSymbol(")")) {
                casts.poll();
            } else if (token.kind() == Token.Kind.WORD && isReserved(token) && isName(i)) {
                tokens.set(i, token.quoted());
            }
        }
        return tokens;
    }

    private static boolean isReserved(Token token) {
        return RESERVED.contains(Words.upper(token));
    }

    private boolean isName(int index) {
        Token before = tokens.get(index - 1);
        Token next = tokens.get(Math.min(index + 1, tokens.size() - 1));
        if (next.isSymbol("(")) {
            return false;
        }
        if (before.isSymbol(".") || next.isSymbol(".")) {
            return true;
        }
        if (before.isWord("AS")) {
            return !Boolean.TRUE.equals(casts.peek());
        }
        boolean operandPlace = before.kind() == Token.Kind.SYMBOL
                ? SYMBOLS_BEFORE.contains(before.text())
                : before.kind() == Token.Kind.WORD && WORDS_BEFORE.contains(Words.upper(before));
        return operandPlace && !isKeywordThere(index, before, next);
    }

    /** Keywords that stand in an operand's place all the same. */
    private boolean isKeywordThere(int index, Token before, Token next) {
        Token token = tokens.get(index);
        String word = Words.upper(token);
        boolean trim = before.isSymbol("(")
                && index > 1
                && Words.TRIM_FUNCTIONS.contains(Words.upper(tokens.get(index - 2)))
                && TRIM_WORDS.contains(word);
        return trim
                || (FOLLOWED_BY_BY.contains(word) && next.isWord("BY"))
                || (before.isWord("CASE") && (word.equals("WHEN") || word.equals("END")))
                || (before.isWord("BETWEEN") && word.endsWith("SYMMETRIC"))
                || (word.equals("TABLE") && before.isSymbol("(") && next.isName());
    }
}
