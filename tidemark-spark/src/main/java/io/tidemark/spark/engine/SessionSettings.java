package io.tidemark.spark.engine;

import java.util.Map;
import org.apache.spark.sql.RuntimeConfig;
import org.apache.spark.sql.SparkSession;

/** Settings of the engine's session: those that decide what a query means, and those of files. */
final class SessionSettings {
    private static final Map<String, String> SETTINGS = Map.ofEntries(
            Map.entry("spark.sql.session.timeZone", "UTC"),
            Map.entry("spark.sql.ansi.enabled", "true"),
            Map.entry("spark.sql.caseSensitive", "false"),
            Map.entry("spark.sql.datetime.java8API.enabled", "true"),
            Map.entry("spark.sql.storeAssignmentPolicy", "ANSI"),
            // Files as other engines write them: zstd, timestamps as 64-bit microseconds of the proleptic calendar.
            Map.entry("spark.sql.parquet.compression.codec", "zstd"),
            Map.entry("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS"),
            Map.entry("spark.sql.parquet.writeLegacyFormat", "false"),
            Map.entry("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED"),
            Map.entry("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED"),
            Map.entry("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED"),
            Map.entry("spark.sql.parquet.int96RebaseModeInRead", "CORRECTED"),
            Map.entry("spark.sql.parquet.enableVectorizedReader", "true"),
            Map.entry("spark.sql.parquet.enableNestedColumnVectorizedReader", "true"),
            Map.entry("spark.sql.parquet.filterPushdown", "true"),
            Map.entry("spark.sql.parquet.binaryAsString", "false"),
            Map.entry("spark.sql.files.ignoreMissingFiles", "false"),
            Map.entry("spark.sql.files.ignoreCorruptFiles", "false"),
            // Updates are chains of small queries: one task for little data costs less than many.
            Map.entry("spark.sql.adaptive.coalescePartitions.parallelismFirst", "false"));

    private SessionSettings() {}

    static void apply(SparkSession session) {
        RuntimeConfig conf = session.conf();
        SETTINGS.forEach(conf::set);
    }
}
