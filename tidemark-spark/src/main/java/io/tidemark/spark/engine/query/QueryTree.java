package io.tidemark.spark.engine.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.spark.engine.failure.Failures;
import java.util.List;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.Command;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.ParsedStatement;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import scala.jdk.javaapi.CollectionConverters;

/**
 * A query that Spark's parser has read.
 *
 * @param text the user's text
 * @param plan what the parser made of it
 */
record QueryTree(QueryText text, LogicalPlan plan) {
    /**
     * Reads a query.
     *
     * @throws TidemarkException {@code QUERY_INVALID} or {@code QUERY_NOT_SELECT}, with the place
     */
    static QueryTree parse(SparkSession session, QueryText text) {
        LogicalPlan plan;
        try {
            plan = Failures.run(() -> parsed(session, text));
        } catch (TidemarkException e) {
            throw e.at(text.location());
        }
        boolean isQuery = !(plan instanceof Command) && !(plan instanceof ParsedStatement);
        if (!isQuery) {
            throw TidemarkException.of(ErrorCode.QUERY_NOT_SELECT, "a query must be one SELECT")
                    .at(text.location())
                    .build();
        }
        return new QueryTree(text, plan);
    }

    private static LogicalPlan parsed(SparkSession session, QueryText text) throws ParseException {
        try {
            return session.sessionState().sqlParser().parsePlan(text.sql());
        } catch (ParseException e) {
            int line = e.line().isDefined() ? ((Number) e.line().get()).intValue() : 1;
            int column =
                    e.startPosition().isDefined() ? ((Number) e.startPosition().get()).intValue() : 0;
            throw TidemarkException.of(ErrorCode.QUERY_INVALID, Failures.primary(e))
                    .hint("if a word there is the name of a table or column, write it in backticks")
                    .at(place(text, offset(text.sql(), line, column)))
                    .cause(e)
                    .build();
        }
    }

    /** Where a part of the query begins. */
    TextLocation place(TreeNode<?> node) {
        return place(text, start(node));
    }

    /** The offset of the first character of a part of the query; 0 if it is not known. */
    int start(TreeNode<?> node) {
        return node.origin().startIndex().isDefined()
                ? units(text.sql(), ((Number) node.origin().startIndex().get()).intValue())
                : 0;
    }

    /** The offset behind the last character of a part of the query. */
    int end(TreeNode<?> node) {
        return node.origin().stopIndex().isDefined()
                ? units(text.sql(), ((Number) node.origin().stopIndex().get()).intValue() + 1)
                : 0;
    }

    /** The parser counts characters, Java UTF-16 units. */
    private static int units(String sql, int characters) {
        return sql.offsetByCodePoints(0, Math.min(characters, sql.codePointCount(0, sql.length())));
    }

    /** The offset of a 1-based line and a 0-based column. */
    static int offset(String sql, int line, int column) {
        int start = 0;
        for (int i = 1; i < line; i++) {
            int next = sql.indexOf('\n', start);
            if (next < 0) {
                break;
            }
            start = next + 1;
        }
        return Math.min(sql.length(), start + column);
    }

    /** The place of a character of a text. */
    static TextLocation place(QueryText text, int offset) {
        TextLocation start = text.location();
        if (!start.isKnown()) {
            return start;
        }
        String before =
                text.sql().substring(0, Math.max(0, Math.min(offset, text.sql().length())));
        int lastBreak = before.lastIndexOf('\n');
        int line = start.line()
                + (int) before.chars().filter(character -> character == '\n').count();
        int column = lastBreak < 0 ? start.column() + before.length() : before.length() - lastBreak;
        return new TextLocation(start.file(), line, column);
    }

    /** The parts of a relation's name. */
    static List<String> parts(UnresolvedRelation relation) {
        return List.copyOf(CollectionConverters.asJava(relation.multipartIdentifier()));
    }
}
