package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.error.ErrorCode;
import java.util.Set;

/**
 * Refuses queries in which DuckDB would cast on its own where Spark casts in another way or not at all. All wanted
 * casts are written out, so what remains in the bound plan without a place in the text was added by the binder.
 */
final class ImplicitCasts {
    private static final Set<String> NUMBERS = Set.of(
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "HUGEINT",
            "FLOAT",
            "DOUBLE",
            "DECIMAL",
            "UTINYINT",
            "USMALLINT",
            "UINTEGER",
            "UBIGINT");
    private static final Set<String> TIMES = Set.of("DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE");

    private final Positions positions;

    ImplicitCasts(Positions positions) {
        this.positions = positions;
    }

    /** Checks a bound plan. */
    void check(String sql, JsonNode node) {
        if (node.path("type").asText().equals("LAMBDA") || node.has("lambda_expr")) {
            // In lambdas all casts have the place of what they cast, so the wanted ones cannot be told from others.
            return;
        }
        if (node.path("type").asText().equals("OPERATOR_CAST")) {
            checkCast(sql, node);
        }
        for (JsonNode child : node) {
            check(sql, child);
        }
    }

    private void checkCast(String sql, JsonNode cast) {
        String to = cast.path("return_type").path("id").asText();
        JsonNode child = cast.path("children").path(0);
        boolean constant = child.path("expression_class").asText().equals("BOUND_CONSTANT");
        String from = (constant ? child.path("value").path("type") : child.path("return_type"))
                .path("id")
                .asText();
        if (isWritten(sql, cast, child) || isHarmless(from, to, constant)) {
            return;
        }
        throw positions
                .error(ErrorCode.QUERY_INVALID, "a value of type " + from + " stands where " + to + " is needed", 0)
                .hint("Cast it: CAST(… AS …).")
                .build();
    }

    /** A cast in the text begins at its own place; the binder's casts have the place of what they cast. */
    private static boolean isWritten(String sql, JsonNode cast, JsonNode child) {
        long place = cast.path("query_location").asLong(-1);
        if (place < 0 || place >= Math.min(sql.length(), SparkMacros.BODY_OFFSET)) {
            return true;
        }
        boolean castWord = sql.startsWith("CAST(", (int) place) || sql.startsWith("TRY_CAST(", (int) place);
        boolean sameAsChild = child.path("type").asText().equals("OPERATOR_CAST")
                && child.path("query_location").asLong(-1) == place;
        return castWord && !sameAsChild;
    }

    private static boolean isHarmless(String from, String to, boolean constant) {
        if (from.equals(to) || from.equals("NULL") || from.equals("\"NULL\"") || from.contains("LITERAL")) {
            return true;
        }
        if (to.equals("VARCHAR")) {
            return from.equals("JSON");
        }
        if (from.equals("VARCHAR")) {
            return constant || to.equals("JSON");
        }
        if (from.equals("BOOLEAN")) {
            return !NUMBERS.contains(to);
        }
        if (NUMBERS.contains(from)) {
            return NUMBERS.contains(to);
        }
        return !TIMES.contains(from) || TIMES.contains(to);
    }
}
