package io.tidemark.core.change;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which columns an expression may read, judged by its text: names outside string literals that are not called as
 * functions. It may name a column too many, never one too few.
 */
final class ExpressionColumns {
    private static final Pattern TOKEN = Pattern.compile(
            "'(?:[^'\\\\]|\\\\.|'')*'|\"(?:[^\"\\\\]|\\\\.)*\"|`((?:[^`]|``)*)`|([A-Za-z_][A-Za-z0-9_]*)");

    private ExpressionColumns() {}

    static boolean mentions(String expression, String column) {
        Matcher matcher = TOKEN.matcher(expression);
        while (matcher.find()) {
            String quoted = matcher.group(1);
            String plain = matcher.group(2);
            if (quoted != null && quoted.replace("``", "`").equalsIgnoreCase(column)) {
                return true;
            }
            if (plain != null && plain.equalsIgnoreCase(column) && !isCall(expression, matcher.end())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isCall(String text, int from) {
        int next = from;
        while (next < text.length() && Character.isWhitespace(text.charAt(next))) {
            next++;
        }
        return next < text.length() && text.charAt(next) == '(';
    }
}
