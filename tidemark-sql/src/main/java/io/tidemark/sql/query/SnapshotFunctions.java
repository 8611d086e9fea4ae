package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.StatementTokens;
import io.tidemark.sql.text.LocatedText;
import java.util.List;
import java.util.Set;
import org.antlr.v4.runtime.Token;

/**
 * The functions of {@code AUTO CDC FROM SNAPSHOT}: {@code current_snapshot_version()} in the query of a snapshot, and
 * {@code last_snapshot_version()} in the query that finds its version. They are replaced in the text, so that engines
 * see a constant, which skips files and stands where only constants may, as in {@code t VERSION AS OF
 * current_snapshot_version()}.
 */
public final class SnapshotFunctions {
    private static final String CURRENT = "current_snapshot_version";
    private static final String LAST = "last_snapshot_version";
    /** What a query must not call if it shall give the same rows for the same tables. */
    private static final Set<String> CHANGING = Set.of(
            CURRENT,
            "current_timestamp",
            "current_date",
            "current_time",
            "curdate",
            "localtimestamp",
            "now",
            "unix_timestamp",
            "uuid",
            "rand",
            "random",
            "randn");

    private SnapshotFunctions() {}

    /**
     * The query of a snapshot with its version.
     *
     * @param literal the version in Spark SQL
     * @throws TidemarkException {@code UNKNOWN_FUNCTION} if it calls the other function
     */
    public static QueryText withCurrent(QueryText query, String literal) {
        return replaced(query, CURRENT, literal, LAST, "a version query may call it: WITH VERSION (SELECT …)");
    }

    /**
     * The query of a snapshot without its version, to be bound only: tables are read as they are now.
     *
     * @param literal a NULL of the version's type in Spark SQL
     */
    public static QueryText withoutCurrent(QueryText query, String literal) {
        LocatedText text = LocatedText.of(query);
        List<Token> tokens = StatementTokens.lex(text);
        StringBuilder blanked = new StringBuilder(query.sql());
        for (int i = 2; i < tokens.size(); i++) {
            boolean behindVersion = isCall(tokens, i, CURRENT)
                    && i >= 3
                    && isWord(tokens.get(i - 1), "of")
                    && isWord(tokens.get(i - 2), "as");
            if (behindVersion) {
                int from = tokens.get(i - 3).getStartIndex();
                int to = tokens.get(i + 2).getStopIndex() + 1;
                for (int c = from; c < to; c++) {
                    boolean line = blanked.charAt(c) == '\n' || blanked.charAt(c) == '\r';
                    blanked.setCharAt(c, line ? blanked.charAt(c) : ' ');
                }
            }
        }
        return withCurrent(new QueryText(blanked.toString(), query.location()), literal);
    }

    /**
     * The query that finds the next version, with the last one.
     *
     * @param literal the last version in Spark SQL, or NULL
     * @throws TidemarkException {@code UNKNOWN_FUNCTION} if it calls the other function
     */
    public static QueryText withLast(QueryText query, String literal) {
        return replaced(query, LAST, literal, CURRENT, "the query of a snapshot may call it, behind FROM SNAPSHOT");
    }

    /** Whether a query may give other rows although its tables and files did not change. */
    public static boolean mayChangeByItself(QueryText query) {
        return StatementTokens.lex(LocatedText.of(query)).stream()
                .anyMatch(token -> CHANGING.stream().anyMatch(name -> isWord(token, name)));
    }

    private static QueryText replaced(QueryText query, String name, String literal, String other, String otherHint) {
        LocatedText text = LocatedText.of(query);
        List<Token> tokens = StatementTokens.lex(text);
        StringBuilder result = new StringBuilder();
        int done = 0;
        for (int i = 0; i < tokens.size(); i++) {
            int start = tokens.get(i).getStartIndex();
            if (isCall(tokens, i, other)) {
                throw text.error(ErrorCode.UNKNOWN_FUNCTION, other + "() is not known here", start)
                        .hint(otherHint)
                        .build();
            }
            if (!isCall(tokens, i, name)) {
                continue;
            }
            int end = tokens.get(i + 2).getStopIndex() + 1;
            boolean number = i > 2 && isWord(tokens.get(i - 1), "of") && isWord(tokens.get(i - 3), "version");
            String value = number ? plain(literal) : literal;
            result.append(query.sql(), done, start).append(value);
            // What follows keeps its place, so that errors in it show the right one, as long as there is room.
            result.append(" ".repeat(Math.max(0, end - start - value.length())));
            done = end;
        }
        return new QueryText(result + query.sql().substring(done), query.location());
    }

    /** Behind VERSION AS OF stands a number and no expression. */
    private static String plain(String literal) {
        return literal.replaceFirst("^CAST\\('(\\d+)' AS [A-Z]+\\)$", "$1");
    }

    private static boolean isCall(List<Token> tokens, int at, String name) {
        return at + 2 < tokens.size()
                && isWord(tokens.get(at), name)
                && tokens.get(at + 1).getType() == StatementLexer.LPAREN
                && tokens.get(at + 2).getType() == StatementLexer.RPAREN
                && (at == 0 || tokens.get(at - 1).getType() != StatementLexer.DOT);
    }

    private static boolean isWord(Token token, String word) {
        return token.getText().equalsIgnoreCase(word);
    }
}
