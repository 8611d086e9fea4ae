package io.tidemark.core.type;

/**
 * A list of values.
 *
 * @param element type of the elements
 * @param containsNull whether elements may be NULL
 */
public record ArrayType(DataType element, boolean containsNull) implements DataType {
    @Override
    public String sql() {
        return "ARRAY<" + element.sql() + ">";
    }

    @Override
    public Kind kind() {
        return Kind.ARRAY;
    }
}
