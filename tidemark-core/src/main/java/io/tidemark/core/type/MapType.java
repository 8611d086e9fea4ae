package io.tidemark.core.type;

/**
 * A map from keys to values.
 *
 * @param key type of the keys, which are never NULL
 * @param value type of the values
 * @param valueContainsNull whether values may be NULL
 */
public record MapType(DataType key, DataType value, boolean valueContainsNull) implements DataType {
    @Override
    public String sql() {
        return "MAP<" + key.sql() + ", " + value.sql() + ">";
    }

    @Override
    public Kind kind() {
        return Kind.MAP;
    }
}
