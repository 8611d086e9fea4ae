package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.pipelines.autocdc.ChangeArgs;
import org.apache.spark.sql.pipelines.autocdc.ColumnSelection;
import org.apache.spark.sql.pipelines.autocdc.ScdType;
import org.apache.spark.sql.pipelines.autocdc.UnqualifiedColumnName;
import org.apache.spark.sql.pipelines.graph.AllTables$;
import org.apache.spark.sql.pipelines.graph.AutoCdcFlow;
import org.apache.spark.sql.pipelines.graph.FlowAnalysis;
import org.apache.spark.sql.pipelines.graph.FlowFunction;
import org.apache.spark.sql.pipelines.graph.GraphRegistrationContext;
import org.apache.spark.sql.pipelines.graph.NoTables$;
import org.apache.spark.sql.pipelines.graph.PipelineUpdateContextImpl;
import org.apache.spark.sql.pipelines.graph.QueryContext;
import org.apache.spark.sql.pipelines.graph.QueryOrigin;
import org.apache.spark.sql.pipelines.graph.Table;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/**
 * AUTO CDC as Spark 4.2 has it: SCD type 1 only, its graph made in the JVM because its SQL does not parse. No table
 * format for Spark 4.2 takes its writes yet, so the target is Iceberg behind {@link TablesOfIceberg}.
 */
final class AutoCdcSpark implements Contestant {
    private static final int SHUFFLE_PARTITIONS = 4;
    private static final String CATALOG = "ice";
    private static final String NAMESPACE = "bench";

    private final SparkSession spark;
    private Path folder = Path.of("");
    private int tables;
    private int files;

    /** Starts Spark, which is not measured. */
    AutoCdcSpark(Path temporary) {
        spark = (SparkSession) SparkSession.builder()
                .master("local[" + Runtime.getRuntime().availableProcessors() + "]")
                .appName("tidemark-bench")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.catalog." + CATALOG, TablesOfIceberg.class.getName())
                .config("spark.sql.catalog." + CATALOG + ".type", "hadoop")
                .config("spark.sql.catalog." + CATALOG + ".cache-enabled", "false")
                .config("spark.sql.catalog." + CATALOG + ".warehouse", temporary.resolve("iceberg").toString())
                .config("spark.sql.shuffle.partitions", SHUFFLE_PARTITIONS)
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.local.dir", temporary.toString())
                .getOrCreate();
        spark.sql("CREATE NAMESPACE IF NOT EXISTS " + CATALOG + "." + NAMESPACE);
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(Scenario.SCD1);
    }

    @Override
    public void begin(Scenario scenario, Path place) throws IOException {
        folder = place;
        files = 0;
        tables++;
        Files.createDirectories(folder.resolve("events"));
        Files.createDirectories(folder.resolve("checkpoints"));
    }

    private String table() {
        return "target_" + tables;
    }

    @Override
    public void apply(Step step, Path events) throws IOException {
        Files.createLink(folder.resolve("events/" + files++ + ".parquet"), events);
        SparkSession.setActiveSession(spark);
        GraphRegistrationContext graph = new GraphRegistrationContext(CATALOG, NAMESPACE, map(Map.of()));
        TableIdentifier target = named(table());
        QueryOrigin origin = new QueryOrigin(
                Option.empty(), Option.empty(), Option.empty(), Option.empty(), Option.empty(), Option.empty(),
                Option.empty());
        Map<String, String> properties = Map.of(
                "write.merge.mode", "merge-on-read", "format-version", "2", "write.parquet.compression-codec", "zstd");
        graph.registerTable(new Table(
                target,
                Option.empty(),
                Option.empty(),
                Option.empty(),
                Option.empty(),
                map(properties),
                Option.empty(),
                origin,
                true,
                Option.apply("iceberg")));
        Dataset<Row> stream = (Dataset<Row>) spark.readStream()
                .schema(spark.read().parquet(events.toString()).schema())
                .parquet(folder.resolve("events").toString());
        FlowFunction flow = FlowAnalysis.createFlowFunctionFromLogicalPlan(stream.logicalPlan());
        List<UnqualifiedColumnName> columns = new ArrayList<>();
        Workload.COLUMNS.forEach(column -> columns.add(UnqualifiedColumnName.apply(column)));
        ChangeArgs changes = new ChangeArgs(
                seq(List.of(UnqualifiedColumnName.apply("id"))),
                functions.col("seq"),
                ScdType.Type1$.MODULE$,
                Option.apply(functions.expr("op = 'D'")),
                Option.apply(new ColumnSelection.IncludeColumns(seq(columns))));
        graph.registerFlow(new AutoCdcFlow(
                named("flow_" + tables),
                target,
                flow,
                new QueryContext(Option.apply(CATALOG), Option.apply(NAMESPACE)),
                origin,
                changes,
                map(Map.of())));
        run(graph);
    }

    private void run(GraphRegistrationContext graph) {
        List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
        PipelineUpdateContextImpl update = new PipelineUpdateContextImpl(
                graph.toDataflowGraph(),
                event -> {
                    if (event.error().isDefined()) {
                        failures.add(new IllegalStateException(event.message() + ": " + event.error().get()));
                    }
                    return scala.runtime.BoxedUnit.UNIT;
                },
                AllTables$.MODULE$,
                NoTables$.MODULE$,
                folder.resolve("checkpoints").toUri().toString());
        update.pipelineExecution().runPipeline();
        if (!failures.isEmpty()) {
            throw new IllegalStateException(failures.get(0));
        }
    }

    private static TableIdentifier named(String name) {
        return new TableIdentifier(name, Option.apply(NAMESPACE), Option.apply(CATALOG));
    }

    private static <T> scala.collection.immutable.Seq<T> seq(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }

    private static <K, V> scala.collection.immutable.Map<K, V> map(Map<K, V> map) {
        return scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(map));
    }

    @Override
    public String digest() throws SQLException {
        Path rows = folder.resolve("rows");
        spark.sql("SELECT " + String.join(", ", Workload.COLUMNS) + " FROM " + CATALOG + "." + NAMESPACE + "." + table())
                .write()
                .parquet(rows.toString());
        try (Database database = new Database("", "1GB")) {
            return database.value(FullReplay.digest(
                    Scenario.SCD1, "(SELECT * REPLACE (updated_at::TIMESTAMP AS updated_at) FROM '" + rows
                            + "/*.parquet')"));
        }
    }

    @Override
    public void close() {
        spark.stop();
    }
}
