package io.tidemark.core.type;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * An ordered list of named fields; the schema of a table is one.
 *
 * @param fields the fields in order
 */
public record StructType(List<StructField> fields) implements DataType {
    /** Copies the fields. */
    public StructType {
        fields = List.copyOf(fields);
    }

    /** A struct of the given fields. */
    public static StructType of(StructField... fields) {
        return new StructType(List.of(fields));
    }

    /** The field of that name, compared without regard to case. */
    public Optional<StructField> field(String name) {
        return fields.stream()
                .filter(field -> field.name().equalsIgnoreCase(name))
                .findFirst();
    }

    /** Whether there is a field of that name. */
    public boolean has(String name) {
        return field(name).isPresent();
    }

    /** The names in order. */
    public List<String> names() {
        return fields.stream().map(StructField::name).toList();
    }

    @Override
    public String sql() {
        return fields.stream().map(StructField::sql).collect(Collectors.joining(", ", "STRUCT<", ">"));
    }

    @Override
    public Kind kind() {
        return Kind.STRUCT;
    }
}
