package io.tidemark.spark.engine.query;

import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryShape.Combination;
import io.tidemark.core.engine.QueryShape.Read;
import io.tidemark.core.error.TextLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.expressions.UnresolvedWindowExpression;
import org.apache.spark.sql.catalyst.expressions.WindowExpression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.Distinct;
import org.apache.spark.sql.catalyst.plans.logical.Except;
import org.apache.spark.sql.catalyst.plans.logical.GlobalLimit;
import org.apache.spark.sql.catalyst.plans.logical.Intersect;
import org.apache.spark.sql.catalyst.plans.logical.Join;
import org.apache.spark.sql.catalyst.plans.logical.LateralJoin;
import org.apache.spark.sql.catalyst.plans.logical.LocalLimit;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Offset;
import org.apache.spark.sql.catalyst.plans.logical.Pivot;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;
import org.apache.spark.sql.classic.SparkSession;
import scala.Option;
import scala.Tuple3;
import scala.jdk.javaapi.CollectionConverters;

/** Finds in a query which relations it reads and where it combines rows. */
final class ShapeReader {
    private static final String AGGREGATES = "agg_funcs";

    private final SparkSession session;
    private final QueryTree tree;
    private final List<Read> reads = new ArrayList<>();
    private final List<Combination> combinations = new ArrayList<>();

    ShapeReader(SparkSession session, QueryTree tree) {
        this.session = session;
        this.tree = tree;
    }

    QueryShape read() {
        rows(tree.plan(), Map.of());
        return new QueryShape(reads, combinations);
    }

    /** The relations behind the rows of a plan. */
    private List<Read> rows(LogicalPlan plan, Map<String, List<Read>> named) {
        if (plan instanceof UnresolvedRelation relation) {
            return relation(relation, named);
        }
        if (plan instanceof UnresolvedWith with) {
            Map<String, List<Read>> inside = new HashMap<>(named);
            for (Tuple3<String, SubqueryAlias, ?> each : CollectionConverters.asJava(with.cteRelations())) {
                inside.put(each._1().toLowerCase(Locale.ROOT), rows(each._2().child(), inside));
            }
            return rows(with.child(), inside);
        }
        if (plan instanceof Join join) {
            return join(join, named);
        }
        List<Read> over = new ArrayList<>();
        for (LogicalPlan child : CollectionConverters.asJava(plan.children())) {
            over.addAll(rows(child, named));
        }
        combine(plan, over);
        boolean groups = plan instanceof Aggregate || plan instanceof Pivot;
        for (Expression expression : CollectionConverters.asJava(plan.expressions())) {
            // with GROUP BY the aggregates are no second fault
            expression(expression, groups ? List.of() : over, over, named);
        }
        return over;
    }

    private List<Read> relation(UnresolvedRelation relation, Map<String, List<Read>> named) {
        List<String> parts = QueryTree.parts(relation);
        String first = parts.get(0).toLowerCase(Locale.ROOT);
        if (parts.size() == 1 && named.containsKey(first)) {
            return named.getOrDefault(first, List.of());
        }
        Read read = new Read(parts, tree.place(relation));
        reads.add(read);
        return List.of(read);
    }

    private void combine(LogicalPlan plan, List<Read> over) {
        if (plan instanceof Aggregate || plan instanceof Pivot) {
            combine("GROUP BY", plan, over);
        } else if (plan instanceof Distinct distinct) {
            combine(distinct.child() instanceof Union ? "UNION" : "DISTINCT", plan, over);
        } else if (plan instanceof Except) {
            combine("EXCEPT", plan, over);
        } else if (plan instanceof Intersect) {
            combine("INTERSECT", plan, over);
        } else if (plan instanceof Sort) {
            combine("ORDER BY", plan, over);
        } else if (plan instanceof GlobalLimit || plan instanceof Offset) {
            boolean inner = plan.children().apply(0) instanceof Offset;
            combine("LIMIT", plan, inner ? List.of() : over);
        } else if (plan instanceof LocalLimit || plan instanceof LateralJoin) {
            // the former stands below its global twin; the latter's right side is an expression
            return;
        }
    }

    private void expression(
            Expression node, List<Read> aggregated, List<Read> windowed, Map<String, List<Read>> named) {
        if (node instanceof SubqueryExpression subquery) {
            combine("a subquery in an expression", node, rows(subquery.plan(), named));
        } else if (node instanceof UnresolvedWindowExpression || node instanceof WindowExpression) {
            combine("the window function " + functionOf(node), node, windowed);
        } else if (node instanceof UnresolvedFunction function && isAggregate(function)) {
            combine("the aggregate " + nameOf(function), node, aggregated);
        }
        boolean isWindow = node instanceof UnresolvedWindowExpression || node instanceof WindowExpression;
        for (Expression child : CollectionConverters.asJava(node.children())) {
            expression(child, isWindow ? List.of() : aggregated, windowed, named);
        }
    }

    private static String functionOf(Expression window) {
        Expression function = window.children().apply(0);
        return function instanceof UnresolvedFunction call ? nameOf(call) : function.prettyName();
    }

    private static String nameOf(UnresolvedFunction function) {
        return function.nameParts().last().toLowerCase(Locale.ROOT);
    }

    private boolean isAggregate(UnresolvedFunction function) {
        Option<ExpressionInfo> info =
                session.sessionState().functionRegistry().lookupFunction(new FunctionIdentifier(nameOf(function)));
        return info.isDefined() && AGGREGATES.equals(info.get().getGroup());
    }

    /** Rows of an outer or anti join depend on all rows of the side that they may lack. */
    private List<Read> join(Join join, Map<String, List<Read>> named) {
        List<Read> left = rows(join.left(), named);
        List<Read> right = rows(join.right(), named);
        for (Expression expression : CollectionConverters.asJava(join.expressions())) {
            expression(expression, List.of(), List.of(), named);
        }
        String kind = join.joinType().sql();
        if (kind.contains("INNER") || kind.contains("CROSS")) {
            combinations.add(new Combination("a join of two streams", tree.place(join), left, right));
        } else if (kind.contains("FULL")) {
            combine("a FULL JOIN", join, left);
            combine("a FULL JOIN", join, right);
        } else if (kind.contains("RIGHT")) {
            combine("a RIGHT JOIN with a stream on the left", join, left);
        } else {
            String word = kind.contains("SEMI") ? "SEMI" : kind.contains("ANTI") ? "ANTI" : "LEFT";
            combine("a " + word + " JOIN with a stream on the right", join, right);
        }
        List<Read> both = new ArrayList<>(left);
        both.addAll(right);
        return both;
    }

    private void combine(String what, org.apache.spark.sql.catalyst.trees.TreeNode<?> node, List<Read> over) {
        if (!over.isEmpty()) {
            TextLocation place = tree.place(node);
            combinations.add(new Combination(what, place, over, List.of()));
        }
    }
}
