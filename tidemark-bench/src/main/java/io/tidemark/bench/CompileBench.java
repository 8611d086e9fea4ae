package io.tidemark.bench;

import io.tidemark.compile.Driver;
import io.tidemark.compile.Job;
import io.tidemark.compile.Mode;
import io.tidemark.compile.Payload;
import io.tidemark.compile.RunReport;
import io.tidemark.compile.Task;
import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * An incremental compiler beside itself in full: an input catalog of many small partitions, a first run, one partition in
 * a hundred changed, the incremental run, a run with nothing new, and the full run on the same input, which must publish
 * nothing: the incremental one had made all that was different.
 */
final class CompileBench {
    private static final int PAYLOAD_BYTES = 1_000;
    private static final int CHANGED_ONE_OF = 100;
    private static final int GROUPS_PER_PARTITION = 4;

    private final Path folder;
    private final int partitions;
    private final int repetitions;
    private final long memoryBytes;
    private final List<String> lines = new ArrayList<>();

    /**
     * A measurement.
     *
     * @param folder where catalogs are made
     * @param partitions of the input
     * @param memoryBytes memory of the engine
     */
    CompileBench(Path folder, int partitions, int repetitions, long memoryBytes) {
        this.folder = folder;
        this.partitions = partitions;
        this.repetitions = repetitions;
        this.memoryBytes = memoryBytes;
    }

    /** Measures, and tells it as Markdown. */
    String markdown() throws Exception {
        lines.add("");
        lines.add(String.format(Locale.ROOT, "## Compilers, %,d partitions", partitions));
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "Payloads of %,d bytes, one in %d changed, medians of %d.",
                PAYLOAD_BYTES,
                CHANGED_ONE_OF,
                repetitions));
        lines.add("");
        lines.add(
                "| pattern | run | compileIn | compileOut | published | wall s | CPU s | of it the JVM's compilers s | the rest"
                        + " against that of the full run | peak MB |");
        lines.add("|---|---|---|---|---|---|---|---|---|---|");
        pattern("Direct1ToN", direct());
        pattern("MapGroup", group());
        return String.join(System.lineSeparator(), lines) + System.lineSeparator();
    }

    private static Task direct() {
        return Task.named("direct")
                .version("1")
                .in("source", "parts")
                .out("result")
                .direct1ToN(String.class)
                .map((in, c) -> List.of(PartitionKey.output("result", in.partition())))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(values.first().toUpperCase(Locale.ROOT)))
                .build();
    }

    /** Each partition names some of a quarter as many groups; its text follows the names. */
    private static Task group() {
        return Task.named("group")
                .version("1")
                .in("source", "parts")
                .out("result")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> {
                    String[] words = c.payload(in).text().split(" ", GROUPS_PER_PARTITION + 1);
                    for (int i = 0; i < GROUPS_PER_PARTITION; i++) {
                        emit.to(c.out("result", words[i]), in.partition() + " " + words[GROUPS_PER_PARTITION].length());
                    }
                })
                .compileOut((out, values) -> Payload.some(String.join("\n", values.toList())))
                .build();
    }

    private record Ran(RunReport report, Meter.Cost cost) {}

    private void pattern(String name, Task task) throws Exception {
        List<Ran> first = new ArrayList<>();
        List<Ran> incremental = new ArrayList<>();
        List<Ran> nothing = new ArrayList<>();
        List<Ran> full = new ArrayList<>();
        List<Double> starts = new ArrayList<>();
        for (int i = 0; i < repetitions; i++) {
            Path place = Files.createDirectories(folder.resolve(name + "-" + i + "-" + System.nanoTime()));
            Catalog source = catalog(place, "source", "parts");
            Catalog result = catalog(place, "result", "result");
            publish(place, source, 0);
            first.add(run(place, source, result, task, Job.latest(), Mode.FULL));
            publish(place, source, 1);
            incremental.add(run(place, source, result, task, Job.latest(), Mode.INCREMENTAL));
            nothing.add(run(place, source, result, task, Job.latest(), Mode.SKIP));
            Ran whole = run(place, source, result, task, Job.latest().reprocess(), Mode.FULL);
            if (whole.report().tasks().get(0).published().uploads() != 0) {
                throw new IllegalStateException("the incremental run left something undone: " + whole.report());
            }
            full.add(whole);
            Meter.Cost start = Meter.measure(() -> {
                try (Engine engine = engine(place)) {
                    engine.rows("SELECT 1");
                }
            });
            starts.add(work(start));
        }
        double reference = median(full.stream().map(ran -> work(ran.cost())).toList());
        line(name, "first", first, reference);
        line(name, "1 of " + CHANGED_ONE_OF + " changed", incremental, reference);
        line(name, "nothing new", nothing, reference);
        line(name, "in full again", full, reference);
        lines.add(String.format(
                Locale.ROOT,
                "| %s | an engine opened and closed | | | | | %.2f | 0.00 | %.1f %% | |",
                name,
                median(starts),
                100 * median(starts) / reference));
    }

    private static Catalog catalog(Path place, String id, String layer) {
        return Catalog.create(
                new LocalStorage(),
                place.resolve(id).toString(),
                CatalogDefinition.of(id, LayerDefinition.generic(layer)));
    }

    private Engine engine(Path place) {
        return DuckDbEngine.open(new DuckDbSettings(
                memoryBytes, Runtime.getRuntime().availableProcessors(), place.resolve("temporary")));
    }

    /** Publishes an edition of the input: all partitions, or those that change. */
    private void publish(Path place, Catalog source, int edition) throws IOException {
        CatalogVersion base = source.latest();
        Path scratch = Files.createDirectories(place.resolve("scratch"));
        try (Engine engine = engine(place);
                PayloadStager stager = source.stager(base, scratch)) {
            engine.load("parts", Candidates.COLUMNS, rows -> {
                for (int i = 0; i < partitions; i += edition == 0 ? 1 : CHANGED_ONE_OF) {
                    String name = String.format(Locale.ROOT, "p%08d", i);
                    rows.accept(Candidates.row("parts", name, stager.stage("parts", name, payload(i, edition))));
                }
            });
            source.publish(base)
                    .candidates("parts", Map.of("parts", PublishMode.INCREMENTAL))
                    .commit(engine);
        }
    }

    private byte[] payload(int partition, int edition) {
        StringBuilder text = new StringBuilder();
        int groups = Math.max(1, partitions / GROUPS_PER_PARTITION);
        for (int i = 0; i < GROUPS_PER_PARTITION; i++) {
            text.append('g')
                    .append((partition * 31L + i * 7919L + edition) % groups)
                    .append(' ');
        }
        while (text.length() < PAYLOAD_BYTES - 1) {
            text.append("edition ")
                    .append(edition)
                    .append(" of ")
                    .append(partition)
                    .append(", ");
        }
        text.setLength(PAYLOAD_BYTES - edition);
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    private Ran run(Path place, Catalog source, Catalog result, Task task, Job job, Mode expected) throws Exception {
        RunReport[] report = new RunReport[1];
        Meter.Cost cost = Meter.measure(() -> {
            try (Engine engine = engine(place)) {
                report[0] = Driver.on(result)
                        .bind("source", source)
                        .tasks(task)
                        .scratch(place.resolve("scratch"))
                        .engine(engine)
                        .run(job);
            }
        });
        if (report[0].tasks().get(0).mode() != expected) {
            throw new IllegalStateException("expected " + expected + ": " + report[0]);
        }
        return new Ran(report[0], cost);
    }

    private void line(String pattern, String run, List<Ran> all, double reference) {
        RunReport.TaskReport task = all.get(0).report().tasks().get(0);
        lines.add(String.format(
                Locale.ROOT,
                "| %s | %s | %,d | %,d | %,d | %.2f | %.2f | %.2f | %.1f %% | %d |",
                pattern,
                run,
                task.compileIn(),
                task.compileOut(),
                task.published().uploads() + task.published().deleted(),
                median(all.stream().map(ran -> ran.cost().wallSeconds()).toList()),
                cpu(all),
                median(all.stream().map(ran -> ran.cost().compilerSeconds()).toList()),
                100 * median(all.stream().map(ran -> work(ran.cost())).toList()) / reference,
                all.stream().mapToLong(ran -> ran.cost().peakMegabytes()).max().orElse(0)));
    }

    /** What a run costs in a JVM that has compiled its code. */
    private static double work(Meter.Cost cost) {
        return cost.cpuSeconds() - cost.compilerSeconds();
    }

    private static double cpu(List<Ran> all) {
        return median(all.stream().map(ran -> ran.cost().cpuSeconds()).toList());
    }

    private static double median(List<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
