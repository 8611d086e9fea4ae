package io.tidemark.sql.text;

import java.util.Locale;

/** The spelling of strings and names in Spark SQL. */
public final class Literals {
    private Literals() {}

    /**
     * The value of a string literal with its quotes: {@code '…'}, {@code "…"} or a raw {@code r'…'}. A doubled quote is
     * one quote; {@code \n}, {@code \t}, {@code \\u0041} and so on are escapes, {@code \%} and {@code \_} keep their
     * backslash for LIKE.
     */
    public static String string(String literal) {
        if (literal.charAt(0) == 'r' || literal.charAt(0) == 'R') {
            return literal.substring(2, literal.length() - 1);
        }
        char quote = literal.charAt(0);
        StringBuilder value = new StringBuilder(literal.length());
        int end = literal.length() - 1;
        int i = 1;
        while (i < end) {
            char c = literal.charAt(i);
            if (c == quote) {
                value.append(quote);
                i += 2;
            } else if (c == '\\' && i + 1 < end) {
                i = escape(literal, i + 1, end, value);
            } else {
                value.append(c);
                i++;
            }
        }
        return value.toString();
    }

    /** The value of a name with or without backticks. */
    public static String name(String text) {
        boolean quoted = text.length() >= 2 && text.charAt(0) == '`';
        return quoted ? text.substring(1, text.length() - 1).replace("``", "`") : text;
    }

    /** A name in backticks. */
    public static String quote(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    /** Folds a name for comparison without regard to case. */
    public static String fold(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Appends the value of the escape whose character behind the backslash is at {@code i}; returns what follows. */
    private static int escape(String literal, int i, int end, StringBuilder value) {
        char c = literal.charAt(i);
        int digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (digits > 0 && i + digits < end && isHex(literal, i + 1, i + 1 + digits)) {
            int code = Integer.parseUnsignedInt(literal.substring(i + 1, i + 1 + digits), 16);
            if (Character.isValidCodePoint(code)) {
                value.appendCodePoint(code);
                return i + 1 + digits;
            }
        }
        if (c >= '0' && c <= '1' && i + 2 < end && isOctal(literal, i + 1, i + 3)) {
            value.append((char) Integer.parseInt(literal.substring(i, i + 3), 8));
            return i + 3;
        }
        switch (c) {
            case '0' -> value.append('\0');
            case 'b' -> value.append('\b');
            case 'n' -> value.append('\n');
            case 'r' -> value.append('\r');
            case 't' -> value.append('\t');
            case 'Z' -> value.append('\u001A');
            case '%', '_' -> value.append('\\').append(c);
            default -> value.append(c);
        }
        return i + 1;
    }

    private static boolean isHex(String text, int from, int to) {
        return text.substring(from, to).chars().allMatch(c -> Character.digit(c, 16) >= 0 && c < 128);
    }

    private static boolean isOctal(String text, int from, int to) {
        return text.substring(from, to).chars().allMatch(c -> c >= '0' && c <= '7');
    }
}
