package io.tidemark.app;

import io.tidemark.app.output.RowPrinter;
import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogCheck;
import io.tidemark.compile.catalog.CatalogDefinition;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.GarbageCollection;
import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.Publication;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.compile.catalog.PublishReport;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.maintenance.Retention;
import io.tidemark.delta.storage.Storage;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Does the work of {@link CatalogCommand}. */
final class CatalogRun {
    private final CatalogCommand.Common common;
    private final PrintWriter out;
    private final PrintWriter err;
    private final Storage storage;

    CatalogRun(CatalogCommand.Common common, PrintWriter out, PrintWriter err) {
        this.common = common;
        this.out = out;
        this.err = err;
        this.storage = common.engine.storage(common.location);
    }

    int create(List<String> layers, @Nullable String id, List<String> settings) {
        List<LayerDefinition> definitions = layers.stream()
                .map(text -> LayerOption.parse(text, Optional.empty()))
                .toList();
        Map<String, String> configuration = new LinkedHashMap<>();
        settings.forEach(text -> {
            String[] setting = pair(text, "--set");
            configuration.put(setting[0], setting[1]);
        });
        Catalog catalog = Catalog.create(
                storage,
                common.location,
                new CatalogDefinition(id == null ? folderName() : id, definitions, configuration));
        return printLayers(catalog.latest());
    }

    private String folderName() {
        String location = storage.canonical(common.location);
        return location.substring(location.lastIndexOf('/') + 1);
    }

    int layers(List<String> changes) {
        Catalog catalog = open();
        Map<String, LayerDefinition> known = catalog.latest().layers();
        changes.stream()
                .map(text -> LayerOption.parse(text, Optional.ofNullable(known.get(LayerOption.id(text)))))
                .toList()
                .forEach(catalog::defineLayer);
        return printLayers(catalog.latest());
    }

    private int printLayers(CatalogVersion version) {
        try (RowPrinter printer = printer(
                "layer", "partitioning", "digest", "content_type", "inline_limit", "empty_payloads", "version")) {
            for (LayerDefinition layer : version.layers().values()) {
                printer.print(Arrays.asList(
                        layer.id(),
                        layer.partitioning().toString(),
                        layer.digest().algorithm(),
                        layer.contentType(),
                        layer.inlineLimitBytes(),
                        layer.allowsEmptyPayloads(),
                        version.layerVersions().get(layer.id())));
            }
            printer.finish();
        }
        return Main.DONE;
    }

    int list(@Nullable String layer, @Nullable Long version) {
        Catalog catalog = open();
        CatalogVersion read = version(catalog, version);
        Collection<String> layers = layer == null ? read.layers().keySet() : List.of(layer);
        try (EngineLimits.OpenEngine engine = common.engine.open()) {
            Interrupts.cancelOnSignal(engine.engine());
            catalog.registerMeta(engine.engine(), "partitions", read, layers);
            print(
                    engine.engine(),
                    "SELECT layer, \"partition\", version, size, checksum, digest, crc32c, handle FROM partitions ORDER BY"
                            + " layer, \"partition\"",
                    "layer",
                    "partition",
                    "version",
                    "size",
                    "checksum",
                    "digest",
                    "crc32c",
                    "handle");
        }
        return Main.DONE;
    }

    int get(String layer, String partition, @Nullable Long version, @Nullable Path file) {
        Catalog catalog = open();
        CatalogVersion read = version(catalog, version);
        try (EngineLimits.OpenEngine engine = common.engine.open();
                InputStream payload = catalog.read(engine.engine(), read, layer, partition)) {
            if (file == null) {
                // Not through the writer: payloads are bytes.
                OutputStream output = new FileOutputStream(FileDescriptor.out);
                payload.transferTo(output);
                output.flush();
            } else {
                save(payload, file);
            }
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "the payload cannot be written: " + e.getMessage())
                    .cause(e)
                    .build();
        }
        return Main.DONE;
    }

    private static void save(InputStream payload, Path file) throws IOException {
        Path temporary = file.resolveSibling("." + file.getFileName() + ".tmp");
        try {
            try (OutputStream output = Files.newOutputStream(temporary)) {
                payload.transferTo(output);
            }
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    /**
     * What to publish.
     *
     * @param layer the layer
     * @param partitions {@code NAME=FILE} or {@code NAME=}
     * @param folder folder of partitions, if there is one
     * @param snapshot whether other partitions are deleted
     * @param base the version to follow; null for the latest
     * @param dryRun whether nothing is published
     */
    record Put(
            String layer,
            List<String> partitions,
            @Nullable Path folder,
            boolean snapshot,
            @Nullable Long base,
            boolean dryRun) {}

    int put(Put put) {
        Catalog catalog = open();
        CatalogVersion base = version(catalog, put.base());
        PublishMode mode = put.snapshot() ? PublishMode.SNAPSHOT : PublishMode.INCREMENTAL;
        if (put.partitions().isEmpty() && put.folder() == null) {
            throw TidemarkException.of(ErrorCode.USAGE, "there is nothing to publish")
                    .hint("name partitions as NAME=FILE, or a folder: --from DIR")
                    .build();
        }
        try (EngineLimits.OpenEngine open = common.engine.open()) {
            Engine engine = open.engine();
            Interrupts.cancelOnSignal(engine);
            try (PayloadStager stager = catalog.stager(base, open.folder())) {
                engine.load("candidates", Candidates.COLUMNS, rows -> candidates(put, stager, rows));
            }
            Publication publication = catalog.publish(base).candidates("candidates", Map.of(put.layer(), mode));
            if (put.dryRun()) {
                Map<String, PublishReport.Counters> counters = publication.compare(engine);
                publication.abort();
                return printCounters(base.number(), false, counters);
            }
            PublishReport report = publication.commit(engine);
            return printCounters(report.version().number(), report.committed(), report.layers());
        }
    }

    private static void candidates(Put put, PayloadStager stager, RowConsumer rows) {
        for (String text : put.partitions()) {
            String[] partition = pair(text, "a partition");
            boolean deletes = partition[1].isEmpty();
            candidate(put.layer(), partition[0], deletes ? null : Path.of(partition[1]), stager, rows);
        }
        Path folder = put.folder();
        if (folder == null) {
            return;
        }
        if (!Files.isDirectory(folder)) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "there is no folder " + folder)
                    .build();
        }
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(Files::isRegularFile)
                    .forEach(file -> candidate(put.layer(), file.getFileName().toString(), file, stager, rows));
        } catch (IOException e) {
            throw TidemarkException.of(ErrorCode.IO_FAILED, "the folder " + folder + " cannot be listed")
                    .cause(e)
                    .build();
        }
    }

    private static void candidate(
            String layer, String partition, @Nullable Path file, PayloadStager stager, RowConsumer rows) {
        if (file == null) {
            rows.accept(Candidates.row(layer, partition, null));
            return;
        }
        try (InputStream payload = Files.newInputStream(file)) {
            rows.accept(Candidates.row(layer, partition, stager.stage(layer, partition, payload)));
        } catch (IOException e) {
            throw TidemarkException.of(
                            Files.exists(file) ? ErrorCode.IO_FAILED : ErrorCode.FILE_NOT_FOUND,
                            "the file " + file + " of partition " + partition + " cannot be read")
                    .cause(e)
                    .build();
        }
    }

    private int printCounters(long version, boolean committed, Map<String, PublishReport.Counters> layers) {
        try (RowPrinter printer = printer(
                "version", "committed", "layer", "candidates", "added", "changed", "deleted", "unchanged", "bytes")) {
            layers.forEach((layer, counters) -> printer.print(List.of(
                    version,
                    committed,
                    layer,
                    counters.compiled(),
                    counters.added(),
                    counters.changed(),
                    counters.deleted(),
                    counters.unchanged(),
                    counters.bytes())));
            printer.finish();
        }
        return Main.DONE;
    }

    int log(int limit) {
        Catalog catalog = open();
        try (RowPrinter printer = printer(
                "version", "time", "added", "changed", "deleted", "unchanged", "bytes", "layers", "dependencies")) {
            for (CatalogVersion version : catalog.versions(limit)) {
                PublishReport.Counters total = version.counters().values().stream()
                        .reduce(PublishReport.Counters.NONE, PublishReport.Counters::plus);
                String layers = version.layerVersions().entrySet().stream()
                        .filter(layer -> layer.getValue() == version.number())
                        .map(Map.Entry::getKey)
                        .sorted()
                        .collect(Collectors.joining(" "));
                String dependencies = version.dependencies().stream()
                        .map(each -> each.catalog() + "@" + each.version() + (each.direct() ? "" : " (indirect)"))
                        .collect(Collectors.joining(" "));
                printer.print(List.of(
                        version.number(),
                        version.time(),
                        total.added(),
                        total.changed(),
                        total.deleted(),
                        total.unchanged(),
                        total.bytes(),
                        layers,
                        dependencies));
            }
            printer.finish();
        }
        return Main.DONE;
    }

    int diff(long from, @Nullable Long to, List<String> layers) {
        Catalog catalog = open();
        CatalogVersion older = catalog.version(from);
        CatalogVersion newer = version(catalog, to);
        Collection<String> compared = layers.isEmpty() ? newer.layers().keySet() : layers;
        try (EngineLimits.OpenEngine engine = common.engine.open()) {
            Interrupts.cancelOnSignal(engine.engine());
            catalog.registerChanges(engine.engine(), "changes", older, newer, compared);
            print(
                    engine.engine(),
                    "SELECT layer, \"partition\", kind FROM changes ORDER BY layer, \"partition\"",
                    "layer",
                    "partition",
                    "kind");
        }
        return Main.DONE;
    }

    int verify(@Nullable Long version, List<String> layers) {
        Catalog catalog = open();
        CatalogVersion read = version(catalog, version);
        Collection<String> checked = layers.isEmpty() ? read.layers().keySet() : layers;
        CatalogCheck.Result result;
        try (EngineLimits.OpenEngine engine = common.engine.open()) {
            Interrupts.cancelOnSignal(engine.engine());
            result =
                    CatalogCheck.run(catalog, engine.engine(), read, checked, problem -> err.println(problem.render()));
        }
        err.flush();
        try (RowPrinter printer = printer("version", "partitions", "bytes", "problems")) {
            printer.print(List.of(read.number(), result.partitions(), result.bytes(), result.problems()));
            printer.finish();
        }
        return result.problems() == 0 ? Main.DONE : Main.FAILED;
    }

    int clean(@Nullable Long oldest, @Nullable String grace, boolean dryRun) {
        Catalog catalog = open();
        Optional<Duration> wanted = Optional.ofNullable(grace)
                .map(text -> Retention.parse(text)
                        .orElseThrow(() -> TidemarkException.of(ErrorCode.USAGE, "'" + text + "' is no duration")
                                .hint("write for example --grace '30 days'")
                                .build()));
        if (oldest != null && !dryRun) {
            catalog.dropVersionsBefore(oldest);
        }
        try (EngineLimits.OpenEngine engine = common.engine.open();
                RowPrinter printer = printer("file")) {
            Interrupts.cancelOnSignal(engine.engine());
            GarbageCollection.run(
                    catalog,
                    engine.engine(),
                    new GarbageCollection.Options(wanted, dryRun, Instant.now()),
                    path -> printer.print(List.of(path)));
            printer.finish();
        }
        return Main.DONE;
    }

    private Catalog open() {
        return Catalog.open(storage, common.location);
    }

    private static CatalogVersion version(Catalog catalog, @Nullable Long number) {
        return number == null ? catalog.latest() : catalog.version(number);
    }

    private RowPrinter printer(String... columns) {
        return new RowPrinter(out, common.format, List.of(columns));
    }

    private void print(Engine engine, String sql, String... columns) {
        try (RowPrinter printer = printer(columns)) {
            engine.stream(sql, row -> {
                printer.print(new ArrayList<>(row));
                return !out.checkError();
            });
            printer.finish();
        }
    }

    private static String[] pair(String text, String what) {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw TidemarkException.of(ErrorCode.USAGE, what + " is given as '" + text + "'")
                    .hint("write NAME=VALUE")
                    .build();
        }
        return new String[] {text.substring(0, equals), text.substring(equals + 1)};
    }
}
