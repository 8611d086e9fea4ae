package io.tidemark.spark.engine.rows;

import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.RepartitionByExpression;
import org.apache.spark.sql.catalyst.plans.logical.Sort;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Streams sorted numbers through a reducer, where they are: rows of one key come together and are sorted there, as the
 * query's ORDER BY says. A sort of all rows would be of no use, and could part the rows of a key.
 */
public final class Reduction {
    private Reduction() {}

    /**
     * Reduces rows.
     *
     * @param input BIGINT columns, key first, with ORDER BY at its end
     * @param outputColumns names of the output's BIGINT columns
     */
    public static KeptRows run(
            SparkSession session, Dataset<Row> input, List<String> outputColumns, KeyedReducer.Factory reducers) {
        StructType schema = new StructType();
        for (String column : outputColumns) {
            schema = schema.add(column, DataTypes.LongType, true);
        }
        LogicalPlan plan = ((org.apache.spark.sql.classic.Dataset<Row>) input)
                .queryExecution()
                .analyzed();
        Dataset<Row> byKey = org.apache.spark.sql.classic.Dataset.ofRows(session, byKey(plan));
        return KeptRows.mapped(session, byKey, schema, rows -> new Reduced(rows, reducers.get()));
    }

    private static LogicalPlan byKey(LogicalPlan plan) {
        if (plan instanceof Sort sort) {
            return byKey(sort, plan.output().apply(0));
        }
        if (plan instanceof Project project && project.child() instanceof Sort sort) {
            return new Project(project.projectList(), byKey(sort, plan.output().apply(0)));
        }
        throw TidemarkException.of(ErrorCode.INTERNAL, "what is to be reduced has no order")
                .detail(plan.toString())
                .build();
    }

    private static LogicalPlan byKey(Sort sort, Attribute key) {
        if (!sort.child().outputSet().contains(key)) {
            throw TidemarkException.of(ErrorCode.INTERNAL, "the key of what is to be reduced is no plain column")
                    .detail(sort.toString())
                    .build();
        }
        Seq<Expression> keys =
                CollectionConverters.asScala(List.<Expression>of(key)).toSeq();
        LogicalPlan together = new RepartitionByExpression(keys, sort.child(), Option.empty(), Option.empty());
        return new Sort(sort.order(), false, together, Option.empty());
    }

    /** What a reducer makes of a partition, as far as it is asked for. */
    private static final class Reduced implements Iterator<InternalRow> {
        private final Iterator<InternalRow> rows;
        private final KeyedReducer reducer;
        private final long[] numbers;
        private final Deque<InternalRow> ready = new ArrayDeque<>();
        private boolean finished;

        Reduced(Iterator<InternalRow> rows, KeyedReducer reducer) {
            this.rows = rows;
            this.reducer = reducer;
            this.numbers = new long[reducer.inputColumns()];
        }

        @Override
        public boolean hasNext() {
            while (ready.isEmpty() && !finished) {
                if (rows.hasNext()) {
                    InternalRow row = rows.next();
                    for (int i = 0; i < numbers.length; i++) {
                        numbers[i] = row.isNullAt(i) ? KeyedReducer.NULL : row.getLong(i);
                    }
                    reducer.accept(numbers, this::emit);
                } else {
                    finished = true;
                    reducer.finish(this::emit);
                }
            }
            return !ready.isEmpty();
        }

        private void emit(long[] row) {
            @Nullable Object[] values = new Object[row.length];
            for (int i = 0; i < row.length; i++) {
                values[i] = row[i] == KeyedReducer.NULL ? null : (Long) row[i];
            }
            ready.add(new GenericInternalRow(values));
        }

        @Override
        public InternalRow next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return ready.remove();
        }
    }
}
