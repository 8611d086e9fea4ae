package io.tidemark.core.type;

/**
 * A fixed-point number.
 *
 * @param precision digits in all, 1 to 38
 * @param scale digits after the point, 0 to precision
 */
public record DecimalType(int precision, int scale) implements DataType {
    /** The most digits that a decimal can have. */
    public static final int PRECISION_MAX = 38;

    /** Checks the ranges. */
    public DecimalType {
        if (precision < 1 || precision > PRECISION_MAX || scale < 0 || scale > precision) {
            throw new IllegalArgumentException("decimal(" + precision + "," + scale + ") is out of range");
        }
    }

    @Override
    public String sql() {
        return "DECIMAL(" + precision + "," + scale + ")";
    }

    @Override
    public Kind kind() {
        return Kind.DECIMAL;
    }
}
