package io.tidemark.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PartitionMeta;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** Input catalogs, an output catalog, and short ways to change the one and compile the other. */
final class Compilation {
    private static final long MEMORY_LIMIT_BYTES = 256L * 1024 * 1024;

    /** One engine for all tests, since opening one takes longer than most tests. */
    private static final Engine ENGINE = open();

    final Storage storage;
    final Engine engine = ENGINE;
    final Path folder;
    private final Map<String, Catalog> inputs = new LinkedHashMap<>();
    private final Map<String, Long> fixed = new LinkedHashMap<>();
    private @Nullable Catalog output;
    private UnaryOperator<Driver.Builder> settings =
            builder -> builder.threads(2).checkDeterminism(1);

    Compilation(Path folder) {
        this(folder, new LocalStorage());
    }

    /** Catalogs on a storage other than the plain disk. */
    Compilation(Path folder, Storage storage) {
        this.folder = folder;
        this.storage = storage;
        try {
            Files.createDirectories(folder.resolve("scratch"));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Engine open() {
        try {
            return DuckDbEngine.open(new DuckDbSettings(MEMORY_LIMIT_BYTES, 2, Files.createTempDirectory("tidemark-")));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Makes an input catalog with layers of generic names. */
    Compilation input(String id, String... layers) {
        return input(id, Arrays.stream(layers).map(LayerDefinition::generic).toArray(LayerDefinition[]::new));
    }

    Compilation input(String id, LayerDefinition... layers) {
        inputs.put(id, create(id, layers));
        return this;
    }

    /** Makes the output catalog. */
    Compilation output(String... layers) {
        return output(Arrays.stream(layers).map(LayerDefinition::generic).toArray(LayerDefinition[]::new));
    }

    Compilation output(LayerDefinition... layers) {
        output = create("out", layers);
        return this;
    }

    /** The same inputs with another, empty output. */
    Compilation beside(String id, List<String> layers) {
        Compilation other = new Compilation(folder);
        other.inputs.putAll(inputs);
        other.output = create(id, layers.stream().map(LayerDefinition::generic).toArray(LayerDefinition[]::new));
        return other;
    }

    private Catalog create(String id, LayerDefinition... layers) {
        return Catalog.create(storage, folder.resolve(id).toString(), CatalogDefinition.of(id, layers));
    }

    /** Reads an input at one version from now on. */
    Compilation fix(String id, long version) {
        fixed.put(id, version);
        return this;
    }

    /** Changes how drivers are made. */
    Compilation with(UnaryOperator<Driver.Builder> change) {
        settings = change;
        return this;
    }

    Catalog in(String id) {
        return java.util.Objects.requireNonNull(inputs.get(id));
    }

    Catalog out() {
        return java.util.Objects.requireNonNull(output);
    }

    /** Publishes partitions of a layer, names and payloads in turn; a null payload deletes. */
    Compilation put(String id, String layer, @Nullable String... namesAndPayloads) {
        publish(in(id), layer, namesAndPayloads);
        return this;
    }

    void publish(Catalog catalog, String layer, @Nullable String... namesAndPayloads) {
        CatalogVersion base = catalog.latest();
        try (PayloadStager stager = catalog.stager(base, folder.resolve("scratch"))) {
            engine.load("published_by_test", Candidates.COLUMNS, rows -> {
                for (int i = 0; i < namesAndPayloads.length; i += 2) {
                    String name = String.valueOf(namesAndPayloads[i]);
                    String text = namesAndPayloads[i + 1];
                    rows.accept(Candidates.row(
                            layer,
                            name,
                            text == null ? null : stager.stage(layer, name, text.getBytes(StandardCharsets.UTF_8))));
                }
            });
            catalog.publish(base)
                    .candidates("published_by_test", Map.of(layer, PublishMode.INCREMENTAL))
                    .commit(engine);
        }
        engine.drop("published_by_test");
    }

    Driver driver(Task... tasks) {
        Driver.Builder builder = settings.apply(Driver.on(out()).scratch(folder.resolve("scratch")));
        inputs.forEach((id, catalog) -> {
            Long version = fixed.get(id);
            if (version == null) {
                builder.bind(id, catalog);
            } else {
                builder.bindFixed(id, catalog, version);
            }
        });
        return builder.tasks(tasks).engine(engine);
    }

    /** Compiles the latest versions. */
    Ran run(Task... tasks) {
        return run(Job.latest(), tasks);
    }

    Ran run(Job job, Task... tasks) {
        long before = out().latest().number();
        RunReport report = driver(tasks).run(job);
        assertThat(report.version().number()).isEqualTo(out().latest().number());
        assertThat(report.committed()).isEqualTo(report.version().number() > before);
        return new Ran(report);
    }

    /** The payloads of an output layer by name. */
    Map<String, String> content(String layer) {
        return content(out(), out().latest(), layer);
    }

    Map<String, String> content(Catalog catalog, CatalogVersion version, String layer) {
        Map<String, String> content = new TreeMap<>();
        catalog.registerPayloads(engine, "content", version, List.of(layer));
        for (List<@Nullable Object> row : rows("SELECT * FROM content")) {
            byte[] inline = row.get(row.size() - 1) instanceof byte[] bytes ? bytes : null;
            PartitionMeta meta = PartitionMeta.of(row);
            content.put(meta.partition(), new String(catalog.payloadBytes(meta, inline), StandardCharsets.UTF_8));
        }
        Catalog.drop(engine, "content");
        return content;
    }

    /** The catalog versions that last wrote the partitions of an output layer. */
    Map<String, Long> written(String layer) {
        Map<String, Long> versions = new TreeMap<>();
        out().registerMeta(engine, "meta", out().latest(), List.of(layer));
        rows("SELECT * FROM meta").forEach(row -> {
            PartitionMeta meta = PartitionMeta.of(row);
            versions.put(meta.partition(), meta.version());
        });
        Catalog.drop(engine, "meta");
        return versions;
    }

    /** The net changes of an output layer between two versions. */
    Map<String, String> changes(long from, long to, String layer) {
        Map<String, String> changes = new TreeMap<>();
        out().registerChanges(engine, "changes", out().version(from), out().version(to), List.of(layer));
        rows("SELECT partition, kind FROM changes")
                .forEach(row -> changes.put(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        Catalog.drop(engine, "changes");
        return changes;
    }

    List<List<@Nullable Object>> rows(String sql) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        engine.stream(sql, row -> rows.add(new ArrayList<>(row)));
        return rows;
    }

    /** The version of an input that the output is of. */
    long dependency(String id) {
        return out().latest().dependency(id).orElseThrow().version();
    }

    /** Runs what must fail with a code, and checks that the output stays as it was. */
    TidemarkException fails(ErrorCode code, ThrowingCallable call) {
        long version = out().latest().number();
        TidemarkException failure = catchThrowableOfType(TidemarkException.class, call);
        assertThat(failure).as("an error " + code).isNotNull();
        assertThat(failure.code()).as(failure.render()).isEqualTo(code);
        assertThat(out().latest().number()).isEqualTo(version);
        return failure;
    }

    /** A run that has ended. */
    record Ran(RunReport report) {
        /** Checks the mode of a task and its counts: compiled in, compiled out, uploads, deletes, unchanged. */
        Ran expect(
                String task, Mode mode, Reason reason, long in, long out, long uploads, long deletes, long unchanged) {
            RunReport.TaskReport found = report.task(task).orElseThrow();
            assertThat(found.mode() + " " + found.reason())
                    .as(report.toString())
                    .isEqualTo(mode + " " + reason);
            assertThat(List.of(
                            found.compileIn(),
                            found.compileOut(),
                            found.published().uploads(),
                            found.published().deleted(),
                            found.published().unchanged()))
                    .as("in, out, uploads, deletes, unchanged of %s", report)
                    .containsExactly(in, out, uploads, deletes, unchanged);
            return this;
        }

        Ran full(Reason reason, long in, long out, long uploads, long deletes, long unchanged) {
            return expect("t", Mode.FULL, reason, in, out, uploads, deletes, unchanged);
        }

        Ran incremental(long in, long out, long uploads, long deletes, long unchanged) {
            return expect("t", Mode.INCREMENTAL, Reason.INPUT_CHANGED, in, out, uploads, deletes, unchanged);
        }

        Ran skipped() {
            return expect("t", Mode.SKIP, Reason.NO_CHANGE, 0, 0, 0, 0, 0);
        }

        Ran detail(String text) {
            assertThat(report.tasks().get(0).detail()).contains(text);
            return this;
        }

        Ran committed() {
            assertThat(report.committed()).as(report.toString()).isTrue();
            return this;
        }

        Ran notCommitted() {
            assertThat(report.committed()).as(report.toString()).isFalse();
            return this;
        }

        Ran added(long count) {
            assertThat(report.tasks().get(0).published().added()).isEqualTo(count);
            return this;
        }
    }
}
