package io.tidemark.tests.spark;

import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;
import org.jspecify.annotations.Nullable;

/** The one Spark session of the test JVM: starting it costs seconds, and warm code is much faster. */
public final class SparkSessions {
    private static @Nullable SparkSession session;

    private SparkSessions() {}

    /** The session, started at first use and stopped with the JVM. */
    public static synchronized SparkSession get() {
        SparkSession open = session;
        if (open == null) {
            open = start();
            session = open;
        }
        return open;
    }

    private static SparkSession start() {
        Path folder = Path.of("target", "spark").toAbsolutePath();
        return SparkSession.builder()
                .master("local[2]")
                .appName("tidemark-tests")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "2")
                .config("spark.sql.session.timeZone", "UTC")
                .config("spark.sql.datetime.java8API.enabled", "true")
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .config("spark.local.dir", folder.resolve("local").toString())
                .config("spark.hadoop.fs.file.impl", PlainLocalFileSystem.class.getName())
                .config(
                        "spark.sql.extensions",
                        "io.delta.sql.DeltaSparkSessionExtension,io.tidemark.spark.TidemarkExtensions")
                .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
                // Tables here are small; the defaults are 50 tasks for a log and 10000 for the listing of a folder.
                .config("spark.databricks.delta.snapshotPartitions", "2")
                .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "2")
                .config("spark.databricks.delta.retentionDurationCheck.enabled", "false")
                // Plans here are many and their inputs small: re-planning and compiling them costs more than it saves.
                .config("spark.sql.adaptive.enabled", "false")
                .config("spark.sql.codegen.wholeStage", "false")
                .config("spark.sql.codegen.factoryMode", "NO_CODEGEN")
                .config("spark.sql.ui.retainedExecutions", "1")
                .config("spark.ui.retainedJobs", "1")
                .config("spark.ui.retainedStages", "1")
                .config("spark.ui.retainedTasks", "10")
                .getOrCreate();
    }
}
