package io.tidemark.sql.warehouse;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.query.VersionSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The time that {@code TIMESTAMP AS OF} names: a literal, or an expression without columns and tables. */
public final class ConstantTime {
    private static final String BEFORE = "SELECT CAST((";

    private ConstantTime() {}

    /**
     * Evaluates the time.
     *
     * @param version a version by its time
     * @throws TidemarkException with {@link ErrorCode#UNSUPPORTED_FEATURE} if it is no constant, with
     *     {@link ErrorCode#TIMESTAMP_OUT_OF_RANGE} if it is NULL, and with the engine's errors if it has no value
     */
    public static Instant of(Engine engine, VersionSpec version) {
        if (version instanceof VersionSpec.AtTime literal) {
            return literal.time();
        }
        return evaluated(engine, ((VersionSpec.AtExpression) version).text());
    }

    private static Instant evaluated(Engine engine, QueryText expression) {
        QueryText query = new QueryText(BEFORE + expression.sql() + ") AS TIMESTAMP)", TextLocation.NONE);
        PreparedQuery prepared = prepared(engine, query, expression);
        List<@Nullable Object> values = new ArrayList<>();
        try {
            engine.stream(prepared.sql(), row -> {
                values.add(row.get(0));
                return true;
            });
        } catch (TidemarkException e) {
            throw TidemarkException.of(e.code(), e.primary())
                    .at(expression.location())
                    .hint("TIMESTAMP AS OF takes a timestamp, a date, or a text that is one")
                    .cause(e)
                    .build();
        }
        if (values.size() == 1 && values.get(0) instanceof Instant time) {
            return time;
        }
        throw TidemarkException.of(ErrorCode.TIMESTAMP_OUT_OF_RANGE, "the time " + expression.sql() + " is NULL")
                .at(expression.location())
                .hint("TIMESTAMP AS OF takes a timestamp, a date, or a text that is one")
                .build();
    }

    private static PreparedQuery prepared(Engine engine, QueryText query, QueryText expression) {
        Set<List<String>> tables;
        try {
            tables = engine.relationsOf(query);
            if (tables.isEmpty()) {
                return engine.prepare(query, (parts, location) -> String.join(".", parts));
            }
        } catch (TidemarkException e) {
            throw notConstant(expression, e.primary() + ".", e);
        }
        throw notConstant(expression, "It reads tables.", null);
    }

    private static TidemarkException notConstant(
            QueryText expression, String detail, @Nullable TidemarkException cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.UNSUPPORTED_FEATURE, "TIMESTAMP AS OF takes a constant, not " + expression.sql())
                .at(expression.location())
                .detail(detail)
                .hint("write a timestamp, or current_timestamp() - INTERVAL 1 DAY");
        return cause == null ? error.build() : error.cause(cause).build();
    }
}
