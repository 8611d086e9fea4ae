package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Medians and ratios of one run as Markdown. Only figures of the same run are compared. */
final class Report {
    private static final String PRODUCT = "tidemark";
    private static final String LIMIT = "limit";

    private final long keys;
    private final int repetitions;
    private final String memory;
    private final List<Run.Measured> measured;

    Report(long keys, int repetitions, String memory, List<Run.Measured> measured) {
        this.keys = keys;
        this.repetitions = repetitions;
        this.memory = memory;
        this.measured = measured;
    }

    /** Whether a contestant knows a scenario. */
    static boolean takesPart(String contestant, Scenario scenario) {
        return switch (contestant) {
            case PRODUCT, "tidemark-feed" -> true;
            case LIMIT -> scenario != Scenario.SCD2_TRACKED;
            case BenchCommand.AUTO_CDC -> scenario == Scenario.SCD1;
            default -> scenario == Scenario.SCD1 || scenario == Scenario.SCD2;
        };
    }

    /** The report. */
    String markdown() {
        StringBuilder text = new StringBuilder();
        text.append(String.format(
                Locale.ROOT,
                "%n## %,d keys%n%nBig batch %,d events, small and local batch %,d. Medians of %d; memory of DuckDB"
                        + " %s; %s.%n",
                keys,
                keys / 5,
                Math.max(1, keys / 500),
                repetitions,
                memory,
                machine()));
        text.append(String.format("%n| scenario | step | who | wall s | CPU s | peak MB | CPU of Tidemark against this"
                + " | wall of this against Tidemark | result |%n|---|---|---|---|---|---|---|---|---|%n"));
        for (Map.Entry<String, Map<String, List<Run.Measured>>> step : byStep().entrySet()) {
            List<Run.Measured> product = step.getValue().getOrDefault(PRODUCT, List.of());
            for (Map.Entry<String, List<Run.Measured>> who : step.getValue().entrySet()) {
                text.append(row(step.getKey(), who.getKey(), who.getValue(), product));
            }
        }
        return text.toString();
    }

    private String row(String step, String who, List<Run.Measured> own, List<Run.Measured> product) {
        double wall = median(own, each -> each.cost().wallSeconds());
        double cpu = median(own, each -> each.cost().cpuSeconds());
        double peak = median(own, each -> each.cost().peakMegabytes());
        boolean compared = !product.isEmpty() && !who.equals(PRODUCT);
        double productCpu = median(product, each -> each.cost().cpuSeconds());
        double productWall = median(product, each -> each.cost().wallSeconds());
        return String.format(
                Locale.ROOT,
                "| %s | %s | %.2f | %.2f | %.0f | %s | %s | %s |%n",
                step,
                who,
                wall,
                cpu,
                peak,
                compared ? String.format(Locale.ROOT, "%.2f", productCpu / cpu) : "",
                compared && !who.equals(LIMIT) ? String.format(Locale.ROOT, "%.1f", wall / productWall) : "",
                verdict(own.get(0)));
    }

    /** A result is told once, for all steps of a scenario. */
    private String verdict(Run.Measured one) {
        return measured.stream()
                .filter(each -> each.contestant().equals(one.contestant())
                        && each.scenario().equals(one.scenario())
                        && !each.verdict().isEmpty())
                .map(each -> each.verdict().startsWith("wrong") ? "wrong" : each.verdict())
                .reduce((left, right) -> left.equals(right) ? left : "wrong")
                .orElse("");
    }

    private Map<String, Map<String, List<Run.Measured>>> byStep() {
        Map<String, Map<String, List<Run.Measured>>> steps = new LinkedHashMap<>();
        for (Scenario scenario : Scenario.values()) {
            List<String> names = new ArrayList<>(
                    Arrays.stream(Step.values()).map(Step::label).toList());
            measured.stream()
                    .map(Run.Measured::step)
                    .filter(name -> !names.contains(name))
                    .distinct()
                    .forEach(names::add);
            for (String step : names) {
                for (Run.Measured each : measured) {
                    if (each.scenario().equals(scenario.label()) && each.step().equals(step)) {
                        steps.computeIfAbsent(scenario.label() + " | " + step, name -> new LinkedHashMap<>())
                                .computeIfAbsent(each.contestant(), name -> new ArrayList<>())
                                .add(each);
                    }
                }
            }
        }
        return steps;
    }

    /** The median of a figure; no number if there are no runs. */
    static double median(List<Run.Measured> runs, ToDoubleFunction<Run.Measured> figure) {
        double[] figures = runs.stream().mapToDouble(figure).sorted().toArray();
        if (figures.length == 0) {
            return Double.NaN;
        }
        int middle = figures.length / 2;
        return figures.length % 2 == 1 ? figures[middle] : (figures[middle - 1] + figures[middle]) / 2;
    }

    /** What the figures were taken on. */
    static String machine() {
        String model = "unknown processor";
        try {
            model = Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(model);
        } catch (IOException e) {
            // Only Linux tells it there.
        }
        return Runtime.getRuntime().availableProcessors() + " processors (" + model + "), Java "
                + Runtime.version().feature();
    }
}
