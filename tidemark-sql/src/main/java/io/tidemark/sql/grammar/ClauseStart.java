package io.tidemark.sql.grammar;

import org.antlr.v4.runtime.Token;
import org.antlr.v4.runtime.TokenStream;

/** Recognizes where a clause of a change flow begins. */
final class ClauseStart {
    private ClauseStart() {}

    /** Whether the next tokens begin a clause, judged by two words where the first alone could be a name. */
    static boolean isAt(TokenStream input) {
        int second = input.LA(2);
        return switch (input.LA(1)) {
            case Token.EOF -> true;
            case StatementLexer.KEYS -> second == StatementLexer.LPAREN || Words.isName(second);
            case StatementLexer.COLUMNS ->
                second == StatementLexer.LPAREN || second == StatementLexer.STAR || Words.isName(second);
            default -> isPair(input.LA(1), second);
        };
    }

    /** Whether two words begin a clause wherever they stand, because no expression can begin with them. */
    static boolean isPair(int first, int second) {
        return switch (first) {
            case StatementLexer.IGNORE -> second == StatementLexer.NULL;
            case StatementLexer.APPLY, StatementLexer.STORED -> second == StatementLexer.AS;
            case StatementLexer.SEQUENCE -> second == StatementLexer.BY;
            case StatementLexer.SYSTEM -> second == StatementLexer.SEQUENCE;
            case StatementLexer.TRACK -> second == StatementLexer.HISTORY;
            default -> false;
        };
    }
}
