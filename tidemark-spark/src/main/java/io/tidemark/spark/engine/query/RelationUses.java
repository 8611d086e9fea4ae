package io.tidemark.spark.engine.query;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.UnresolvedWith;
import scala.Tuple3;
import scala.jdk.javaapi.CollectionConverters;

/** Finds where a query names tables and views, without those that it defines itself (WITH). */
final class RelationUses {
    private final List<Use> uses = new ArrayList<>();

    private RelationUses() {}

    /**
     * A name of a table or view.
     *
     * @param relation where it stands
     * @param hasAlias whether an alias follows it
     */
    record Use(UnresolvedRelation relation, boolean hasAlias) {}

    static List<Use> of(LogicalPlan plan) {
        RelationUses finder = new RelationUses();
        finder.visit(plan, Set.of(), false);
        return finder.uses;
    }

    private void visit(LogicalPlan plan, Set<String> named, boolean underAlias) {
        Set<String> inside = named;
        if (plan instanceof UnresolvedWith with) {
            inside = new HashSet<>(named);
            for (Tuple3<String, SubqueryAlias, ?> each : CollectionConverters.asJava(with.cteRelations())) {
                // A recursive one names itself.
                Set<String> own = new HashSet<>(inside);
                if (with.allowRecursion()) {
                    own.add(each._1().toLowerCase(Locale.ROOT));
                }
                visit(each._2().child(), own, false);
                inside.add(each._1().toLowerCase(Locale.ROOT));
            }
        }
        if (plan instanceof UnresolvedRelation relation) {
            List<String> parts = QueryTree.parts(relation);
            if (parts.size() != 1 || !named.contains(parts.get(0).toLowerCase(Locale.ROOT))) {
                uses.add(new Use(relation, underAlias));
            }
        }
        for (Expression expression : CollectionConverters.asJava(plan.expressions())) {
            visitExpression(expression, inside);
        }
        for (LogicalPlan child : CollectionConverters.asJava(plan.children())) {
            visit(child, inside, plan instanceof SubqueryAlias);
        }
    }

    private void visitExpression(Expression expression, Set<String> named) {
        if (expression instanceof SubqueryExpression subquery) {
            visit(subquery.plan(), named, false);
        }
        for (Expression child : CollectionConverters.asJava(expression.children())) {
            visitExpression(child, named);
        }
    }
}
