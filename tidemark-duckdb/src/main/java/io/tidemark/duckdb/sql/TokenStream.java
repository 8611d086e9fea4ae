package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/** Tokens with a place among them. */
class TokenStream {
    private final List<Token> tokens;
    private final Positions positions;
    private int index;

    TokenStream(List<Token> tokens, Positions positions) {
        this.tokens = tokens;
        this.positions = positions;
    }

    final int index() {
        return index;
    }

    final void moveTo(int place) {
        index = place;
    }

    final void skip(int count) {
        index += count;
    }

    final List<Token> all() {
        return tokens;
    }

    final Positions positions() {
        return positions;
    }

    final Token peek(int ahead) {
        return token(index + ahead);
    }

    final Token previous() {
        return index == 0 ? tokens.get(tokens.size() - 1) : tokens.get(index - 1);
    }

    final Token token(int at) {
        return tokens.get(Math.min(at, tokens.size() - 1));
    }

    final int closing(int openIndex) {
        int depth = 0;
        for (int i = openIndex; i < tokens.size(); i++) {
            if (tokens.get(i).isSymbol("(")) {
                depth++;
            } else if (tokens.get(i).isSymbol(")")) {
                depth--;
                if (depth == 0) {
                    return i;
                }
            }
        }
        throw positions
                .error(
                        ErrorCode.SYNTAX_ERROR,
                        "a parenthesis is not closed",
                        token(openIndex).start())
                .build();
    }

    /** Indexes of the commas between the arguments in a parenthesis, and of its end. */
    final List<Integer> separators(int openIndex) {
        List<Integer> separators = new ArrayList<>();
        int close = closing(openIndex);
        int depth = 0;
        for (int i = openIndex; i < close; i++) {
            Token token = token(i);
            if (token.isSymbol("(") || token.isSymbol("[")) {
                depth++;
            } else if (token.isSymbol(")") || token.isSymbol("]")) {
                depth--;
            } else if (depth == 1 && token.isSymbol(",")) {
                separators.add(i);
            }
        }
        separators.add(close);
        return separators;
    }

    final boolean isPath(int from, int end) {
        for (int i = from; i < end; i++) {
            boolean name = (i - from) % 2 == 0;
            if (name ? !token(i).isName() : !token(i).isSymbol(".")) {
                return false;
            }
        }
        return true;
    }

    final boolean holdsWord(int openIndex) {
        int close = closing(openIndex);
        int depth = 0;
        for (int i = openIndex; i < close; i++) {
            Token token = token(i);
            if (token.isSymbol("(")) {
                depth++;
            } else if (token.isSymbol(")")) {
                depth--;
            } else if (depth == 1
                    && token.kind() == Token.Kind.WORD
                    && Words.WORDS_IN_FUNCTIONS.contains(Words.upper(token))) {
                return true;
            }
        }
        return false;
    }
}
