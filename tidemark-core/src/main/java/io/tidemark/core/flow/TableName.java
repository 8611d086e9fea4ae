package io.tidemark.core.flow;

import java.util.Locale;

/**
 * The name of a table or view in a warehouse; compared without regard to case.
 *
 * @param schema the schema, {@value #DEFAULT_SCHEMA} unless named
 * @param name the name in its schema
 */
public record TableName(String schema, String name) implements Comparable<TableName> {
    /** The schema of names that do not name one. */
    public static final String DEFAULT_SCHEMA = "default";

    /** A name in the default schema. */
    public static TableName of(String name) {
        return new TableName(DEFAULT_SCHEMA, name);
    }

    private String folded() {
        return (schema + "." + name).toLowerCase(Locale.ROOT);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TableName that && folded().equals(that.folded());
    }

    @Override
    public int hashCode() {
        return folded().hashCode();
    }

    @Override
    public int compareTo(TableName other) {
        return folded().compareTo(other.folded());
    }

    /** Returns the name, with its schema unless that is the default one. */
    @Override
    public String toString() {
        return schema.equalsIgnoreCase(DEFAULT_SCHEMA) ? name : schema + "." + name;
    }
}
