package io.tidemark.spark.engine;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InternalColumns;
import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.engine.RelationResolver;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.spark.engine.failure.Failures;
import io.tidemark.spark.engine.input.SparkInput;
import io.tidemark.spark.engine.query.Queries;
import io.tidemark.spark.engine.rows.KeptRows;
import io.tidemark.spark.engine.rows.Reduction;
import io.tidemark.spark.engine.scan.FilesTable;
import io.tidemark.spark.engine.value.SparkDialect;
import io.tidemark.spark.engine.value.SparkTypes;
import io.tidemark.spark.engine.value.SparkValues;
import io.tidemark.spark.engine.write.FilesWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.apache.spark.JobExecutionStatus;
import org.apache.spark.SparkJobInfo;
import org.apache.spark.SparkStageInfo;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.JavaSparkStatusTracker;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.functions;

/**
 * The distributed engine: relations are temporary views of a session of its own, rows are read, computed, kept and written
 * by executors. The driver sees what the log must know of files, and positions of deleted rows.
 */
public final class SparkEngine implements Engine {
    private final SparkSession session;
    private final Dialect dialect = new SparkDialect();
    private final Queries queries;
    private final Map<String, KeptRows> kept = new HashMap<>();
    private final Map<String, String> relations = new HashMap<>();
    private final ViewDefinitions views = new ViewDefinitions();
    private final JavaSparkContext context;
    private final String jobs = "tidemark-" + UUID.randomUUID();

    private final Runnable end;

    private SparkEngine(SparkSession session, Runnable end) {
        this.session = session;
        this.end = end;
        this.queries = new Queries(session);
        this.context = JavaSparkContext.fromSparkContext(session.sparkContext());
    }

    /**
     * Opens an engine without relations.
     *
     * @param spark a session of the application; the engine works in one of its own, so that neither settings nor
     *     temporary views of the two meet. It is not stopped by {@link #close}
     */
    public static SparkEngine open(org.apache.spark.sql.SparkSession spark) {
        return open(spark, () -> {});
    }

    /** Opens an engine that stops the whole of Spark with itself. */
    static SparkEngine openOwning(org.apache.spark.sql.SparkSession spark) {
        return open(spark, spark::stop);
    }

    private static SparkEngine open(org.apache.spark.sql.SparkSession spark, Runnable end) {
        SparkSession session = ((SparkSession) spark).cloneSession();
        SessionSettings.apply(session);
        return new SparkEngine(session, end);
    }

    /**
     * Data files as a table that a catalog of Spark can give.
     *
     * @param name the table's name, for people
     */
    public static Table table(org.apache.spark.sql.SparkSession spark, String name, FileScan scan) {
        return FilesTable.of((SparkSession) spark, name, scan);
    }

    /** The plan of a relation, for queries of Spark that go on from there. */
    public LogicalPlan plan(String relation) {
        return ((org.apache.spark.sql.classic.Dataset<Row>) query("SELECT * FROM " + dialect.name(relation)))
                .queryExecution()
                .analyzed();
    }

    @Override
    public String name() {
        return "spark";
    }

    @Override
    public Dialect dialect() {
        return dialect;
    }

    /** What runs from now on can be cancelled, whatever was cancelled before. */
    private void begin() {
        session.sparkContext().setJobGroup(jobs, "Tidemark", true);
        SparkSession.setActiveSession(session);
    }

    @Override
    public void registerFiles(String relation, FileScan scan) {
        begin();
        scan.fileColumn()
                .ifPresent(column -> InternalColumns.checkFree(scan.schema().names(), column));
        scan.positionColumn()
                .ifPresent(column -> InternalColumns.checkFree(scan.schema().names(), column));
        drop(relation);
        register(relation, Failures.run(() -> FilesTable.rows(session, scan)));
    }

    /**
     * {@inheritDoc}
     *
     * <p>Rows are read at each use; what is wrong with them fails the query that reads them.
     */
    @Override
    public StructType registerInput(String relation, InputScan scan) {
        begin();
        SparkInput input = Failures.run(() -> SparkInput.of(session, scan));
        drop(relation);
        register(relation, input.rows());
        return input.schema();
    }

    @Override
    public StructType describeInput(InputScan scan) {
        begin();
        return Failures.run(() -> SparkInput.describe(session, scan));
    }

    @Override
    public void createView(String relation, String sql) {
        begin();
        Dataset<Row> rows = query(sql);
        drop(relation);
        register(relation, rows);
        views.define(relation, sql);
    }

    private void register(String relation, Dataset<Row> rows) {
        Failures.run(() -> {
            rows.createOrReplaceTempView(dialect.name(relation));
            return relation;
        });
        relations.put(key(relation), relation);
        // Spark keeps the plan that a view had when it was made; what reads the old relation is made anew.
        for (ViewDefinitions.View view : views.readersOf(relation)) {
            try {
                query(view.sql()).createOrReplaceTempView(dialect.name(view.name()));
            } catch (TidemarkException e) {
                // It reads what is gone, too: nobody may see its old rows.
                session.catalog().dropTempView(dialect.name(view.name()));
            }
        }
    }

    private static String key(String relation) {
        return relation.toLowerCase(Locale.ROOT);
    }

    private Dataset<Row> query(String sql) {
        return Failures.run(() -> session.sql(sql));
    }

    @Override
    public void materialize(String relation, String sql, Optional<String> ordinalColumn) {
        begin();
        Dataset<Row> rows = query(sql);
        if (ordinalColumn.isPresent()) {
            InternalColumns.checkFree(List.of(rows.columns()), ordinalColumn.get());
            rows = rows.withColumn(ordinalColumn.get(), functions.monotonically_increasing_id());
        }
        Dataset<Row> computed = rows;
        keep(relation, Failures.run(() -> KeptRows.of(session, computed)));
    }

    private void keep(String relation, KeptRows result) {
        // The old relation goes last: the query may read it.
        drop(relation);
        register(relation, result.rows());
        kept.put(key(relation), result);
    }

    @Override
    public void drop(String relation) {
        String name = relations.remove(key(relation));
        views.forget(relation);
        if (name != null) {
            session.catalog().dropTempView(dialect.name(name));
        }
        KeptRows rows = kept.remove(key(relation));
        if (rows != null) {
            rows.close();
        }
    }

    @Override
    public StructType describe(String sql) {
        begin();
        return SparkTypes.schema(query(sql).schema());
    }

    @Override
    public Set<List<String>> relationsOf(QueryText query) {
        begin();
        return queries.relationsOf(query);
    }

    @Override
    public QueryShape shapeOf(QueryText query) {
        begin();
        return queries.shapeOf(query);
    }

    @Override
    public PreparedQuery prepare(QueryText query, RelationResolver resolver) {
        begin();
        return queries.prepare(query, resolver);
    }

    @Override
    public void stream(String sql, RowConsumer consumer) {
        begin();
        Dataset<Row> rows = query(sql);
        Iterator<Row> iterator = Failures.run(rows::toLocalIterator);
        while (Failures.run(iterator::hasNext)) {
            Row row = Failures.run(iterator::next);
            if (!consumer.accept(SparkValues.values(row))) {
                return;
            }
        }
    }

    @Override
    public List<WrittenFile> write(String sql, WriteSpec spec) {
        begin();
        Dataset<Row> rows = query(sql);
        return Failures.run(() -> new FilesWriter(session, spec).write(rows));
    }

    @Override
    public void reduce(
            String inputSql, String outputRelation, List<String> outputColumns, KeyedReducer.Factory reducers) {
        begin();
        Dataset<Row> input = query(inputSql);
        keep(outputRelation, Failures.run(() -> Reduction.run(session, input, outputColumns, reducers)));
    }

    /**
     * {@inheritDoc}
     *
     * <p>The rows come over the driver, in portions; they are kept by executors.
     */
    @Override
    public void load(String relation, StructType columns, Consumer<RowConsumer> rows) {
        begin();
        keep(relation, Failures.run(() -> new LoadedRows(session, columns).load(rows)));
    }

    @Override
    public OptionalDouble progress() {
        JavaSparkStatusTracker tracker = context.statusTracker();
        long done = 0;
        long all = 0;
        for (int job : tracker.getJobIdsForGroup(jobs)) {
            SparkJobInfo running = tracker.getJobInfo(job);
            if (running == null || running.status() != JobExecutionStatus.RUNNING) {
                continue;
            }
            for (int stage : running.stageIds()) {
                SparkStageInfo info = tracker.getStageInfo(stage);
                if (info != null) {
                    done += info.numCompletedTasks();
                    all += info.numTasks();
                }
            }
        }
        return all == 0 ? OptionalDouble.empty() : OptionalDouble.of((double) done / all);
    }

    @Override
    public void cancel() {
        // At a signal Spark stops by itself, perhaps before it is asked to.
        if (!session.sparkContext().isStopped()) {
            session.sparkContext().cancelJobGroup(jobs);
        }
    }

    /** Forgets this engine's relations; the application's session stays, one of the engine's own is stopped. */
    @Override
    public void close() {
        if (!session.sparkContext().isStopped()) {
            new ArrayList<>(relations.values()).forEach(this::drop);
            session.sparkContext().clearJobGroup();
        }
        end.run();
    }
}
