package io.tidemark.tests.spark;

import io.tidemark.core.engine.Engine;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.spark.engine.SparkEngine;
import java.nio.file.Path;
import org.apache.spark.sql.SparkSession;

/**
 * The engine that tests run on: the embedded one, or Spark if the system property {@code tidemark.engine} says so. Thus the
 * same tests are the proof of both.
 */
public final class TestEngines {
    private static final String ENGINE = System.getProperty("tidemark.engine", "duckdb");

    private TestEngines() {}

    /** Whether tests run on Spark. */
    public static boolean isSpark() {
        return ENGINE.equals("spark");
    }

    /** The engine that tests run on. */
    public static Engine open(Path temporary) {
        return isSpark() ? sparkForFewRows() : DuckDbEngine.open(DuckDbSettings.defaults(temporary));
    }

    /** An engine whose relations have several partitions, so that rows meet each other by shuffles only. */
    public static SparkEngine spark() {
        return SparkEngine.open(SparkSessions.get());
    }

    /** An engine for few rows: one partition needs no shuffles, which makes many small plans much faster. */
    public static SparkEngine sparkForFewRows() {
        SparkSession session = SparkSessions.get().newSession();
        session.conf().set("spark.sql.leafNodeDefaultParallelism", "1");
        session.conf().set("spark.sql.shuffle.partitions", "1");
        return SparkEngine.open(session);
    }
}
