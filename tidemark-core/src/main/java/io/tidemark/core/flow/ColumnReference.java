package io.tidemark.core.flow;

import io.tidemark.core.error.TextLocation;

/**
 * A column that a definition names.
 *
 * @param name the column's name as written, without quotes
 * @param location where it stands
 */
public record ColumnReference(String name, TextLocation location) {
    /** A reference made by the Java API. */
    public static ColumnReference of(String name) {
        return new ColumnReference(name, TextLocation.NONE);
    }
}
