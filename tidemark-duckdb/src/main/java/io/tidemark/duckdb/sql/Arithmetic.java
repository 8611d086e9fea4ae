package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import java.util.List;
import java.util.Locale;

/** Writes {@code + - * / % div} with Spark's result types. */
final class Arithmetic {
    private final DecimalFunctions decimals;
    private final Positions positions;

    Arithmetic(DecimalFunctions decimals, Positions positions) {
        this.decimals = decimals;
        this.positions = positions;
    }

    /** Writes an operator once the types are known, and a stand-in of some type before. */
    String write(String operator, Typed left, Typed right, int offset) {
        if (left.pending() || right.pending()) {
            return CallSite.placeholder(List.of(left, right), "NULL");
        }
        if (left.interval() || right.interval()) {
            return withInterval(operator, left, right, offset);
        }
        if (!left.isKnown() || !right.isKnown() || left.isVoid() || right.isVoid()) {
            return "(" + left.sql() + " " + operator + " " + right.sql() + ")";
        }
        if (left.isNumeric() && right.isNumeric()) {
            return numbers(operator, left, right);
        }
        if (left.type() == ScalarType.DATE && right.isIntegral() && (operator.equals("+") || operator.equals("-"))) {
            return "CAST(" + left.sql() + " " + operator + " CAST(" + right.sql() + " AS INTEGER) AS DATE)";
        }
        TidemarkException.Builder error = positions.error(
                ErrorCode.QUERY_INVALID,
                "'" + operator + "' is not possible with " + name(left) + " and " + name(right),
                offset);
        if (Typed.isTime(left.type()) && Typed.isTime(right.type())) {
            error.hint("Use datediff, or compare unix_micros of both.");
        } else {
            error.hint("Cast the operands.");
        }
        throw error.build();
    }

    private static String name(Typed value) {
        DataType type = value.type();
        return type == null ? "INTERVAL" : type.sql();
    }

    private String numbers(String operator, Typed left, Typed right) {
        boolean floating = left.isFloating() || right.isFloating();
        if (operator.equals("//")) {
            return integralQuotient(left, right, floating);
        }
        if (floating || (operator.equals("/") && left.isIntegral() && right.isIntegral())) {
            boolean single =
                    left.type() == ScalarType.FLOAT && right.type() == ScalarType.FLOAT && !operator.equals("/");
            String type = single ? "FLOAT" : "DOUBLE";
            String a = "CAST(" + left.sql() + " AS " + type + ")";
            String b = "CAST(" + right.sql() + " AS " + type + ")";
            return switch (operator) {
                case "/" -> "spark.divide(" + a + ", " + b + ")";
                case "%" -> "spark.remainder(" + a + ", " + b + ")";
                default -> "(" + a + " " + operator + " " + b + ")";
            };
        }
        if (left.isIntegral() && right.isIntegral()) {
            String type =
                    Spelling.type(WideTypes.common(known(left), known(right)).orElseThrow());
            return "(CAST(" + left.sql() + " AS " + type + ") " + operator + " CAST(" + right.sql() + " AS " + type
                    + "))";
        }
        return decimals(operator, left, right);
    }

    private static DataType known(Typed value) {
        DataType type = value.type();
        if (type == null) {
            throw new IllegalStateException("the type is not known yet");
        }
        return type;
    }

    private String integralQuotient(Typed left, Typed right, boolean floating) {
        if (floating) {
            return "CAST(trunc(spark.divide(CAST(" + left.sql() + " AS DOUBLE), CAST(" + right.sql()
                    + " AS DOUBLE))) AS BIGINT)";
        }
        if (left.isIntegral() && right.isIntegral()) {
            return "(CAST(" + left.sql() + " AS BIGINT) // CAST(" + right.sql() + " AS BIGINT))";
        }
        return "CAST(trunc(" + decimals("/", left, right) + ") AS BIGINT)";
    }

    private String decimals(String operator, Typed left, Typed right) {
        DecimalType a = WideTypes.decimal(known(left), left.isDecimal() ? null : left.literal());
        DecimalType b = WideTypes.decimal(known(right), right.isDecimal() ? null : right.literal());
        DecimalType result = WideTypes.result(operator, a, b);
        String leftSql = "CAST(" + left.sql() + " AS " + Spelling.type(a) + ")";
        String rightSql = "CAST(" + right.sql() + " AS " + Spelling.type(b) + ")";
        boolean whole = result.precision() < DecimalType.PRECISION_MAX;
        if (whole && (operator.equals("+") || operator.equals("-"))) {
            String type = Spelling.type(result);
            return "CAST(CAST(" + leftSql + " AS " + type + ") " + operator + " CAST(" + rightSql + " AS " + type
                    + ") AS " + type + ")";
        }
        if (whole && operator.equals("*")) {
            return "CAST(" + leftSql + " * " + rightSql + " AS " + Spelling.type(result) + ")";
        }
        return decimals.name(operator, a, b, result) + "(" + leftSql + ", " + rightSql + ")";
    }

    private String withInterval(String operator, Typed left, Typed right, int offset) {
        if (left.interval() && right.interval() && (operator.equals("+") || operator.equals("-"))) {
            return "(" + left.sql() + " " + operator + " " + right.sql() + ")";
        }
        Typed time = left.interval() ? right : left;
        Typed interval = left.interval() ? left : right;
        boolean sum = operator.equals("+") || (operator.equals("-") && right.interval());
        if (!sum || (time.isKnown() && !Typed.isTime(time.type()))) {
            throw positions
                    .error(
                            ErrorCode.QUERY_INVALID,
                            "'" + operator + "' is not possible with " + name(left) + " and " + name(right),
                            offset)
                    .build();
        }
        String text = "(" + time.sql() + " " + operator + " " + interval.sql() + ")";
        if (time.type() != ScalarType.DATE) {
            return text;
        }
        String literal =
                interval.literal() == null ? "hours" : interval.literal().toLowerCase(Locale.ROOT);
        boolean days = !literal.contains("hour") && !literal.contains("minute") && !literal.contains("second");
        return days ? "CAST(" + text + " AS DATE)" : "CAST(" + text + " AS TIMESTAMPTZ)";
    }
}
