package io.tidemark.spark.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.spark.engine.SparkEngine;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.jspecify.annotations.Nullable;
import scala.Function1;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * {@code table_changes('tidemark.schema.table', from, to)} in queries of Spark. Delta's own extension has a function of
 * that name, for its own tables; so ours bears another one inside of Spark, and calls for tables of the catalog are sent to
 * it.
 */
public final class TableChanges {
    private static final String FUNCTION = "tidemark_table_changes";

    private TableChanges() {}

    /** What the session extension adds. */
    public static Tuple3<FunctionIdentifier, ExpressionInfo, Function1<Seq<Expression>, LogicalPlan>> function() {
        return new Tuple3<>(
                new FunctionIdentifier(FUNCTION),
                new ExpressionInfo(TableChanges.class.getName(), FUNCTION),
                TableChanges::plan);
    }

    /** A text in which calls for tables of the catalog name our function, and the table without the catalog. */
    static String respelled(String sql, String catalog) {
        if (catalog.isEmpty() || !sql.toLowerCase(Locale.ROOT).contains("table_changes")) {
            return sql;
        }
        Pattern call = Pattern.compile("(?i)\\btable_changes(\\s*\\(\\s*['\"])" + Pattern.quote(catalog) + "\\s*\\.");
        return call.matcher(sql).replaceAll(found -> Matcher.quoteReplacement(FUNCTION) + found.group(1));
    }

    private static LogicalPlan plan(Seq<Expression> arguments) {
        List<Expression> values = CollectionConverters.asJava(arguments);
        if (values.size() < 2 || values.size() > 3) {
            throw TidemarkException.of(
                            ErrorCode.QUERY_INVALID, "table_changes takes a table, a start and perhaps an end")
                    .hint("write table_changes('tidemark.default.t', 1, 5)")
                    .build();
        }
        SparkSession spark = SparkSession.active();
        CatalogSettings catalog = CatalogSettings.of(spark).orElseThrow();
        TableName name = tableName(String.valueOf(value(values.get(0))));
        Bound from = bound(value(values.get(1)));
        Optional<Bound> to = values.size() == 3 ? Optional.of(bound(value(values.get(2)))) : Optional.empty();
        var table = catalog.warehouse().table(name);
        ChangeFeed feed = to.isPresent() ? ChangeFeed.between(table, from, to.get()) : ChangeFeed.from(table, from);
        // The relation is used when the query runs, so that the engine stays; it holds nothing but names.
        SparkEngine engine = SparkEngine.open(spark);
        feed.register(engine, "changes");
        return engine.plan("changes");
    }

    private static TableName tableName(String text) {
        String[] parts = text.replace("`", "").strip().split("\\s*\\.\\s*");
        return parts.length == 1 ? TableName.of(parts[0]) : new TableName(parts[0], parts[1]);
    }

    private static @Nullable Object value(Expression expression) {
        Object value = expression.foldable() ? expression.eval(InternalRow.empty()) : null;
        return value instanceof org.apache.spark.unsafe.types.UTF8String text ? text.toString() : value;
    }

    private static Bound bound(@Nullable Object value) {
        if (value instanceof Integer || value instanceof Long) {
            return Bound.version(((Number) value).longValue());
        }
        if (value instanceof String text) {
            return Bound.time(java.sql.Timestamp.valueOf(text.replace('T', ' ').replace("Z", ""))
                    .toLocalDateTime()
                    .toInstant(java.time.ZoneOffset.UTC));
        }
        throw TidemarkException.of(ErrorCode.QUERY_INVALID, "table_changes needs versions or times that are constants")
                .build();
    }
}
