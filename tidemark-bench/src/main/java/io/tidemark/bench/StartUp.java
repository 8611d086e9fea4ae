package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * How long the launcher takes to run a pipeline of ten rows into a new warehouse, and again when nothing is new, against
 * a bare JVM that opens DuckDB and writes one file. Whole processes are timed, in turns.
 */
final class StartUp {
    private static final String PIPELINE = """
            CREATE OR REFRESH STREAMING TABLE people_events;
            CREATE FLOW people_events AS INSERT INTO ONCE people_events BY NAME
            SELECT * FROM VALUES (1, 'Ada', 1), (2, 'Bo', 1), (3, 'Cy', 1), (4, 'Di', 1), (5, 'Ed', 1),
              (1, 'Ann', 2), (2, 'Ben', 2), (3, 'Cal', 2), (6, 'Fay', 2), (7, 'Gus', 2) AS e(id, name, seq);
            CREATE OR REFRESH STREAMING TABLE people;
            CREATE FLOW people AS AUTO CDC INTO people FROM stream(people_events) KEYS (id) SEQUENCE BY seq;
            """;
    private static final double NANOS = 1e9;

    private final Path launcher;
    private final Path folder;
    private final int repetitions;

    /**
     * A measurement.
     *
     * @param launcher the command {@code tidemark}
     * @param folder where files are made
     */
    StartUp(Path launcher, Path folder, int repetitions) {
        this.launcher = launcher;
        this.folder = folder;
        this.repetitions = repetitions;
    }

    /** Measures, and tells it as Markdown. */
    String markdown() throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path pipeline = Files.writeString(folder.resolve("people.sql"), PIPELINE);
        List<Double> bare = new ArrayList<>();
        List<Double> first = new ArrayList<>();
        List<Double> again = new ArrayList<>();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        // The first round builds what is missing and fills the caches of the machine.
        for (int i = 0; i <= repetitions; i++) {
            String warehouse =
                    folder.resolve("warehouse-" + i + "-" + System.nanoTime()).toString();
            List<String> run = List.of(launcher.toString(), "run", pipeline.toString(), "--warehouse", warehouse);
            double one = seconds(List.of(
                    java,
                    "-XX:+UseSerialGC",
                    "-cp",
                    System.getProperty("java.class.path"),
                    BareStart.class.getName(),
                    folder.resolve("bare.parquet").toString()));
            double two = seconds(run);
            double three = seconds(run);
            if (i > 0) {
                bare.add(one);
                first.add(two);
                again.add(three);
            }
        }
        return String.format(
                Locale.ROOT,
                "%n## Start%n%nWhole processes, medians of %d.%n%n| what | wall s | against the bare JVM |%n|---|---|---|%n"
                        + "| a bare JVM opens DuckDB and writes one Parquet file | %.2f | |%n"
                        + "| `tidemark run` of ten rows into a new warehouse | %.2f | %.2f |%n"
                        + "| `tidemark run` again, nothing new | %.2f | %.2f |%n",
                repetitions,
                median(bare),
                median(first),
                median(first) / median(bare),
                median(again),
                median(again) / median(bare));
    }

    private static double seconds(List<String> command) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        int code = process.waitFor();
        if (code != 0) {
            throw new IllegalStateException(String.join(" ", command) + " ended with " + code);
        }
        return (System.nanoTime() - begin) / NANOS;
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return Arrays.stream(sorted).skip(sorted.length / 2).findFirst().orElse(Double.NaN);
    }
}
