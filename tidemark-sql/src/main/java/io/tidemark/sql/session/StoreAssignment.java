package io.tidemark.sql.session;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.List;

/** Which values may be stored in a column of another type, after the ANSI rules of Spark. */
enum StoreAssignment {
    /** Every value fits. */
    SAFE,
    /** Values fit or not: each must come back unchanged. */
    CHECKED,
    /** The types do not go together without an explicit cast. */
    REFUSED;

    private static final List<DataType> INTEGERS =
            List.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);
    private static final List<Integer> INTEGER_DIGITS = List.of(3, 5, 10, 19);

    static StoreAssignment of(DataType from, DataType to) {
        if (TypeShapes.same(from, to) || from == ScalarType.VOID) {
            return SAFE;
        }
        if (isNumber(from) && isNumber(to)) {
            return numbers(from, to);
        }
        if (from instanceof StructType struct && to instanceof StructType other) {
            return structs(struct.fields(), other.fields());
        }
        if (from instanceof ArrayType array && to instanceof ArrayType other) {
            return of(array.element(), other.element());
        }
        if (from instanceof MapType map && to instanceof MapType other) {
            return worse(of(map.key(), other.key()), of(map.value(), other.value()));
        }
        return scalars(from, to);
    }

    private static StoreAssignment scalars(DataType from, DataType to) {
        boolean plain = from.kind() == DataType.Kind.SCALAR || from.kind() == DataType.Kind.DECIMAL;
        if (to == ScalarType.STRING) {
            return plain && from != ScalarType.BINARY && from != ScalarType.VARIANT ? SAFE : REFUSED;
        }
        if (isTime(from) && isTime(to)) {
            return to == ScalarType.DATE ? CHECKED : SAFE;
        }
        return REFUSED;
    }

    private static StoreAssignment structs(List<StructField> from, List<StructField> to) {
        if (from.size() != to.size()) {
            return REFUSED;
        }
        StoreAssignment worst = SAFE;
        for (int i = 0; i < from.size(); i++) {
            boolean sameName = from.get(i).name().equalsIgnoreCase(to.get(i).name());
            worst = worse(worst, sameName ? of(from.get(i).type(), to.get(i).type()) : REFUSED);
        }
        return worst;
    }

    private static StoreAssignment numbers(DataType from, DataType to) {
        if (to == ScalarType.DOUBLE || to == ScalarType.FLOAT) {
            // floating point is approximate by nature: the nearest value is what the user asks for
            return SAFE;
        }
        int digits = INTEGERS.indexOf(from);
        if (digits >= 0 && INTEGERS.contains(to)) {
            return digits <= INTEGERS.indexOf(to) ? SAFE : CHECKED;
        }
        if (digits >= 0 && to instanceof DecimalType decimal) {
            return decimal.precision() - decimal.scale() >= INTEGER_DIGITS.get(digits) ? SAFE : CHECKED;
        }
        if (from instanceof DecimalType source && to instanceof DecimalType target) {
            boolean fits = target.scale() >= source.scale()
                    && target.precision() - target.scale() >= source.precision() - source.scale();
            return fits ? SAFE : CHECKED;
        }
        return CHECKED;
    }

    private static StoreAssignment worse(StoreAssignment left, StoreAssignment right) {
        return left.compareTo(right) >= 0 ? left : right;
    }

    private static boolean isNumber(DataType type) {
        return INTEGERS.contains(type)
                || type == ScalarType.FLOAT
                || type == ScalarType.DOUBLE
                || type instanceof DecimalType;
    }

    private static boolean isTime(DataType type) {
        return type == ScalarType.DATE || type == ScalarType.TIMESTAMP || type == ScalarType.TIMESTAMP_NTZ;
    }
}
