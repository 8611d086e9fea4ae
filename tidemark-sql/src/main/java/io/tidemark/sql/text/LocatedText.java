package io.tidemark.sql.text;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.util.Arrays;
import java.util.Optional;

/**
 * A text that knows where it stands in a user's file, so that offsets in it become places and places become excerpts.
 * Lines end with LF, CR LF or CR.
 */
public final class LocatedText {
    /** Longer source lines are cut around the place that an excerpt shows. */
    private static final int EXCERPT_WIDTH_MAX = 120;

    private static final String CUT = "...";

    private final String text;
    private final TextLocation origin;
    private final int[] lineStarts;

    /**
     * Makes a located text.
     *
     * @param text the text
     * @param origin where its first character stands
     */
    public LocatedText(String text, TextLocation origin) {
        this.text = text;
        this.origin = origin;
        this.lineStarts = lineStarts(text);
    }

    /** A query or expression with its place. */
    public static LocatedText of(QueryText query) {
        return new LocatedText(query.sql(), query.location());
    }

    /** A whole file; a byte order mark is left out. */
    public static LocatedText ofFile(String fileName, String text) {
        String content = text.startsWith("\uFEFF") ? text.substring(1) : text;
        return new LocatedText(content, new TextLocation(fileName, 1, 1));
    }

    /** The text. */
    public String text() {
        return text;
    }

    /** Where the first character stands. */
    public TextLocation origin() {
        return origin;
    }

    /** The place of a character. */
    public TextLocation at(int offset) {
        if (!origin.isKnown()) {
            return origin;
        }
        int found = Arrays.binarySearch(lineStarts, offset);
        int line = found >= 0 ? found : -found - 2;
        int column = offset - lineStarts[line];
        return line == 0
                ? new TextLocation(origin.file(), origin.line(), origin.column() + column)
                : new TextLocation(origin.file(), origin.line() + line, column + 1);
    }

    /** A part of the text with its place. */
    public QueryText part(int from, int to) {
        return new QueryText(text.substring(from, to), at(from));
    }

    /** Starts an error at a character. */
    public TidemarkException.Builder error(ErrorCode code, String primary, int offset) {
        return TidemarkException.of(code, primary).at(at(offset));
    }

    /** The source line of a place and under it a line with a caret, if the place lies in this text. */
    public Optional<String> excerpt(TextLocation place) {
        int index = place.line() - origin.line();
        if (!place.isKnown() || !place.file().equals(origin.file()) || index < 0 || index >= lineStarts.length) {
            return Optional.empty();
        }
        int end = index + 1 < lineStarts.length ? lineStarts[index + 1] : text.length();
        String line = text.substring(lineStarts[index], end).replaceAll("[\r\n]+$", "");
        int caret = place.column() - (index == 0 ? origin.column() : 1);
        if (caret < 0 || caret > line.length()) {
            return Optional.empty();
        }
        return Optional.of(cut(line, caret));
    }

    /** Adds the excerpt of an error's place to its detail, unless the place lies elsewhere. */
    public TidemarkException explain(TidemarkException error) {
        Optional<String> excerpt = error.location().flatMap(this::excerpt);
        if (excerpt.isEmpty()
                || error.detail().filter(detail -> detail.endsWith("^")).isPresent()) {
            return error;
        }
        String detail = error.detail().map(text -> text + "\n").orElse("") + excerpt.get();
        TidemarkException.Builder builder = TidemarkException.of(error.code(), error.primary())
                .detail(detail)
                .cause(error.getCause() == null ? error : error.getCause());
        error.location().ifPresent(builder::at);
        error.hint().ifPresent(builder::hint);
        return builder.build();
    }

    private static String cut(String line, int caret) {
        int from = Math.max(0, caret - EXCERPT_WIDTH_MAX / 2);
        int to = Math.min(line.length(), from + EXCERPT_WIDTH_MAX);
        String shown = (from > 0 ? CUT : "") + line.substring(from, to) + (to < line.length() ? CUT : "");
        StringBuilder marker = new StringBuilder();
        for (int i = 0; i < caret - from + (from > 0 ? CUT.length() : 0); i++) {
            // a tab stays a tab, so that the caret stands right whatever the width of tabs
            marker.append(shown.charAt(i) == '\t' ? '\t' : ' ');
        }
        return shown + "\n" + marker + "^";
    }

    private static int[] lineStarts(String text) {
        int[] starts = new int[16];
        int count = 1;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean ends = c == '\n' || (c == '\r' && (i + 1 == text.length() || text.charAt(i + 1) != '\n'));
            if (ends) {
                if (count == starts.length) {
                    starts = Arrays.copyOf(starts, count * 2);
                }
                starts[count++] = i + 1;
            }
        }
        return Arrays.copyOf(starts, count);
    }
}
