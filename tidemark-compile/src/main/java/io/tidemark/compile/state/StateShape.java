package io.tidemark.compile.state;

import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.List;

/**
 * A relation of the state of a task. Its rows belong to owners, all rows of an owner are written together, and a later
 * file replaces what earlier ones say of an owner. One row without values says that the owner has no rows any more.
 *
 * @param name what the relation holds, part of its name in the state
 * @param columns its columns, those of the owner first
 * @param owners how many leading columns name the owner
 */
public record StateShape(String name, StructType columns, int owners) {
    /** The names of the owner's columns. */
    public List<String> ownerColumns() {
        return columns.names().subList(0, owners);
    }

    /** The owner's columns, separated by commas. */
    String ownerList() {
        return String.join(", ", ownerColumns());
    }

    /** All columns, separated by commas. */
    public String columnList() {
        return String.join(", ", columns.names());
    }

    /** The column that is NULL in a row that stands for nothing. */
    String presence() {
        return columns.names().get(owners);
    }

    /** The columns that are no owner's. */
    List<StructField> valueFields() {
        return columns.fields().subList(owners, columns.fields().size());
    }
}
