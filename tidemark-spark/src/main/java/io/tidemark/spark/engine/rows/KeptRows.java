package io.tidemark.spark.engine.rows;

import java.util.List;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.FlatMapFunction;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.AttributeMap$;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.plans.logical.ColumnStat;
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.OneRowRelation;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Statistics;
import org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.LogicalRDD$;
import org.apache.spark.sql.execution.SQLExecution;
import org.apache.spark.storage.StorageLevel;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;
import scala.math.BigInt;

/**
 * Rows of a query, computed once and kept by the executors, in memory as long as there is room and on their disks else.
 * They are kept without their lineage: were they computed again after the loss of an executor, rows without a fixed order
 * could come out in another one than other relations have already seen. Such a loss is {@code WORK_LOST}, and the update
 * starts anew.
 *
 * @param rows the rows; partitions and rows keep their order
 * @param count how many
 * @param bytes their size in memory
 */
public record KeptRows(Dataset<Row> rows, RDD<InternalRow> blocks, long count, long bytes) implements AutoCloseable {
    /** What is assumed of a row whose size in memory is not told. */
    private static final long ROW_BYTES_ASSUMED = 64;

    /** Computes and keeps the rows of a query. */
    public static KeptRows of(SparkSession session, Dataset<Row> query) {
        org.apache.spark.sql.classic.Dataset<Row> dataset = (org.apache.spark.sql.classic.Dataset<Row>) query;
        return inExecution(session, dataset, "keep rows", () -> {
            // Operators use their row objects again and again; a kept row must be one of its own.
            RDD<InternalRow> computed = dataset.queryExecution()
                    .toRdd()
                    .toJavaRDD()
                    .map(InternalRow::copy)
                    .rdd();
            return keep(session, dataset, computed);
        });
    }

    /** Keeps rows that were computed from those of a dataset, which has their schema. */
    private static KeptRows keep(
            SparkSession session, org.apache.spark.sql.classic.Dataset<Row> origin, RDD<InternalRow> computed) {
        computed.persist(StorageLevel.MEMORY_AND_DISK());
        computed.localCheckpoint();
        long count = 0;
        long bytes = 0;
        try {
            for (long[] part :
                    computed.toJavaRDD().mapPartitions(KeptRows::measured).collect()) {
                count += part[0];
                bytes += part[1];
            }
        } catch (RuntimeException | Error e) {
            computed.unpersist(false);
            throw e;
        }
        LogicalRDD kept = LogicalRDD$.MODULE$.fromDataset(computed, origin, false);
        Statistics exact = new Statistics(
                BigInt.apply(Math.max(1, bytes)),
                Option.apply(BigInt.apply(count)),
                AttributeMap$.MODULE$.<ColumnStat>empty(),
                false);
        LogicalRDD known = new LogicalRDD(
                kept.output(),
                computed,
                kept.outputPartitioning(),
                kept.outputOrdering(),
                false,
                Option.empty(),
                session,
                Option.apply(exact),
                Option.empty());
        return new KeptRows(org.apache.spark.sql.classic.Dataset.ofRows(session, known), computed, count, bytes);
    }

    private static java.util.Iterator<long[]> measured(java.util.Iterator<InternalRow> rows) {
        long count = 0;
        long bytes = 0;
        while (rows.hasNext()) {
            InternalRow row = rows.next();
            count++;
            bytes += row instanceof UnsafeRow unsafe ? unsafe.getSizeInBytes() : ROW_BYTES_ASSUMED;
        }
        return List.of(new long[] {count, bytes}).iterator();
    }

    /**
     * Computes and keeps rows that a function makes of each partition of a query's rows.
     *
     * @param schema columns of the made rows, all of which are BIGINT or have values as Spark holds them
     */
    public static KeptRows mapped(
            SparkSession session,
            Dataset<Row> query,
            org.apache.spark.sql.types.StructType schema,
            FlatMapFunction<java.util.Iterator<InternalRow>, InternalRow> function) {
        org.apache.spark.sql.classic.Dataset<Row> dataset = (org.apache.spark.sql.classic.Dataset<Row>) query;
        return inExecution(session, dataset, "reduce rows", () -> {
            RDD<InternalRow> made = dataset.queryExecution()
                    .toRdd()
                    .toJavaRDD()
                    .mapPartitions(function)
                    .rdd();
            return of(session, session.internalCreateDataFrame(made, schema, false));
        });
    }

    /** Runs with what executors must know of the session's settings. */
    public static <T> T inExecution(SparkSession session, Dataset<?> query, String name, Supplier<T> action) {
        return SQLExecution.withNewExecutionId(
                ((org.apache.spark.sql.classic.Dataset<?>) query).queryExecution(), Option.apply(name), action::get);
    }

    /**
     * Whether a query only picks columns of kept rows, so that it can be run several times at little cost. Then their
     * statistics are those of the result, too.
     */
    public static boolean isCheap(LogicalPlan plan) {
        if (plan instanceof LogicalRDD || plan instanceof LocalRelation || plan instanceof OneRowRelation) {
            return true;
        }
        boolean passes = plan instanceof Project || plan instanceof SubqueryAlias || plan instanceof View;
        return passes
                && CollectionConverters.asJava(plan.expressions()).stream()
                        .allMatch(expression -> expression.deterministic()
                                && !expression.containsPattern(
                                        org.apache.spark.sql.catalyst.trees.TreePattern.PLAN_EXPRESSION()))
                && CollectionConverters.asJava(plan.children()).stream().allMatch(KeptRows::isCheap);
    }

    /** Forgets the rows. */
    @Override
    public void close() {
        blocks.unpersist(false);
    }
}
