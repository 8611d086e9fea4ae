package io.tidemark.sql.grammar;

/** Which tokens open and close brackets. */
public final class Brackets {
    private Brackets() {}

    /** By how much a token changes the depth: 1, -1 or 0. */
    public static int step(int tokenType) {
        return switch (tokenType) {
            case StatementLexer.LPAREN, StatementLexer.LBRACKET -> 1;
            case StatementLexer.RPAREN, StatementLexer.RBRACKET -> -1;
            default -> 0;
        };
    }
}
