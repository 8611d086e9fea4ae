package io.tidemark.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** The process of one contestant: repeats one scenario and prints a line for each step. */
final class Run {
    /** Starts the lines that the parent process reads. */
    static final String PREFIX = "MEASURED ";

    private static final ObjectMapper JSON = new ObjectMapper();

    private Run() {}

    /**
     * One measured step.
     *
     * @param contestant who
     * @param scenario what is kept
     * @param repetition from 1
     * @param step what was measured
     * @param cost what it cost
     * @param verdict {@code right}, {@code wrong: …} or nothing, after the last step of a repetition
     */
    record Measured(String contestant, String scenario, int repetition, String step, Meter.Cost cost, String verdict) {}

    /**
     * Runs.
     *
     * @param arguments contestant, scenario, keys, folder of the workload, folder to work in, repetitions, memory,
     *     further small batches
     */
    public static void main(String[] arguments) throws Exception {
        String name = arguments[0];
        Scenario scenario = Scenario.valueOf(arguments[1]);
        int batches = Integer.parseInt(arguments[7]);
        Workload workload = new Workload(Path.of(arguments[3]), Long.parseLong(arguments[2]), batches);
        Path place = Path.of(arguments[4]);
        int repetitions = Integer.parseInt(arguments[5]);
        Files.createDirectories(place);
        try (Contestant contestant = contestant(name, place, arguments[6])) {
            for (int i = 1; i <= repetitions; i++) {
                Path folder = place.resolve("r" + i);
                repeat(contestant, name, scenario, workload, folder, i);
                delete(folder);
            }
        }
    }

    private static Contestant contestant(String name, Path place, String memory) throws IOException {
        long bytes = Long.parseLong(memory.replace("MB", "")) * 1_000_000;
        return switch (name) {
            case "tidemark" -> TidemarkContestant.embedded(bytes, false);
            case "tidemark-feed" -> TidemarkContestant.embedded(bytes, true);
            case "tidemark-spark" -> TidemarkContestant.onSpark(place.resolve("spark"));
            case "limit" -> new DuckDbLimit(memory);
            case "duckdb" -> new DuckDbNative(memory);
            case "delta-spark" -> new DeltaSpark(place.resolve("spark"), false);
            case "delta-spark-feed" -> new DeltaSpark(place.resolve("spark"), true);
            case BenchCommand.AUTO_CDC -> apart("io.tidemark.bench.AutoCdcSpark", place.resolve("spark"));
            default -> throw new IllegalArgumentException("no contestant " + name);
        };
    }

    /** A contestant that is not on the class path of the others, because it needs another Spark. */
    private static Contestant apart(String className, Path temporary) {
        try {
            var constructor = Class.forName(className).getDeclaredConstructor(Path.class);
            constructor.setAccessible(true);
            return (Contestant) constructor.newInstance(temporary);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(className + " is not on the class path", e);
        }
    }

    private static void repeat(
            Contestant contestant, String name, Scenario scenario, Workload workload, Path folder, int repetition)
            throws Exception {
        contestant.begin(scenario, folder);
        List<Step> steps = contestant.steps();
        for (int i = 0; i < steps.size(); i++) {
            Step step = steps.get(i);
            Meter.Cost cost = Meter.measure(() -> contestant.apply(step, workload.file(scenario, step)));
            boolean last = i == steps.size() - 1 && workload.smallBatches() == 0;
            print(new Measured(
                    name,
                    scenario.label(),
                    repetition,
                    step.label(),
                    cost,
                    last ? verdict(contestant, workload, scenario, steps) : ""));
        }
        long key = contestant.furtherSteps().isEmpty() ? 0 : workload.quietKey();
        for (Step step : contestant.furtherSteps()) {
            Meter.Cost cost = Meter.measure(() -> contestant.further(step, key));
            print(new Measured(name, scenario.label(), repetition, step.label(), cost, ""));
        }
        for (int i = 0; i < workload.smallBatches(); i++) {
            Path events = workload.series(i);
            Meter.Cost cost = Meter.measure(() -> contestant.apply(Step.SMALL, events));
            print(new Measured(name, scenario.label(), repetition, "series-" + (i + 1), cost, ""));
        }
        if (workload.smallBatches() > 0 && steps.contains(Step.NOTHING)) {
            Meter.Cost cost = Meter.measure(() -> contestant.apply(Step.NOTHING, workload.series(0)));
            print(new Measured(name, scenario.label(), repetition, "nothing-after-series", cost, ""));
        }
    }

    private static String verdict(Contestant contestant, Workload workload, Scenario scenario, List<Step> steps)
            throws Exception {
        String digest = contestant.digest();
        if (digest.isEmpty()) {
            return "";
        }
        String expected = FullReplay.expected(workload, scenario, steps);
        return digest.equals(expected) ? "right" : "wrong: " + digest + " in place of " + expected;
    }

    /** Prints a line for the parent process. */
    static void print(Measured measured) throws JsonProcessingException {
        System.out.println(PREFIX + JSON.writeValueAsString(measured));
    }

    /** Deletes a folder, if it is there, with all that is in it. */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
