package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Cuts Spark SQL into tokens. */
final class Lexer {
    private static final List<String> SYMBOLS = List.of(
            "<=>", "->>", "<<", ">>", "<=", ">=", "<>", "!=", "==", "||", "->", "=>", "::", ":=", "**", "!<", "!>",
            "|>");
    private static final String SINGLE = "()[],.;+-*/%<>=!&|^~:?{}@#$";
    private static final int OCTAL_DIGITS = 3;
    private static final int SHORT_ESCAPE_DIGITS = 4;
    private static final int LONG_ESCAPE_DIGITS = 8;

    private final String text;
    private final Positions positions;
    private int position;

    private Lexer(String text, Positions positions) {
        this.text = text;
        this.positions = positions;
    }

    /** All tokens, the last one of kind END. */
    static List<Token> tokens(String text, Positions positions) {
        Lexer lexer = new Lexer(text, positions);
        List<Token> tokens = new ArrayList<>();
        Token token;
        do {
            token = lexer.next();
            tokens.add(token);
        } while (token.kind() != Token.Kind.END);
        return tokens;
    }

    private Token next() {
        skipBlanks();
        int start = position;
        if (position >= text.length()) {
            return new Token(Token.Kind.END, "", start, start);
        }
        char character = text.charAt(position);
        if (character == '`') {
            return token(Token.Kind.NAME, name(), start);
        }
        if (character == '\'' || character == '"') {
            return token(Token.Kind.STRING, string(false), start);
        }
        char second = position + 1 < text.length() ? text.charAt(position + 1) : 0;
        if ((character == 'r' || character == 'R') && (second == '\'' || second == '"')) {
            position++;
            return token(Token.Kind.STRING, string(true), start);
        }
        if ((character == 'x' || character == 'X') && (second == '\'' || second == '"')) {
            position++;
            return token(Token.Kind.BINARY, string(true), start);
        }
        if (isDigit(character) || (character == '.' && isDigit(second) && !followsName(start))) {
            return token(Token.Kind.NUMBER, number(), start);
        }
        if (Character.isLetter(character) || character == '_') {
            while (position < text.length() && isNamePart(text.charAt(position))) {
                position++;
            }
            return token(Token.Kind.WORD, text.substring(start, position), start);
        }
        return symbol(start);
    }

    private Token token(Token.Kind kind, String value, int start) {
        if (value.indexOf('\0') >= 0) {
            throw positions
                    .error(ErrorCode.UNSUPPORTED_FEATURE, "the character NUL is not supported in queries", start)
                    .build();
        }
        return new Token(kind, value, start, position);
    }

    private Token symbol(int start) {
        for (String symbol : SYMBOLS) {
            if (text.startsWith(symbol, start)) {
                position += symbol.length();
                return token(Token.Kind.SYMBOL, symbol, start);
            }
        }
        String symbol = text.substring(start, start + 1);
        if (!SINGLE.contains(symbol)) {
            throw positions
                    .error(ErrorCode.SYNTAX_ERROR, "unexpected character '" + symbol + "'", start)
                    .build();
        }
        position++;
        return token(Token.Kind.SYMBOL, symbol, start);
    }

    private void skipBlanks() {
        while (position < text.length()) {
            if (Character.isWhitespace(text.charAt(position))) {
                position++;
            } else if (text.startsWith("--", position)) {
                int end = text.indexOf('\n', position);
                position = end < 0 ? text.length() : end;
            } else if (text.startsWith("/*", position)) {
                skipComment();
            } else {
                return;
            }
        }
    }

    private void skipComment() {
        int start = position;
        int depth = 0;
        do {
            if (text.startsWith("/*", position)) {
                depth++;
                position += 2;
            } else if (text.startsWith("*/", position)) {
                depth--;
                position += 2;
            } else {
                position++;
            }
        } while (depth > 0 && position < text.length());
        if (depth > 0) {
            throw positions
                    .error(ErrorCode.SYNTAX_ERROR, "a comment does not end", start)
                    .build();
        }
    }

    private String name() {
        int start = position++;
        StringBuilder name = new StringBuilder();
        while (position < text.length()) {
            char character = text.charAt(position++);
            if (character != '`') {
                name.append(character);
            } else if (position < text.length() && text.charAt(position) == '`') {
                name.append(character);
                position++;
            } else {
                return name.toString();
            }
        }
        throw positions
                .error(ErrorCode.SYNTAX_ERROR, "a quoted name does not end", start)
                .build();
    }

    private String string(boolean raw) {
        int start = position;
        char quote = text.charAt(position++);
        StringBuilder value = new StringBuilder();
        while (position < text.length()) {
            char character = text.charAt(position++);
            if (character == '\\' && !raw && position < text.length()) {
                escape(value);
            } else if (character != quote) {
                value.append(character);
            } else if (!raw && position < text.length() && text.charAt(position) == quote) {
                value.append(character);
                position++;
            } else {
                return value.toString();
            }
        }
        throw positions
                .error(ErrorCode.SYNTAX_ERROR, "a string does not end", start)
                .build();
    }

    private void escape(StringBuilder value) {
        char character = text.charAt(position++);
        switch (character) {
            case 'b' -> value.append('\b');
            case 'n' -> value.append('\n');
            case 'r' -> value.append('\r');
            case 't' -> value.append('\t');
            case 'Z' -> value.append('\u001A');
            case '%', '_' -> value.append('\\').append(character);
            case 'u' -> codePoint(value, character, SHORT_ESCAPE_DIGITS);
            case 'U' -> codePoint(value, character, LONG_ESCAPE_DIGITS);
            case '0', '1', '2', '3' -> octal(value, character);
            default -> value.append(character);
        }
    }

    private void codePoint(StringBuilder value, char letter, int digits) {
        if (position + digits <= text.length()
                && text.substring(position, position + digits).matches("[0-9a-fA-F]+")) {
            value.appendCodePoint(Integer.parseInt(text.substring(position, position + digits), 16));
            position += digits;
        } else {
            value.append(letter);
        }
    }

    private void octal(StringBuilder value, char first) {
        int end = position - 1 + OCTAL_DIGITS;
        if (end <= text.length() && text.substring(position - 1, end).matches("[0-3][0-7]{2}")) {
            value.append((char) Integer.parseInt(text.substring(position - 1, end), 8));
            position = end;
        } else {
            value.append(first == '0' ? '\0' : first);
        }
    }

    private String number() {
        int start = position;
        skipDigits();
        if (position < text.length() && text.charAt(position) == '.') {
            position++;
            skipDigits();
        }
        if (position < text.length() && "eE".indexOf(text.charAt(position)) >= 0) {
            int mark = position++;
            if (position < text.length() && "+-".indexOf(text.charAt(position)) >= 0) {
                position++;
            }
            if (position < text.length() && isDigit(text.charAt(position))) {
                skipDigits();
            } else {
                position = mark;
            }
        }
        int suffix = position;
        while (position < text.length() && isNamePart(text.charAt(position))) {
            position++;
        }
        String letters = text.substring(suffix, position).toUpperCase(Locale.ROOT);
        if (!List.of("", "L", "S", "Y", "D", "F", "BD").contains(letters)) {
            throw positions
                    .error(ErrorCode.SYNTAX_ERROR, "'" + text.substring(start, position) + "' is no number", start)
                    .build();
        }
        return text.substring(start, position).toUpperCase(Locale.ROOT);
    }

    private void skipDigits() {
        while (position < text.length() && isDigit(text.charAt(position))) {
            position++;
        }
    }

    /** In {@code t.1a} the point belongs to the name before it. */
    private boolean followsName(int start) {
        return start > 0 && (isNamePart(text.charAt(start - 1)) || "`)]".indexOf(text.charAt(start - 1)) >= 0);
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }

    private static boolean isNamePart(char character) {
        return Character.isLetterOrDigit(character) || character == '_';
    }
}
