package io.tidemark.core.flow;

import io.tidemark.core.error.TextLocation;
import java.util.List;

/**
 * A list of columns, as in {@code COLUMNS}, {@code TRACK HISTORY ON} and {@code IGNORE NULL UPDATES ON}.
 *
 * @param mode whether the list names the columns or those left out
 * @param columns the named columns; empty for {@link Mode#ALL}
 * @param location where the clause stands
 */
public record ColumnSelection(Mode mode, List<ColumnReference> columns, TextLocation location) {
    /** Copies the list. */
    public ColumnSelection {
        columns = List.copyOf(columns);
    }

    /** All columns. */
    public static ColumnSelection all() {
        return new ColumnSelection(Mode.ALL, List.of(), TextLocation.NONE);
    }

    /** Only the named columns. */
    public static ColumnSelection include(String... names) {
        return new ColumnSelection(Mode.INCLUDE, references(names), TextLocation.NONE);
    }

    /** All columns but the named ones. */
    public static ColumnSelection except(String... names) {
        return new ColumnSelection(Mode.EXCEPT, references(names), TextLocation.NONE);
    }

    /** Whether the list holds a column of that name. */
    public boolean names(String column) {
        return columns.stream().anyMatch(reference -> reference.name().equalsIgnoreCase(column));
    }

    /** Whether a column is selected. */
    public boolean selects(String column) {
        return switch (mode) {
            case ALL -> true;
            case INCLUDE -> names(column);
            case EXCEPT -> !names(column);
        };
    }

    private static List<ColumnReference> references(String... names) {
        return List.of(names).stream().map(ColumnReference::of).toList();
    }

    /** The three spellings. */
    public enum Mode {
        /** {@code *} */
        ALL,
        /** {@code (a, b)} */
        INCLUDE,
        /** {@code * EXCEPT (a, b)} */
        EXCEPT
    }
}
