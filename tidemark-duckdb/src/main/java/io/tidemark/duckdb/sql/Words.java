package io.tidemark.duckdb.sql;

import java.util.Locale;
import java.util.Set;

/** Words with a meaning of their own in queries. */
final class Words {
    static final Set<String> FIRST_WORDS = Set.of("SELECT", "WITH", "VALUES", "FROM");
    /** Words before a parenthesis that are no function names. */
    static final Set<String> KEYWORDS = Set.of(
            "SELECT",
            "FROM",
            "WHERE",
            "AND",
            "OR",
            "NOT",
            "IN",
            "OVER",
            "VALUES",
            "USING",
            "ON",
            "AS",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "BETWEEN",
            "UNION",
            "ALL",
            "EXCEPT",
            "INTERSECT",
            "MINUS",
            "HAVING",
            "BY",
            "JOIN",
            "WITH",
            "DISTINCT",
            "LIKE",
            "ILIKE",
            "RLIKE",
            "REGEXP",
            "LIMIT",
            "OFFSET",
            "IS",
            "QUALIFY",
            "SETS",
            "ROLLUP",
            "CUBE",
            "WINDOW",
            "LATERAL",
            "DIV",
            "END",
            "SET",
            "CROSS",
            "INNER",
            "OUTER",
            "FULL",
            "NATURAL",
            "SEMI",
            "ANTI",
            "RECURSIVE",
            "ESCAPE",
            "INTERVAL");
    /** Functions that may be written with words between their arguments. */
    static final Set<String> WORDY_FUNCTIONS = Set.of("EXTRACT", "TRIM", "SUBSTRING", "SUBSTR", "POSITION");

    static final Set<String> WORDS_IN_FUNCTIONS = Set.of("FROM", "IN", "BOTH", "LEADING", "TRAILING");
    static final Set<String> TRIM_FUNCTIONS = Set.of("TRIM", "LTRIM", "RTRIM", "BTRIM");
    static final Set<String> NILADIC = Set.of("CURRENT_DATE", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP");

    private Words() {}

    static String upper(Token token) {
        return token.text().toUpperCase(Locale.ROOT);
    }

    static boolean isQueryStart(Token token) {
        return token.isWord("SELECT") || token.isWord("WITH") || token.isWord("VALUES") || token.isWord("FROM");
    }

    /** Whether an operator may follow the token, so that what comes next is no prefix of another operand. */
    static boolean endsOperand(Token token) {
        return switch (token.kind()) {
            case NAME, STRING, BINARY, NUMBER -> true;
            case WORD -> !KEYWORDS.contains(upper(token)) || token.isWord("END");
            case SYMBOL -> token.isSymbol(")") || token.isSymbol("]");
            case END -> false;
        };
    }
}
