package io.tidemark.core.change;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Optional;

/**
 * Which source types a column accepts. Values may be widened but never change: what Spark's ANSI store assignment
 * allows, without its lossy cases (long to float and the like are left out on purpose).
 */
public final class Assignment {
    private static final List<ScalarType> INTEGERS =
            List.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);
    private static final int[] INTEGER_DIGITS = {3, 5, 10, 19};

    private Assignment() {}

    /** Whether every value of {@code from} is a value of {@code to}. */
    public static boolean isAllowed(DataType from, DataType to) {
        if (from.equals(to) || from == ScalarType.VOID) {
            return true;
        }
        return switch (to.kind()) {
            case SCALAR -> isScalarAllowed(from, (ScalarType) to);
            case DECIMAL -> isDecimalAllowed(from, (DecimalType) to);
            case ARRAY -> from instanceof ArrayType array && isAllowed(array.element(), ((ArrayType) to).element());
            case MAP ->
                from instanceof MapType map
                        && isAllowed(map.key(), ((MapType) to).key())
                        && isAllowed(map.value(), ((MapType) to).value());
            case STRUCT -> from instanceof StructType struct && isStructAllowed(struct, (StructType) to);
        };
    }

    private static boolean isScalarAllowed(DataType from, ScalarType to) {
        int target = INTEGERS.indexOf(to);
        int source = from instanceof ScalarType scalar ? INTEGERS.indexOf(scalar) : -1;
        if (target >= 0) {
            return source >= 0 && source <= target;
        }
        return switch (to) {
            case DOUBLE -> from == ScalarType.FLOAT || (source >= 0 && source <= INTEGERS.indexOf(ScalarType.INTEGER));
            case FLOAT -> source >= 0 && source <= INTEGERS.indexOf(ScalarType.SHORT);
            case TIMESTAMP_NTZ -> from == ScalarType.DATE;
            case BOOLEAN, BYTE, SHORT, INTEGER, LONG, STRING, BINARY, DATE, TIMESTAMP, VARIANT, VOID -> false;
        };
    }

    private static boolean isDecimalAllowed(DataType from, DecimalType to) {
        int whole = to.precision() - to.scale();
        if (from instanceof DecimalType decimal) {
            return decimal.scale() <= to.scale() && decimal.precision() - decimal.scale() <= whole;
        }
        int source = from instanceof ScalarType scalar ? INTEGERS.indexOf(scalar) : -1;
        return source >= 0 && INTEGER_DIGITS[source] <= whole;
    }

    private static boolean isStructAllowed(StructType from, StructType to) {
        if (from.fields().size() != to.fields().size()) {
            return false;
        }
        for (StructField field : to.fields()) {
            Optional<StructField> source = from.field(field.name());
            if (source.isEmpty() || !isAllowed(source.get().type(), field.type())) {
                return false;
            }
        }
        return true;
    }
}
