package io.tidemark.duckdb.sql;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Spark's rules for the types of numbers: common types, and the types of results of decimal arithmetic. */
final class WideTypes {
    private static final int SCALE_KEPT_MIN = 6;
    private static final List<DataType> INTEGRALS =
            List.of(ScalarType.BYTE, ScalarType.SHORT, ScalarType.INTEGER, ScalarType.LONG);
    private static final int[] INTEGRAL_DIGITS = {3, 5, 10, 20};

    private WideTypes() {}

    /** The type to which both can be cast without asking, if Spark has one. */
    static Optional<DataType> common(DataType left, DataType right) {
        if (left.equals(right) || right == ScalarType.VOID) {
            return Optional.of(left);
        }
        if (left == ScalarType.VOID) {
            return Optional.of(right);
        }
        if (Typed.isNumeric(left) && Typed.isNumeric(right)) {
            return Optional.of(commonNumber(left, right));
        }
        if (Typed.isTime(left) && Typed.isTime(right)) {
            boolean zoned = left == ScalarType.TIMESTAMP || right == ScalarType.TIMESTAMP;
            return Optional.of(zoned ? ScalarType.TIMESTAMP : ScalarType.TIMESTAMP_NTZ);
        }
        if (left instanceof ArrayType a && right instanceof ArrayType b) {
            return common(a.element(), b.element()).map(element -> new ArrayType(element, true));
        }
        return Optional.empty();
    }

    private static DataType commonNumber(DataType left, DataType right) {
        boolean floating = isFloating(left) || isFloating(right);
        if (floating) {
            return left.equals(right) ? left : ScalarType.DOUBLE;
        }
        if (Typed.isIntegral(left) && Typed.isIntegral(right)) {
            return INTEGRALS.get(Math.max(INTEGRALS.indexOf(left), INTEGRALS.indexOf(right)));
        }
        DecimalType a = decimal(left, null);
        DecimalType b = decimal(right, null);
        int scale = Math.max(a.scale(), b.scale());
        int whole = Math.max(a.precision() - a.scale(), b.precision() - b.scale());
        return bounded(whole + scale, scale);
    }

    private static boolean isFloating(DataType type) {
        return type == ScalarType.FLOAT || type == ScalarType.DOUBLE;
    }

    /** A decimal type that holds all values of an exact number type, or just the literal. */
    static DecimalType decimal(DataType type, @Nullable String literal) {
        if (type instanceof DecimalType decimal) {
            return decimal;
        }
        if (literal != null) {
            return new DecimalType(Math.max(1, literal.replace("-", "").length()), 0);
        }
        return new DecimalType(INTEGRAL_DIGITS[INTEGRALS.indexOf(type)], 0);
    }

    /** The type of a sum, difference, product, quotient or remainder of decimals. */
    static DecimalType result(String operator, DecimalType a, DecimalType b) {
        int scale = Math.max(a.scale(), b.scale());
        int wholeA = a.precision() - a.scale();
        int wholeB = b.precision() - b.scale();
        return switch (operator) {
            case "+", "-" -> adjusted(Math.max(wholeA, wholeB) + scale + 1, scale);
            case "*" -> adjusted(a.precision() + b.precision() + 1, a.scale() + b.scale());
            case "/" -> {
                int quotientScale = Math.max(SCALE_KEPT_MIN, a.scale() + b.precision() + 1);
                yield adjusted(wholeA + b.scale() + quotientScale, quotientScale);
            }
            default -> adjusted(Math.min(wholeA, wholeB) + scale, scale);
        };
    }

    /** Cuts a type to 38 digits, keeping the digits before the point and at least six behind it. */
    private static DecimalType adjusted(int precision, int scale) {
        if (precision <= DecimalType.PRECISION_MAX) {
            return new DecimalType(precision, scale);
        }
        int whole = precision - scale;
        int kept = Math.max(DecimalType.PRECISION_MAX - whole, Math.min(scale, SCALE_KEPT_MIN));
        return new DecimalType(DecimalType.PRECISION_MAX, kept);
    }

    /** Cuts a type to 38 digits without regard to what is lost. */
    static DecimalType bounded(int precision, int scale) {
        return new DecimalType(
                Math.min(precision, DecimalType.PRECISION_MAX), Math.min(scale, DecimalType.PRECISION_MAX));
    }
}
