package io.tidemark.duckdb.sql;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructType;
import org.jspecify.annotations.Nullable;

/**
 * A written expression and what is known of its type.
 *
 * @param sql the expression
 * @param type its type; null as long as the binder was not asked, and for intervals
 * @param interval whether it is an interval
 * @param literal the text of a literal; null for other expressions
 * @param pending whether the binder is still to be asked for the type
 */
record Typed(
        String sql,
        @Nullable DataType type,
        boolean interval,
        @Nullable String literal,
        boolean pending) {
    /** An expression whose type nobody asks for. */
    static Typed untyped(String sql) {
        return new Typed(sql, null, false, null, false);
    }

    boolean isKnown() {
        return type != null;
    }

    boolean isLiteral() {
        return literal != null;
    }

    boolean isVoid() {
        return type == ScalarType.VOID;
    }

    boolean isString() {
        return type == ScalarType.STRING;
    }

    boolean isIntegral() {
        return isIntegral(type);
    }

    boolean isNumeric() {
        return isNumeric(type);
    }

    boolean isFloating() {
        return type == ScalarType.FLOAT || type == ScalarType.DOUBLE;
    }

    boolean isDecimal() {
        return type instanceof DecimalType;
    }

    boolean isArray() {
        return type instanceof ArrayType;
    }

    boolean isMap() {
        return type instanceof MapType;
    }

    static boolean isIntegral(@Nullable DataType type) {
        return type == ScalarType.BYTE
                || type == ScalarType.SHORT
                || type == ScalarType.INTEGER
                || type == ScalarType.LONG;
    }

    static boolean isNumeric(@Nullable DataType type) {
        return isIntegral(type) || type == ScalarType.FLOAT || type == ScalarType.DOUBLE || type instanceof DecimalType;
    }

    static boolean isTime(@Nullable DataType type) {
        return type == ScalarType.DATE || type == ScalarType.TIMESTAMP || type == ScalarType.TIMESTAMP_NTZ;
    }

    static boolean isNested(@Nullable DataType type) {
        return type instanceof ArrayType || type instanceof MapType || type instanceof StructType;
    }
}
