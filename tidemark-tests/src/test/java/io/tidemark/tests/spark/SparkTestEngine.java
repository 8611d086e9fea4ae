package io.tidemark.tests.spark;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.RelationResolver;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataTypes;
import org.jspecify.annotations.Nullable;

/**
 * As much of an engine on Spark as change plans need, for comparing their rows with those of the embedded engine. Kept
 * rows live on the driver, so that a plan of many small steps costs one short job each.
 */
public final class SparkTestEngine implements Engine {
    private final SparkSession session;
    private final SparkDialect dialect = new SparkDialect();
    private final Set<String> views = new HashSet<>();

    private SparkTestEngine(SparkSession session) {
        this.session = session;
    }

    /** An engine whose relations have several partitions, so that rows meet each other by shuffles only. */
    public static SparkTestEngine open() {
        return new SparkTestEngine(SparkSessions.get().newSession());
    }

    /** An engine for few rows: one partition needs no shuffles, which makes many small plans much faster. */
    public static SparkTestEngine openForFewRows() {
        SparkSession session = SparkSessions.get().newSession();
        session.conf().set("spark.sql.leafNodeDefaultParallelism", "1");
        session.conf().set("spark.sql.shuffle.partitions", "1");
        return new SparkTestEngine(session);
    }

    @Override
    public String name() {
        return "spark";
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    @Override
    public void registerFiles(String relation, FileScan scan) {
        throw new UnsupportedOperationException("this engine runs plans over relations in memory and reads no files");
    }

    @Override
    public StructType registerInput(String relation, InputScan scan) {
        throw new UnsupportedOperationException("this engine runs plans over relations in memory and reads no files");
    }

    @Override
    public List<WrittenFile> write(String sql, WriteSpec spec) {
        throw new UnsupportedOperationException("this engine runs plans over relations in memory and writes no files");
    }

    @Override
    public void createView(String relation, String sql) {
        register(relation, query(sql));
    }

    @Override
    public void materialize(String relation, String sql, Optional<String> ordinalColumn) {
        Dataset<Row> result = query(sql);
        List<Row> rows = run(sql, result::collectAsList);
        if (ordinalColumn.isEmpty()) {
            register(relation, session.createDataFrame(rows, result.schema()));
            return;
        }
        List<Row> numbered = new ArrayList<>(rows.size());
        for (Row row : rows) {
            @Nullable Object[] values = new Object[row.size() + 1];
            for (int i = 0; i < row.size(); i++) {
                values[i] = row.get(i);
            }
            values[row.size()] = (long) numbered.size();
            numbered.add(RowFactory.create(values));
        }
        register(
                relation,
                session.createDataFrame(
                        numbered, result.schema().add(ordinalColumn.orElseThrow(), DataTypes.LongType)));
    }

    private void register(String relation, Dataset<Row> rows) {
        rows.createOrReplaceTempView(relation);
        views.add(relation);
    }

    @Override
    public void drop(String relation) {
        if (views.remove(relation)) {
            session.catalog().dropTempView(relation);
        }
    }

    @Override
    public StructType describe(String sql) {
        return SparkTypes.schema(query(sql).schema());
    }

    @Override
    public Set<List<String>> relationsOf(QueryText query) {
        throw new UnsupportedOperationException("plans do not ask for the relations of a query");
    }

    @Override
    public QueryShape shapeOf(QueryText query) {
        throw new UnsupportedOperationException("plans do not ask for the shape of a query");
    }

    @Override
    public StructType describeInput(InputScan scan) {
        throw new UnsupportedOperationException("plans do not read files");
    }

    /** Queries are Spark SQL already, and their relations are registered under the names that they use. */
    @Override
    public PreparedQuery prepare(QueryText query, RelationResolver resolver) {
        return new PreparedQuery(query.sql(), describe(query.sql()));
    }

    @Override
    public void stream(String sql, RowConsumer consumer) {
        Iterator<Row> rows = run(sql, query(sql)::toLocalIterator);
        while (rows.hasNext()) {
            Row row = rows.next();
            List<@Nullable Object> values = new ArrayList<>(row.size());
            for (int i = 0; i < row.size(); i++) {
                values.add(SparkTypes.value(row.get(i)));
            }
            if (!consumer.accept(values)) {
                return;
            }
        }
    }

    @Override
    public void reduce(
            String inputSql, String outputRelation, List<String> outputColumns, Supplier<KeyedReducer> reducers) {
        KeyedReducer reducer = reducers.get();
        List<Row> reduced = new ArrayList<>();
        KeyedReducer.Output output = row -> {
            @Nullable Object[] values = new Object[row.length];
            for (int i = 0; i < row.length; i++) {
                values[i] = row[i] == KeyedReducer.NULL ? null : (Long) row[i];
            }
            reduced.add(RowFactory.create(values));
        };
        long[] numbers = new long[reducer.inputColumns()];
        for (Row row : run(inputSql, query(inputSql)::collectAsList)) {
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = row.isNullAt(i) ? KeyedReducer.NULL : row.getLong(i);
            }
            reducer.accept(numbers, output);
        }
        reducer.finish(output);
        org.apache.spark.sql.types.StructType schema = new org.apache.spark.sql.types.StructType();
        for (String column : outputColumns) {
            schema = schema.add(column, DataTypes.LongType);
        }
        register(outputRelation, session.createDataFrame(reduced, schema));
    }

    private Dataset<Row> query(String sql) {
        return run(sql, () -> session.sql(sql));
    }

    /** Spark throws checked exceptions without declaring them. */
    private static <T> T run(String sql, Callable<T> action) {
        try {
            return action.call();
        } catch (Exception failure) {
            throw TidemarkException.of(ErrorCode.QUERY_FAILED, "Spark refuses a query: " + failure.getMessage())
                    .detail(sql)
                    .cause(failure)
                    .build();
        }
    }

    @Override
    public OptionalDouble progress() {
        return OptionalDouble.empty();
    }

    @Override
    public void cancel() {
        session.sparkContext().cancelAllJobs();
    }

    /** Forgets this engine's relations; the session stays for the next test. */
    @Override
    public void close() {
        List.copyOf(views).forEach(this::drop);
    }
}
