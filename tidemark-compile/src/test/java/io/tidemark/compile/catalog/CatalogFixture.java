package io.tidemark.compile.catalog;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.Engine;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** A catalog on the local disk, an engine, and short ways to publish to it and to look at it. */
final class CatalogFixture implements AutoCloseable {
    private static final long MEMORY_LIMIT_BYTES = 256L * 1024 * 1024;

    final Storage storage = new LocalStorage();
    final Engine engine;
    final Path folder;
    final Path scratch;
    final Catalog catalog;

    private CatalogFixture(Path folder, LayerDefinition... layers) {
        try {
            this.folder = folder;
            this.scratch = Files.createDirectories(folder.resolve("scratch"));
            this.engine = DuckDbEngine.open(new DuckDbSettings(MEMORY_LIMIT_BYTES, 2, folder.resolve("spill")));
            this.catalog =
                    Catalog.create(storage, folder.resolve("catalog").toString(), CatalogDefinition.of("test", layers));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A fresh catalog. */
    static CatalogFixture create(Path folder, LayerDefinition... layers) {
        return new CatalogFixture(folder, layers);
    }

    /** Candidates of one layer, in order; a null payload deletes. */
    static Map<String, @Nullable String> candidates(@Nullable String... namesAndPayloads) {
        Map<String, @Nullable String> candidates = new LinkedHashMap<>();
        for (int i = 0; i < namesAndPayloads.length; i += 2) {
            candidates.put(String.valueOf(namesAndPayloads[i]), namesAndPayloads[i + 1]);
        }
        return candidates;
    }

    /** Stages candidates and makes them the engine's relation {@code candidates}. */
    void load(CatalogVersion base, Map<String, Map<String, @Nullable String>> byLayer) {
        try (PayloadStager stager = catalog.stager(base, scratch)) {
            engine.load(
                    "candidates",
                    Candidates.COLUMNS,
                    rows -> byLayer.forEach((layer, candidates) ->
                            candidates.forEach((name, text) -> rows.accept(Candidates.row(
                                    layer,
                                    name,
                                    text == null
                                            ? null
                                            : stager.stage(layer, name, text.getBytes(StandardCharsets.UTF_8)))))));
        }
    }

    Publication publication(CatalogVersion base, PublishMode mode, Map<String, Map<String, @Nullable String>> byLayer) {
        load(base, byLayer);
        Map<String, PublishMode> modes = new LinkedHashMap<>();
        byLayer.keySet().forEach(layer -> modes.put(layer, mode));
        return catalog.publish(base).candidates("candidates", modes);
    }

    /** Publishes candidates of one layer on the latest version. */
    PublishReport publish(PublishMode mode, String layer, Map<String, @Nullable String> candidates) {
        return publication(catalog.latest(), mode, Map.of(layer, candidates)).commit(engine);
    }

    /** Publishes candidates of one layer on the latest version incrementally. */
    PublishReport publish(String layer, @Nullable String... namesAndPayloads) {
        return publish(PublishMode.INCREMENTAL, layer, candidates(namesAndPayloads));
    }

    /** The payloads of a layer by name, each read and checked. */
    Map<String, String> payloads(CatalogVersion version, String layer) {
        Map<String, String> payloads = new LinkedHashMap<>();
        catalog.registerPayloads(engine, "payloads", version, List.of(layer));
        for (List<@Nullable Object> row : rows("SELECT * FROM payloads ORDER BY partition")) {
            byte[] inline = row.get(row.size() - 1) instanceof byte[] bytes ? bytes : null;
            payloads.put(
                    String.valueOf(row.get(1)),
                    new String(catalog.payloadBytes(PartitionMeta.of(row), inline), StandardCharsets.UTF_8));
        }
        Catalog.drop(engine, "payloads");
        return payloads;
    }

    /** The versions that last wrote the partitions of a layer, by name. */
    Map<String, Long> versions(CatalogVersion version, String layer) {
        Map<String, Long> versions = new LinkedHashMap<>();
        catalog.registerMeta(engine, "meta", version, List.of(layer));
        rows("SELECT * FROM meta ORDER BY partition")
                .forEach(row -> versions.put(
                        PartitionMeta.of(row).partition(), PartitionMeta.of(row).version()));
        Catalog.drop(engine, "meta");
        return versions;
    }

    /** The net changes of a layer, by name. */
    Map<String, String> changes(CatalogVersion from, CatalogVersion to, String layer) {
        Map<String, String> changes = new LinkedHashMap<>();
        catalog.registerChanges(engine, "changes", from, to, List.of(layer));
        rows("SELECT partition, kind FROM changes ORDER BY partition")
                .forEach(row -> changes.put(String.valueOf(row.get(0)), String.valueOf(row.get(1))));
        engine.drop("changes");
        return changes;
    }

    List<List<@Nullable Object>> rows(String sql) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        engine.stream(sql, row -> rows.add(new ArrayList<>(row)));
        return rows;
    }

    /** The payload files, sorted. */
    List<Path> payloadFiles() {
        return filesBelow(Path.of(catalog.location(), PayloadFiles.FOLDER));
    }

    /** The data files of a layer, sorted, committed or not. */
    List<Path> dataFiles(String layer) {
        return filesBelow(Path.of(catalog.location(), "layer=" + layer));
    }

    static List<Path> filesBelow(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static TidemarkException failure(ThrowingCallable call) {
        return catchThrowableOfType(TidemarkException.class, call);
    }

    @Override
    public void close() {
        engine.close();
    }
}
