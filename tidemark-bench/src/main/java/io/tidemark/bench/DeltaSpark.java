package io.tidemark.bench;

import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.SparkSession;

/** The MERGE statements that a user of delta-spark writes by hand, on Spark in this process, with deletion vectors. */
final class DeltaSpark implements Contestant {
    private static final int SHUFFLE_PARTITIONS = 4;

    private final SparkSession spark;
    private final boolean changeFeed;
    private Scenario scenario = Scenario.SCD1;
    private Path folder = Path.of("");

    /**
     * Starts Spark, which is not measured.
     *
     * @param changeFeed whether the target keeps its change data feed
     */
    DeltaSpark(Path temporary, boolean changeFeed) {
        this.changeFeed = changeFeed;
        spark = start(temporary, changeFeed);
    }

    /** Starts Spark as a good user sets it on one machine. */
    static SparkSession start(Path temporary, boolean changeFeed) {
        SparkSession spark = SparkSession.builder()
                .master("local[" + Runtime.getRuntime().availableProcessors() + "]")
                .appName("tidemark-bench")
                .config("spark.ui.enabled", "false")
                .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
                .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
                .config("spark.sql.shuffle.partitions", SHUFFLE_PARTITIONS)
                // The default of 50 costs seconds for each statement on a machine of two processors.
                .config("spark.databricks.delta.snapshotPartitions", SHUFFLE_PARTITIONS)
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.parquet.compression.codec", "zstd")
                .config("spark.databricks.delta.properties.defaults.enableDeletionVectors", "true")
                .config("spark.databricks.delta.properties.defaults.enableChangeDataFeed", Boolean.toString(changeFeed))
                .config("spark.local.dir", temporary.toString())
                .config(
                        "spark.sql.warehouse.dir",
                        temporary.resolve("warehouse").toString())
                .getOrCreate();
        spark.sql("SELECT 1").collectAsList();
        return spark;
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(Scenario.SCD1, Scenario.SCD2);
    }

    @Override
    public void begin(Scenario scenario, Path folder) throws IOException {
        this.scenario = scenario;
        this.folder = folder;
        Files.createDirectories(folder);
    }

    private Path table() {
        return folder.resolve("target");
    }

    @Override
    public void apply(Step step, Path events) {
        String target = "delta.`" + table() + "`";
        String rows = String.join(", ", Workload.COLUMNS);
        spark.read().parquet(events.toString()).createOrReplaceTempView("events");
        if (step == Step.LOAD) {
            spark.sql("SELECT " + rows
                            + (scenario == Scenario.SCD2 ? ", seq AS starts, CAST(NULL AS BIGINT) AS ends" : "")
                            + " FROM events")
                    .write()
                    .format("delta")
                    .save(table().toString());
        } else if (scenario == Scenario.SCD1) {
            spark.sql(Statements.mergeLatest(target, "events")).collectAsList();
        } else {
            spark.sql("CREATE OR REPLACE TEMP VIEW changed AS " + Statements.changedVersions(target, "events", "<=>"));
            spark.sql(Statements.mergeVersions(target, "changed")).collectAsList();
        }
    }

    @Override
    public List<Step> furtherSteps() {
        if (scenario != Scenario.SCD1) {
            return List.of();
        }
        return changeFeed ? List.of(Step.UPDATE_ONE, Step.CHANGES) : List.of(Step.UPDATE_ONE);
    }

    @Override
    public void further(Step step, long key) {
        if (step == Step.UPDATE_ONE) {
            spark.sql(Statements.updateOne("delta.`" + table() + "`", key)).collectAsList();
            return;
        }
        spark.read()
                .format("delta")
                .option("readChangeFeed", "true")
                .option("startingVersion", 1)
                .load(table().toString())
                .createOrReplaceTempView("changes");
        spark.sql("SELECT count(*) AS n, count(DISTINCT id) AS k, sum(balance) AS b FROM changes")
                .collectAsList();
    }

    @Override
    public String digest() {
        DeltaTable delta = DeltaTable.at(new LocalStorage(), table().toString());
        StringBuilder digest = new StringBuilder();
        try (var engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temporary")))) {
            engine.registerFiles("digested_rows", EngineFiles.scan(delta.snapshot()));
            engine.stream(FullReplay.digest(scenario, "digested_rows"), row -> {
                digest.append(row.get(0));
                return true;
            });
        }
        return digest.toString();
    }

    @Override
    public void close() {
        spark.stop();
    }
}
