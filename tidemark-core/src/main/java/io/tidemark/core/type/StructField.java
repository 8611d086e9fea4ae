package io.tidemark.core.type;

import java.io.Serializable;
import java.util.Map;
import java.util.Optional;

/**
 * A named part of a struct, or a column of a table.
 *
 * @param name the name; compared without regard to case
 * @param type the type
 * @param nullable whether values may be NULL
 * @param metadata what the Delta log keeps beside the field (comment, column mapping and so on): JSON values as Java
 *     strings, numbers, booleans, lists and maps
 */
public record StructField(String name, DataType type, boolean nullable, Map<String, Object> metadata)
        implements Serializable {
    private static final String COMMENT = "comment";

    /** Copies the metadata. */
    public StructField {
        metadata = Map.copyOf(metadata);
    }

    /** A nullable field without metadata. */
    public static StructField of(String name, DataType type) {
        return new StructField(name, type, true, Map.of());
    }

    /** The field's comment, if it has one. */
    public Optional<String> comment() {
        return Optional.ofNullable(metadata.get(COMMENT)).map(Object::toString);
    }

    /** This field under another name. */
    public StructField renamed(String other) {
        return new StructField(other, type, nullable, metadata);
    }

    /** Spark SQL spelling as a field of a struct type. */
    String sql() {
        return quoteIfNeeded(name) + ": " + type.sql() + (nullable ? "" : " NOT NULL");
    }

    private static String quoteIfNeeded(String name) {
        boolean plain = name.matches("[A-Za-z_][A-Za-z0-9_]*");
        return plain ? name : "`" + name.replace("`", "``") + "`";
    }
}
