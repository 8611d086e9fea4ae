package io.tidemark.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes the workload, runs each contestant in a process of its own, and writes the report. */
@Command(
        name = "tidemark-bench/run",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Measures Tidemark against the limit of the machine and against other programs.")
public final class BenchCommand implements Callable<Integer> {
    /** What the launcher gives to Java. */
    private static final List<String> PRODUCT_OPTIONS =
            List.of("-Xmx512m", "-Xss4m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");
    /** Spark's own AUTO CDC, in a build of its own. */
    static final String AUTO_CDC = "spark-autocdc";

    private static final List<String> SPARK_OPTIONS = List.of("-Xmx6g");
    private static final List<String> OPENED = List.of(
            "java.lang",
            "java.lang.invoke",
            "java.lang.reflect",
            "java.io",
            "java.net",
            "java.nio",
            "java.util",
            "java.util.concurrent",
            "java.util.concurrent.atomic",
            "jdk.internal.ref",
            "sun.nio.ch",
            "sun.nio.cs",
            "sun.security.action",
            "sun.util.calendar");

    @Option(names = "--keys", defaultValue = "1000000", description = "Keys of the table (default: ${DEFAULT-VALUE}).")
    private long keys;

    @Option(
            names = "--repetitions",
            defaultValue = "3",
            description = "How often each scenario is repeated (default: ${DEFAULT-VALUE}).")
    private int repetitions;

    @Option(
            names = "--contestants",
            split = ",",
            defaultValue = "limit,tidemark,duckdb,delta-spark",
            description =
                    "Of limit, tidemark, tidemark-feed, duckdb, delta-spark, delta-spark-feed, spark-autocdc (default: ${DEFAULT-VALUE}).")
    private List<String> contestants = List.of();

    @Option(
            names = "--scenarios",
            split = ",",
            description = "Of scd1, scd2, scd2-tracked, partial, bitemporal, none (default: all).")
    private @Nullable List<String> scenarios;

    @Option(
            names = "--memory",
            defaultValue = "1000MB",
            description = "Memory of DuckDB, in Tidemark and alone (default: ${DEFAULT-VALUE}).")
    private String memory = "1000MB";

    @Option(
            names = "--series",
            defaultValue = "0",
            description = "How many further small batches follow one another (default: none).")
    private int series;

    @Option(
            names = "--folder",
            defaultValue = "tidemark-bench/target/bench",
            description = "Where input and tables are made (default: ${DEFAULT-VALUE}).")
    private Path folder = Path.of("");

    @Option(names = "--start", description = "Also measure how long the launcher takes to start and run ten rows.")
    private boolean start;

    @Option(
            names = "--ingest",
            defaultValue = "0",
            description = "Also measure how fast a new bitemporal table takes in so many events, beside MariaDB"
                    + " where it is installed.")
    private int ingest;

    @Option(
            names = "--compile",
            defaultValue = "0",
            description = "Also measure an incremental compiler over so many partitions, beside its full run.")
    private int partitions;

    @Option(
            names = "--snapshots",
            defaultValue = "0",
            description = "Also measure dbt snapshots of so many keys, beside the statements of dbt-duckdb.")
    private long snapshots;

    @Option(
            names = "--strategies",
            split = ",",
            defaultValue = "timestamp,check,check-invalidate",
            description = "Of timestamp, check, check-invalidate (default: ${DEFAULT-VALUE}).")
    private List<String> strategies = List.of();

    @Option(
            names = "--history",
            split = ",",
            defaultValue = "0",
            description = "How many closed rows each key of a snapshot has at first (default: ${DEFAULT-VALUE}).")
    private List<Integer> histories = List.of();

    @Option(names = "--report", description = "File that the report is written to (default: standard output).")
    private @Nullable Path report;

    /** Runs the benchmarks. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new BenchCommand()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Path input = folder.toAbsolutePath().resolve("input-" + keys);
        if (!wanted().isEmpty()) {
            System.err.println("making the input: " + keys + " keys");
            new Workload(input, keys, series).make();
        }
        List<Run.Measured> all = new ArrayList<>();
        boolean failed = false;
        for (Scenario scenario : wanted()) {
            for (String contestant : contestants) {
                if (Report.takesPart(contestant, scenario)) {
                    System.err.println(scenario.label() + ": " + contestant);
                    failed |= !run(contestant, scenario, input, all);
                }
            }
        }
        String text = all.isEmpty() ? "" : new Report(keys, repetitions, memory, all).markdown();
        Path root = Path.of(System.getProperty("tidemark.root", "."));
        if (ingest > 0) {
            System.err.println("bitemporal events into a new table");
            text += new BitemporalIngest(root, folder.toAbsolutePath().resolve("ingest"), ingest, repetitions)
                    .markdown();
        }
        if (partitions > 0) {
            System.err.println("compilers");
            long bytes = Long.parseLong(memory.replace("MB", "")) * 1_000_000;
            text += new CompileBench(
                            Files.createDirectories(folder.toAbsolutePath().resolve("compile")),
                            partitions,
                            repetitions,
                            bytes)
                    .markdown();
        }
        if (snapshots > 0) {
            System.err.println("dbt snapshots");
            text += new SnapshotBench(
                            folder.toAbsolutePath(),
                            snapshots,
                            histories,
                            strategies.stream()
                                    .map(name -> SnapshotScenario.valueOf(
                                            name.toUpperCase(Locale.ROOT).replace('-', '_')))
                                    .toList(),
                            memory)
                    .markdown();
        }
        if (start) {
            System.err.println("start");
            text += new StartUp(
                            root.resolve("tidemark"), folder.toAbsolutePath().resolve("start"), repetitions)
                    .markdown();
        }
        if (report == null) {
            System.out.print(text);
        } else {
            Files.writeString(report, text);
        }
        return failed ? 1 : 0;
    }

    private List<Scenario> wanted() {
        return scenarios == null
                ? Arrays.asList(Scenario.values())
                : scenarios.stream()
                        .filter(name -> !name.equals("none"))
                        .map(name ->
                                Scenario.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
                        .toList();
    }

    private boolean run(String contestant, Scenario scenario, Path input, List<Run.Measured> all)
            throws IOException, InterruptedException {
        List<String> options = new ArrayList<>();
        if (contestant.contains("spark")) {
            options.addAll(SPARK_OPTIONS);
            for (String opened : OPENED) {
                options.add("--add-opens=java.base/" + opened + "=ALL-UNNAMED");
            }
            options.add("-Djdk.reflect.useDirectMethodHandle=false");
        }
        if (contestant.equals(AUTO_CDC)) {
            options.addAll(List.of("-cp", System.getProperty("tidemark.bench.autocdc")));
        }
        List<String> arguments = List.of(
                contestant,
                scenario.name(),
                Long.toString(keys),
                input.toString(),
                folder.toAbsolutePath().resolve("work").toString(),
                Integer.toString(repetitions),
                memory,
                Integer.toString(series));
        return child(options, Run.class, arguments, all);
    }

    /**
     * Runs a process and collects what it measured.
     *
     * @param options options of Java; those of the product's launcher if there are none
     * @param main the class to run
     * @return whether it ended well
     */
    static boolean child(List<String> options, Class<?> main, List<String> arguments, List<Run.Measured> all)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options.isEmpty() ? PRODUCT_OPTIONS : options);
        command.addAll(
                List.of("-Dlog4j2.level=ERROR", "-Dlog4j2.configurationFile=io/tidemark/bench/log4j2.properties"));
        if (!options.contains("-cp")) {
            command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        }
        command.add(main.getName());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        ObjectMapper json = new ObjectMapper();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(Run.PREFIX)) {
                    Run.Measured measured = json.readValue(line.substring(Run.PREFIX.length()), Run.Measured.class);
                    all.add(measured);
                    System.err.printf(
                            Locale.ROOT,
                            "  %d %-10s wall %6.2f s  cpu %6.2f s  peak %5d MB  %s%n",
                            measured.repetition(),
                            measured.step(),
                            measured.cost().wallSeconds(),
                            measured.cost().cpuSeconds(),
                            measured.cost().peakMegabytes(),
                            measured.verdict());
                }
            }
        }
        return process.waitFor() == 0;
    }
}
