package io.tidemark.sql.session;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.Map;

/** Types without what does not matter to values: whether NULL is allowed, and comments. */
final class TypeShapes {
    private TypeShapes() {}

    /** The type with NULL allowed everywhere and nothing beside names and types. */
    static DataType relaxed(DataType type) {
        if (type instanceof StructType struct) {
            return new StructType(struct.fields().stream()
                    .map(field -> new StructField(field.name(), relaxed(field.type()), true, Map.of()))
                    .toList());
        }
        if (type instanceof ArrayType array) {
            return new ArrayType(relaxed(array.element()), true);
        }
        if (type instanceof MapType map) {
            return new MapType(relaxed(map.key()), relaxed(map.value()), true);
        }
        return type;
    }

    /** Whether values of one type are values of the other as they are. */
    static boolean same(DataType left, DataType right) {
        return relaxed(left).equals(relaxed(right));
    }
}
