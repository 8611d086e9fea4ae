package io.tidemark.dbt.run;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.WiderTypes;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Types of columns of sources and tables. */
final class Types {
    private static final Set<DataType> TIMES = Set.of(ScalarType.DATE, ScalarType.TIMESTAMP, ScalarType.TIMESTAMP_NTZ);
    private static final List<DataType> INTEGERS =
            List.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);

    private Types() {}

    static boolean isTime(DataType type) {
        return TIMES.contains(type);
    }

    /** Whether values of one type are values of the other; what else the schema says of fields does not matter. */
    static boolean same(DataType one, DataType other) {
        return one.sql().replace(" NOT NULL", "").equals(other.sql().replace(" NOT NULL", ""));
    }

    /**
     * A type to which a column may become wider and that may hold the values of another type: that type itself, or one
     * above both.
     */
    static Optional<DataType> wider(DataType column, DataType given) {
        if (WiderTypes.isWider(column, given)) {
            return Optional.of(given);
        }
        Optional<DataType> both = Optional.empty();
        if (column instanceof DecimalType own && given instanceof DecimalType other) {
            both = decimal(
                    Math.max(own.precision() - own.scale(), other.precision() - other.scale()),
                    Math.max(own.scale(), other.scale()));
        } else if (INTEGERS.contains(column) && given instanceof DecimalType other) {
            both = decimal(Math.max(WiderTypes.digits(column), other.precision() - other.scale()), other.scale());
        } else if (column instanceof DecimalType own && INTEGERS.contains(given)) {
            both = decimal(Math.max(own.precision() - own.scale(), WiderTypes.digits(given)), own.scale());
        } else if (column == ScalarType.DATE) {
            both = Optional.of(ScalarType.TIMESTAMP_NTZ);
        } else if (column == ScalarType.FLOAT || INTEGERS.contains(column)) {
            both = Optional.of(ScalarType.DOUBLE);
        }
        return both.filter(type -> WiderTypes.isWider(column, type));
    }

    private static Optional<DataType> decimal(int before, int after) {
        return before + after > DecimalType.PRECISION_MAX
                ? Optional.empty()
                : Optional.of(new DecimalType(before + after, after));
    }

    /** How many columns a table has that get statistics one by one. */
    static int leaves(StructType schema) {
        int leaves = 0;
        for (var field : schema.fields()) {
            leaves += field.type() instanceof StructType struct ? leaves(struct) : 1;
        }
        return leaves;
    }
}
