package io.tidemark.core.error;

import java.io.Serializable;

/**
 * A place in a text that a user wrote.
 *
 * @param file the file's name as the user gave it, or a label such as {@code <command line>}
 * @param line 1-based line
 * @param column 1-based column, counted in UTF-16 units
 */
public record TextLocation(String file, int line, int column) implements Serializable {
    /** The place of definitions that were made by the Java API and not read from a text. */
    public static final TextLocation NONE = new TextLocation("<api>", 0, 0);

    /** Returns {@code file:line:column}, or the label alone for {@link #NONE}. */
    @Override
    public String toString() {
        return line == 0 ? file : file + ":" + line + ":" + column;
    }

    /** Returns whether this names a place in a real text. */
    public boolean isKnown() {
        return line > 0;
    }
}
