package io.tidemark.sql.grammar;

import org.antlr.v4.runtime.CharStream;
import org.antlr.v4.runtime.misc.Interval;

/** A string as characters of ANTLR; unlike ANTLR's own streams it counts UTF-16 units, as places in texts do. */
final class Utf16CharStream implements CharStream {
    private final String text;
    private int index;

    Utf16CharStream(String text) {
        this.text = text;
    }

    @Override
    public String getText(Interval interval) {
        int from = Math.min(interval.a, text.length());
        int to = Math.min(interval.b + 1, text.length());
        return from < to ? text.substring(from, to) : "";
    }

    @Override
    public void consume() {
        if (index == text.length()) {
            throw new IllegalStateException("cannot consume EOF");
        }
        index++;
    }

    @Override
    public int LA(int distance) {
        int at = distance > 0 ? index + distance - 1 : index + distance;
        return distance == 0 || at < 0 || at >= text.length() ? EOF : text.charAt(at);
    }

    @Override
    public int mark() {
        return -1;
    }

    @Override
    public void release(int marker) {
        // the whole text stays in memory: nothing to release
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public void seek(int to) {
        index = to;
    }

    @Override
    public int size() {
        return text.length();
    }

    @Override
    public String getSourceName() {
        return UNKNOWN_SOURCE_NAME;
    }
}
