package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** Measures dbt snapshots beside the statements of dbt-duckdb, and tells it as Markdown. */
final class SnapshotBench {
    static final String PRODUCT = "tidemark";
    static final String DBT = "dbt-duckdb";
    static final String FIRST = "first";
    static final String CHANGED = "changed";
    static final String NOTHING = "nothing";
    static final String TOUCHED = "touched";

    private final Path folder;
    private final long keys;
    private final List<Integer> histories;
    private final List<SnapshotScenario> scenarios;
    private final String memory;

    /**
     * A measurement.
     *
     * @param folder where input and tables are made
     * @param keys keys of the source
     * @param histories numbers of closed rows that each key has when the measurement begins
     * @param memory memory of DuckDB on both sides
     */
    SnapshotBench(Path folder, long keys, List<Integer> histories, List<SnapshotScenario> scenarios, String memory) {
        this.folder = folder;
        this.keys = keys;
        this.histories = List.copyOf(histories);
        this.scenarios = List.copyOf(scenarios);
        this.memory = memory;
    }

    /** Measures. */
    String markdown() throws SQLException, IOException, InterruptedException {
        SnapshotInput input = new SnapshotInput(folder.resolve("snapshot-input-" + keys), keys);
        input.make(histories);
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "%n### dbt snapshots, %,d keys%n%nTwelve columns, one row in a hundred changed. `%s`: medians of %d"
                        + " rounds; memory of DuckDB %s; %s.%n%n| strategy | closed rows of each key | step | who | wall s"
                        + " | CPU s | peak MB | CPU of this against Tidemark | result |%n|---|---|---|---|---|---|---|---|---|%n",
                keys,
                CHANGED,
                SnapshotInput.ROUNDS - 1,
                memory,
                Report.machine()));
        for (SnapshotScenario scenario : scenarios) {
            for (int history : histories) {
                System.err.println(scenario.label() + ", " + history + " closed rows of each key");
                text.append(rows(scenario, history));
            }
        }
        return text.toString();
    }

    private String rows(SnapshotScenario scenario, int history) throws IOException, InterruptedException {
        List<Run.Measured> product = measured(PRODUCT, scenario, history);
        List<Run.Measured> dbt = measured(DBT, scenario, history);
        String digest = product.get(product.size() - 1).verdict();
        boolean equal = Objects.equals(digest, dbt.get(dbt.size() - 1).verdict());
        StringBuilder text = new StringBuilder();
        for (String step : List.of(FIRST, CHANGED, TOUCHED, NOTHING)) {
            double own = Report.median(of(product, step), each -> each.cost().cpuSeconds());
            for (List<Run.Measured> all : List.of(product, dbt)) {
                List<Run.Measured> runs = of(all, step);
                if (runs.isEmpty()) {
                    continue;
                }
                double cpu = Report.median(runs, each -> each.cost().cpuSeconds());
                text.append(String.format(
                        Locale.ROOT,
                        "| %s | %d | %s | %s | %.2f | %.2f | %.0f | %s | %s |%n",
                        scenario.label(),
                        history,
                        step,
                        runs.get(0).contestant(),
                        Report.median(runs, each -> each.cost().wallSeconds()),
                        cpu,
                        Report.median(runs, each -> each.cost().peakMegabytes()),
                        all.equals(product) ? "" : String.format(Locale.ROOT, "%.1f", cpu / own),
                        equal ? "equal" : "different"));
            }
        }
        return text.toString();
    }

    private static List<Run.Measured> of(List<Run.Measured> all, String step) {
        return all.stream().filter(each -> each.step().equals(step)).toList();
    }

    private List<Run.Measured> measured(String contestant, SnapshotScenario scenario, int history)
            throws IOException, InterruptedException {
        List<Run.Measured> all = new ArrayList<>();
        List<String> arguments = List.of(
                contestant,
                scenario.name(),
                Long.toString(keys),
                Integer.toString(history),
                folder.resolve("snapshot-input-" + keys).toString(),
                folder.resolve("snapshot-work").toString(),
                memory);
        if (!BenchCommand.child(List.of(), SnapshotProcess.class, arguments, all)) {
            throw new IllegalStateException(contestant + " failed");
        }
        return all;
    }
}
