package io.tidemark.dbt.jinja;

/** Takes out of expressions what Python's Jinja allows and the library does not: a comma behind the last item. */
final class Preprocessor {
    private final String text;
    private final StringBuilder result;
    private int position;

    private Preprocessor(String text) {
        this.text = text;
        this.result = new StringBuilder(text.length());
    }

    static String withoutTrailingCommas(String text) {
        return new Preprocessor(text).run();
    }

    private String run() {
        while (position < text.length()) {
            if (text.startsWith("{#", position)) {
                copyTo(end("#}"));
            } else if (text.startsWith("{{", position) || text.startsWith("{%", position)) {
                expression(text.startsWith("{{", position) ? "}}" : "%}");
            } else {
                result.append(text.charAt(position++));
            }
        }
        return result.toString();
    }

    private void expression(String close) {
        copyTo(position + 2);
        while (position < text.length() && !text.startsWith(close, position)) {
            char character = text.charAt(position);
            if (character == '\'' || character == '"') {
                string(character);
            } else if (character == ',' && isLast(position + 1)) {
                // A blank keeps columns of later errors where they are.
                result.append(' ');
                position++;
            } else {
                result.append(character);
                position++;
            }
        }
        copyTo(position + close.length());
    }

    private void string(char quote) {
        result.append(text.charAt(position++));
        while (position < text.length()) {
            char character = text.charAt(position);
            if (character == '\\' && position + 1 < text.length()) {
                copyTo(position + 2);
                continue;
            }
            result.append(character);
            position++;
            if (character == quote) {
                return;
            }
        }
    }

    private boolean isLast(int from) {
        int next = from;
        while (next < text.length() && Character.isWhitespace(text.charAt(next))) {
            next++;
        }
        return next < text.length() && ")]}".indexOf(text.charAt(next)) >= 0;
    }

    private int end(String close) {
        int found = text.indexOf(close, position);
        return found < 0 ? text.length() : found + close.length();
    }

    private void copyTo(int end) {
        int last = Math.min(end, text.length());
        result.append(text, position, last);
        position = last;
    }
}
