package io.tidemark.core.type;

import java.io.Serializable;

/**
 * A column type. Its SQL spelling is Spark's, its log spelling is Delta's. Types are serializable, so that an engine can
 * send them to other machines.
 */
public sealed interface DataType extends Serializable permits ScalarType, DecimalType, StructType, ArrayType, MapType {
    /** Spark SQL spelling, for example {@code BIGINT} or {@code STRUCT<a: INT>}; names are quoted where needed. */
    String sql();

    /** What kind of type this is, for exhaustive switches. */
    Kind kind();

    /** The kinds of types. */
    enum Kind {
        SCALAR,
        DECIMAL,
        STRUCT,
        ARRAY,
        MAP
    }

    /** Returns whether values of this type have an order, so that they can be sequences. Maps have none. */
    default boolean isOrderable() {
        return switch (kind()) {
            case SCALAR -> this != ScalarType.VARIANT && this != ScalarType.VOID;
            case DECIMAL -> true;
            case STRUCT ->
                ((StructType) this)
                        .fields().stream().allMatch(field -> field.type().isOrderable());
            case ARRAY -> ((ArrayType) this).element().isOrderable();
            case MAP -> false;
        };
    }
}
