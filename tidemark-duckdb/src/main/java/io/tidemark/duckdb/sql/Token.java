package io.tidemark.duckdb.sql;

/**
 * A token of Spark SQL.
 *
 * @param kind what it is
 * @param text the text as written; for names and strings the value without quotes and escapes
 * @param start offset of its first character
 * @param end offset behind its last character
 */
record Token(Kind kind, String text, int start, int end) {
    /** Kinds of tokens. */
    enum Kind {
        /** A keyword or a name without quotes. */
        WORD,
        /** A name in backticks. */
        NAME,
        STRING,
        /** Bytes in hexadecimal digits. */
        BINARY,
        NUMBER,
        SYMBOL,
        END
    }

    /** The same word as if it were written in backticks. */
    Token quoted() {
        return new Token(Kind.NAME, text, start, end);
    }

    boolean isWord(String word) {
        return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSymbol(String symbol) {
        return kind == Kind.SYMBOL && text.equals(symbol);
    }

    boolean isName() {
        return kind == Kind.WORD || kind == Kind.NAME;
    }
}
