package io.tidemark.compile.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.maintenance.Compaction;
import io.tidemark.delta.maintenance.CompactionOptions;
import io.tidemark.testkit.Seeded;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random publications beside a model of maps: contents, versions, counters and net changes are those of the model. */
class CatalogProperties {
    private static final int CATALOGS = 2;
    private static final int STEPS = 12;
    private static final int NAMES = 12;
    private static final List<Digest> DIGESTS = List.of(Digest.values());
    private static final List<String> LAYERS = List.of("a", "b");
    /** Two that stand in rows and two that have files. */
    private static final List<String> PAYLOADS = List.of("x", "y", "a longer payload", "another longer payload");

    @TempDir
    Path folder;

    /**
     * A published partition.
     *
     * @param payload its payload
     * @param version the version that wrote it
     */
    private record Published(String payload, long version) {}

    /** The layers of each version, the empty one first. */
    private final List<Map<String, Map<String, Published>>> model = new ArrayList<>();

    @Test
    void publicationsFollowTheModel() {
        Seeded.run(7_001, CATALOGS, (random, seed) -> {
            Path place = folder.resolve("seed" + seed);
            try (CatalogFixture fixture = CatalogFixture.create(
                    place,
                    LayerDefinition.generic("a").withInlineLimit(4),
                    LayerDefinition.generic("b").withInlineLimit(4))) {
                model.clear();
                model.add(Map.of("a", Map.of(), "b", Map.of()));
                for (int step = 0; step < STEPS; step++) {
                    step(fixture, random, seed % 2 == 0);
                }
                fixture.catalog.dropVersionsBefore(fixture.catalog.latest().number() / 2);
                GarbageCollection.run(
                        fixture.catalog,
                        fixture.engine,
                        new GarbageCollection.Options(
                                Optional.empty(), false, Instant.now().plus(Duration.ofDays(30))),
                        path -> {});
                for (CatalogVersion version : fixture.catalog.versions(STEPS)) {
                    checkContent(fixture, version);
                }
            }
        });
    }

    private void step(CatalogFixture fixture, Random random, boolean changesDigests) {
        if (random.nextInt(5) == 0) {
            DeltaTable table = DeltaTable.at(fixture.storage, fixture.catalog.location());
            Compaction.run(fixture.engine, fixture.storage, table.snapshot(), CompactionOptions.ALL);
        }
        if (changesDigests && random.nextInt(8) == 0) {
            LayerDefinition layer = Catalog.layer(fixture.catalog.latest(), LAYERS.get(random.nextInt(2)));
            fixture.catalog.defineLayer(layer.withDigest(DIGESTS.get(random.nextInt(DIGESTS.size()))));
        }
        PublishMode mode = random.nextInt(4) == 0 ? PublishMode.SNAPSHOT : PublishMode.INCREMENTAL;
        Map<String, Map<String, @Nullable String>> candidates = new TreeMap<>();
        for (String layer : random.nextBoolean() ? LAYERS : List.of(LAYERS.get(random.nextInt(2)))) {
            candidates.put(layer, candidates(random));
        }
        CatalogVersion base = fixture.catalog.latest();
        PublishReport report = fixture.publication(base, mode, candidates).commit(fixture.engine);

        Map<String, Map<String, Published>> next = new TreeMap<>(model.get(model.size() - 1));
        Map<String, PublishReport.Counters> counters = new TreeMap<>();
        candidates.forEach((layer, each) -> counters.put(layer, apply(next, layer, each, mode)));
        assertThat(report.layers()).isEqualTo(counters);
        assertThat(report.committed())
                .isEqualTo(counters.values().stream().anyMatch(each -> each.uploads() + each.deleted() > 0));
        if (report.committed()) {
            model.add(next);
        }
        assertThat(report.version().number()).isEqualTo(model.size() - 1);
        checkContent(fixture, report.version());
        CatalogVersion other = fixture.catalog.version(random.nextInt(model.size()));
        checkContent(fixture, other);
        for (String layer : LAYERS) {
            boolean back = random.nextBoolean();
            checkChanges(fixture, layer, back ? report.version() : other, back ? other : report.version());
        }
    }

    /** What was changed back after its layer got another digest may count as changed. */
    private void checkChanges(CatalogFixture fixture, String layer, CatalogVersion from, CatalogVersion to) {
        Map<String, String> found = fixture.changes(from, to, layer);
        Map<String, String> expected = changes(layer, from, to);
        if (Catalog.layer(fixture.catalog.latest(), layer).formerDigests().isEmpty()) {
            assertThat(found).isEqualTo(expected);
        } else {
            assertThat(found).containsAllEntriesOf(expected);
            found.keySet().removeAll(expected.keySet());
            assertThat(found.values()).allMatch("changed"::equals);
        }
    }

    private static Map<String, @Nullable String> candidates(Random random) {
        Map<String, @Nullable String> candidates = new TreeMap<>();
        int count = random.nextInt(NAMES);
        for (int i = 0; i < count; i++) {
            String payload = random.nextInt(4) == 0 ? null : PAYLOADS.get(random.nextInt(PAYLOADS.size()));
            candidates.put("p" + random.nextInt(NAMES), payload);
        }
        return candidates;
    }

    private PublishReport.Counters apply(
            Map<String, Map<String, Published>> next,
            String layer,
            Map<String, @Nullable String> candidates,
            PublishMode mode) {
        Map<String, Published> before = next.getOrDefault(layer, Map.of());
        Map<String, Published> after = mode == PublishMode.SNAPSHOT ? new TreeMap<>() : new TreeMap<>(before);
        long added = 0;
        long changed = 0;
        long unchanged = 0;
        long bytes = 0;
        for (Map.Entry<String, @Nullable String> candidate : candidates.entrySet()) {
            String payload = candidate.getValue();
            Published known = before.get(candidate.getKey());
            if (payload == null) {
                after.remove(candidate.getKey());
            } else if (known != null && known.payload().equals(payload)) {
                after.put(candidate.getKey(), known);
                unchanged++;
            } else {
                after.put(candidate.getKey(), new Published(payload, model.size()));
                added += known == null ? 1 : 0;
                changed += known == null ? 0 : 1;
                bytes += payload.length();
            }
        }
        long deleted = before.keySet().stream()
                .filter(name -> !after.containsKey(name))
                .count();
        next.put(layer, after);
        return new PublishReport.Counters(candidates.size(), added, changed, deleted, unchanged, bytes);
    }

    private void checkContent(CatalogFixture fixture, CatalogVersion version) {
        for (String layer : LAYERS) {
            Map<String, String> payloads = new TreeMap<>();
            Map<String, Long> versions = new TreeMap<>();
            layer(layer, version).forEach((name, published) -> {
                payloads.put(name, published.payload());
                versions.put(name, published.version());
            });
            assertThat(fixture.payloads(version, layer)).isEqualTo(payloads);
            assertThat(fixture.versions(version, layer)).isEqualTo(versions);
        }
    }

    private Map<String, Published> layer(String layer, CatalogVersion version) {
        return model.get(Math.toIntExact(version.number())).getOrDefault(layer, Map.of());
    }

    private Map<String, String> changes(String layer, CatalogVersion from, CatalogVersion to) {
        Map<String, String> changes = new TreeMap<>();
        Map<String, Published> before = layer(layer, from);
        Map<String, Published> after = layer(layer, to);
        before.forEach((name, published) -> {
            Published now = after.get(name);
            if (now == null) {
                changes.put(name, "deleted");
            } else if (!now.payload().equals(published.payload())) {
                changes.put(name, "changed");
            }
        });
        after.keySet().stream().filter(name -> !before.containsKey(name)).forEach(name -> changes.put(name, "added"));
        return changes;
    }
}
