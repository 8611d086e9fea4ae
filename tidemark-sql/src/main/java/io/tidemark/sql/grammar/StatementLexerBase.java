package io.tidemark.sql.grammar;

import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.IntStream;
import org.antlr.v4.runtime.Lexer;

/** The part of the lexer that is written by hand. */
public abstract class StatementLexerBase extends Lexer {
    private int unclosedComment = -1;

    /** Made by the generated lexer. */
    protected StatementLexerBase(CharStream input) {
        super(input);
    }

    /** Where a block comment begins that does not end; -1 if there is none. */
    public int unclosedComment() {
        return unclosedComment;
    }

    /** Takes the rest of a block comment; comments nest. */
    protected void skipBlockComment() {
        int depth = 1;
        while (depth > 0) {
            int next = _input.LA(1);
            if (next == IntStream.EOF) {
                unclosedComment = _tokenStartCharIndex;
                return;
            }
            boolean opens = next == '/' && _input.LA(2) == '*';
            boolean closes = next == '*' && _input.LA(2) == '/';
            take();
            if (opens || closes) {
                take();
                depth += opens ? 1 : -1;
            }
        }
    }

    private void take() {
        getInterpreter().consume(_input);
    }
}
