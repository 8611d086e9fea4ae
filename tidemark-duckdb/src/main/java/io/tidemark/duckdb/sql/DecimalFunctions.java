package io.tidemark.duckdb.sql;

import io.tidemark.core.type.DecimalType;
import io.tidemark.duckdb.session.Session;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBLogicalType;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBWritableVector;

/** Exact arithmetic of decimals where DuckDB has none: one function per combination of types, made when needed. */
final class DecimalFunctions {
    private final Session session;
    private final Set<String> registered = new HashSet<>();

    DecimalFunctions(Session session) {
        this.session = session;
    }

    /** The name of a function that computes the operator on those types. */
    String name(String operator, DecimalType left, DecimalType right, DecimalType result) {
        String word = switch (operator) {
            case "+" -> "add";
            case "-" -> "subtract";
            case "*" -> "multiply";
            case "/" -> "divide";
            default -> "remainder";
        };
        String name = "spark_decimal_" + word + suffix(left) + suffix(right) + suffix(result);
        if (registered.add(name)) {
            register(name, operator, left, right, result);
        }
        return name;
    }

    private static String suffix(DecimalType type) {
        return "_" + type.precision() + "_" + type.scale();
    }

    private void register(String name, String operator, DecimalType left, DecimalType right, DecimalType result) {
        try (DuckDBLogicalType leftType = DuckDBLogicalType.decimal(left.precision(), left.scale());
                DuckDBLogicalType rightType = DuckDBLogicalType.decimal(right.precision(), right.scale());
                DuckDBLogicalType resultType = DuckDBLogicalType.decimal(result.precision(), result.scale());
                var builder = DuckDBFunctions.scalarFunction()) {
            builder.withName(name)
                    .withParameters(leftType, rightType)
                    .withReturnType(resultType)
                    .withVectorizedFunction((input, output) -> apply(operator, result, input, output))
                    .register(session.connection());
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
    }

    private static void apply(
            String operator, DecimalType result, DuckDBDataChunkReader input, DuckDBWritableVector output) {
        DuckDBReadableVector left = input.vector(0);
        DuckDBReadableVector right = input.vector(1);
        long rows = input.rowCount();
        for (long i = 0; i < rows; i++) {
            if (left.isNull(i) || right.isNull(i)) {
                output.setNull(i);
            } else {
                output.setBigDecimal(i, compute(operator, left.getBigDecimal(i), right.getBigDecimal(i), result));
            }
        }
    }

    /** Computes and rounds half up to the result's scale; fails if the result has too many digits. */
    static BigDecimal compute(String operator, BigDecimal left, BigDecimal right, DecimalType result) {
        boolean divides = operator.equals("/") || operator.equals("%");
        if (divides && right.signum() == 0) {
            throw new ArithmeticException("division by zero");
        }
        BigDecimal value = switch (operator) {
            case "+" -> left.add(right);
            case "-" -> left.subtract(right);
            case "*" -> left.multiply(right);
            case "/" -> left.divide(right, result.scale(), RoundingMode.HALF_UP);
            default -> left.remainder(right);
        };
        BigDecimal rounded = value.setScale(result.scale(), RoundingMode.HALF_UP);
        if (rounded.precision() > result.precision()) {
            throw new ArithmeticException(rounded.toPlainString() + " does not fit " + result.sql());
        }
        return rounded;
    }
}
