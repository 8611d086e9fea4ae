package io.tidemark.bench;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.ScdType;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.pipeline.Pipeline;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * How many events per second a new bitemporal table takes in: upserts with a random business day, five for each key, in
 * the order of system time. MariaDB does the same work by {@code mariadb.sh}, where it is installed.
 */
final class BitemporalIngest {
    private final Path root;
    private final Path folder;
    private final int events;
    private final int repetitions;

    /**
     * A measurement.
     *
     * @param root the project's folder
     * @param folder where files are made
     */
    BitemporalIngest(Path root, Path folder, int events, int repetitions) {
        this.root = root;
        this.folder = folder;
        this.events = events;
        this.repetitions = repetitions;
    }

    /** Measures, and tells it as Markdown. */
    String markdown() throws Exception {
        Path input = folder.resolve("events");
        Files.createDirectories(input);
        try (Database database = new Database("", "1GB")) {
            database.run("COPY (SELECT (hash(i, 1) % " + Math.max(1, events / 5) + ")::BIGINT AS id, 'v' || i AS name,"
                    + " DATE '2010-01-01' + (hash(i, 2) % 5400)::INTEGER AS happened, i AS learned FROM range(1, "
                    + (events + 1) + ") AS t(i)) TO '" + input.resolve("0.parquet") + "' (FORMAT parquet)");
        }
        List<Double> seconds = new ArrayList<>();
        List<Double> cpu = new ArrayList<>();
        // The first round warms the JVM up, as a server is warm.
        for (int i = 0; i <= repetitions; i++) {
            Path place = Files.createDirectories(folder.resolve("ingest-" + i + "-" + System.nanoTime()));
            Meter.Cost cost = Meter.measure(() -> run(input, place));
            if (i > 0) {
                seconds.add(cost.wallSeconds());
                cpu.add(cost.cpuSeconds());
            }
        }
        double wall = median(seconds);
        return String.format(
                Locale.ROOT,
                "%n## Bitemporal events into a new table%n%n%,d events on %,d keys, medians of %d.%n%n"
                        + "- Tidemark: %.2f s wall, %.2f s CPU, %,.0f events per second%n- MariaDB: %s%n",
                events,
                events / 5,
                repetitions,
                wall,
                median(cpu),
                events / wall,
                mariaDb());
    }

    private static void run(Path input, Path place) {
        Pipeline pipeline = Pipeline.named("ingest");
        pipeline.streamingTable("target");
        pipeline.autoCdcFlow("target")
                .query("SELECT * FROM STREAM read_files('" + input + "/*.parquet', format => 'parquet')")
                .keys("id")
                .sequenceBy("happened")
                .systemSequenceBy("learned")
                .storedAs(ScdType.BITEMPORAL);
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(place.resolve("temporary")))) {
            pipeline.run(
                    engine,
                    Warehouse.at(new LocalStorage(), place.resolve("warehouse").toString()));
        }
    }

    private String mariaDb() throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        root.resolve("tidemark-bench/mariadb.sh").toString(), Integer.toString(events))
                .redirectErrorStream(true)
                .start();
        String told = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        int code = process.waitFor();
        return code == 0 ? told : "not measured (" + told + ")";
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
