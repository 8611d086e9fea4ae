package io.tidemark.tests.cost;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An incremental compile costs what the change costs, however large the catalogs are. */
class CompileCostTest {
    private static final int CHANGED = 20;
    private static final int FEW = 200;
    private static final int MANY = 4_000;
    /** As many calls of the engine as the runs below need; lower it when one is saved. */
    private static final int CALLS_MAX = 60;

    @TempDir
    Path folder;

    /** Counts of a run after a change of some partitions, and of one more with nothing new. */
    private record Counted(Counts changed, List<String> inputFiles, Counts nothing) {}

    private static Task direct() {
        return Task.named("direct")
                .version("1")
                .in("source", "parts")
                .out("result")
                .direct1ToN(String.class)
                .map((in, c) -> List.of(c.out("result", in.partition())))
                .compileIn((in, c) -> c.payload(in).text())
                .compileOut((out, values) -> Payload.some(values.first().toUpperCase(Locale.ROOT)))
                .build();
    }

    private static Task group() {
        return Task.named("group")
                .version("1")
                .in("source", "parts")
                .out("result")
                .mapGroup(String.class)
                .compileIn((in, emit, c) -> emit.to(
                        c.out("result", in.partition().substring(0, 4)),
                        c.payload(in).text()))
                .compileOut((out, values) -> Payload.some(String.join(",", values.toList())))
                .build();
    }

    private void publish(Engine engine, Catalog catalog, int partitions, int edition) throws Exception {
        CatalogVersion base = catalog.latest();
        try (PayloadStager stager = catalog.stager(base, Files.createDirectories(folder.resolve("scratch")))) {
            engine.load("parts", Candidates.COLUMNS, rows -> {
                for (int i = 0; i < partitions; i++) {
                    String name = String.format(Locale.ROOT, "p%06d", i);
                    byte[] payload = (edition + " of " + i).getBytes(StandardCharsets.UTF_8);
                    rows.accept(Candidates.row("parts", name, stager.stage("parts", name, payload)));
                }
            });
            catalog.publish(base)
                    .candidates("parts", Map.of("parts", PublishMode.INCREMENTAL))
                    .commit(engine);
        }
        engine.drop("parts");
    }

    private static Catalog catalog(Path place, String id, String layer) {
        return Catalog.create(
                new LocalStorage(),
                place.resolve(id).toString(),
                CatalogDefinition.of(id, LayerDefinition.generic(layer)));
    }

    private Counted counted(Engine engine, Task task, int partitions) throws Exception {
        Path place = folder.resolve(task.id() + partitions);
        Catalog source = catalog(place, "source", "parts");
        Catalog result = catalog(place, "result", "result");
        publish(engine, source, partitions, 1);
        run(engine, source, result, task, Mode.FULL);
        List<String> before = inputFiles(source);
        publish(engine, source, CHANGED, 2);
        Counts changed = new Counts();
        RunReport report = run(changed.engine(engine), source, result, task, Mode.INCREMENTAL);
        assertThat(report.tasks().get(0).compileIn()).isEqualTo(CHANGED);
        List<String> read = changed.files().stream()
                .filter(file -> file.startsWith(source.location()))
                .filter(before::contains)
                .toList();
        Counts nothing = new Counts();
        run(nothing.engine(engine), source, result, task, Mode.SKIP);
        return new Counted(changed, read, nothing);
    }

    private static List<String> inputFiles(Catalog catalog) throws Exception {
        try (var files = Files.walk(Path.of(catalog.location(), "layer=parts"))) {
            return files.filter(Files::isRegularFile).map(Path::toString).toList();
        }
    }

    private RunReport run(Engine engine, Catalog source, Catalog result, Task task, Mode expected) {
        RunReport report = Driver.on(result)
                .bind("source", source)
                .tasks(task)
                .threads(1)
                .checkDeterminism(0)
                .scratch(folder.resolve("scratch"))
                .engine(engine)
                .run(Job.latest());
        assertThat(report.tasks().get(0).mode()).isEqualTo(expected);
        return report;
    }

    @Test
    void anIncrementalCompileCostsWhatTheChangeCosts() throws Exception {
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("spill")))) {
            for (Task task : List.of(direct(), group())) {
                Counted few = counted(engine, task, FEW);
                Counted many = counted(engine, task, MANY);
                assertThat(many.changed().calls())
                        .as("%s, as after %s", many.changed(), few.changed())
                        .isEqualTo(few.changed().calls())
                        .isLessThanOrEqualTo(CALLS_MAX);
                assertThat(many.inputFiles()).as("old files of the input").isEmpty();
                assertThat(many.nothing().calls("materialize", "write", "registerFiles", "stream", "load"))
                        .as("with nothing new %s", many.nothing())
                        .isZero();
            }
        }
    }

    /** A partition of pattern Direct leaves the engine twice as itself, and its name a few times. */
    @Test
    void unchangedPartitionsStayWithTheEngine() throws Exception {
        try (Engine engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("spill")))) {
            Counted few = counted(engine, direct(), FEW);
            Counted many = counted(engine, direct(), MANY);
            assertThat(many.changed().rows())
                    .as("%s", many.changed())
                    .isEqualTo(few.changed().rows())
                    .isLessThanOrEqualTo(5 * CHANGED);
        }
    }
}
