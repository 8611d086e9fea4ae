package io.tidemark.compile.catalog;

import static io.tidemark.compile.catalog.CatalogFixture.candidates;
import static io.tidemark.compile.catalog.CatalogFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The publisher's table, and what it refuses. */
class PublisherTest {
    private static final String LAYER = "docs";

    @TempDir
    Path folder;

    private CatalogFixture fixture;

    @BeforeEach
    void create() {
        fixture = CatalogFixture.create(
                folder,
                LayerDefinition.generic(LAYER),
                LayerDefinition.generic("free").allowingEmptyPayloads(),
                LayerDefinition.generic("large").withInlineLimit(4),
                LayerDefinition.of("tiles", new Partitioning.HereTile(Set.of(2, 3))));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Each row of the table: what is published, what the candidate is, and what becomes of it in both modes. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-, new, INCREMENTAL, added",
                "-, new, SNAPSHOT, added",
                "old, old, INCREMENTAL, unchanged",
                "old, old, SNAPSHOT, unchanged",
                "old, new, INCREMENTAL, changed",
                "old, new, SNAPSHOT, changed",
                "old, -, INCREMENTAL, deleted",
                "old, -, SNAPSHOT, deleted",
                "-, -, INCREMENTAL, nothing",
                "-, -, SNAPSHOT, nothing"
            })
    void aCandidateIsComparedWithWhatIsPublished(
            @Nullable String published, @Nullable String candidate, PublishMode mode, String outcome) {
        fixture.publish(LAYER, "other", "same", "key", published);
        PublishReport report = fixture.publish(mode, LAYER, candidates("other", "same", "key", candidate));

        PublishReport.Counters expected = switch (outcome) {
            case "added" -> new PublishReport.Counters(2, 1, 0, 0, 1, 3);
            case "changed" -> new PublishReport.Counters(2, 0, 1, 0, 1, 3);
            case "deleted" -> new PublishReport.Counters(2, 0, 0, 1, 1, 0);
            case "unchanged" -> new PublishReport.Counters(2, 0, 0, 0, 2, 0);
            default -> new PublishReport.Counters(2, 0, 0, 0, 1, 0);
        };
        assertThat(report.layers()).isEqualTo(Map.of(LAYER, expected));
        boolean differs = expected.uploads() + expected.deleted() > 0;
        assertThat(report.committed()).isEqualTo(differs);
        assertThat(report.version().number()).isEqualTo(differs ? 2 : 1);
        Map<String, String> after =
                candidate == null ? Map.of("other", "same") : Map.of("other", "same", "key", candidate);
        assertThat(fixture.payloads(fixture.catalog.latest(), LAYER)).isEqualTo(after);
    }

    @ParameterizedTest
    @EnumSource
    void aKeyThatIsNotMentionedIsLeftOrDeleted(PublishMode mode) {
        fixture.publish(LAYER, "kept", "1", "silent", "2");
        PublishReport report = fixture.publish(mode, LAYER, candidates("kept", "1"));

        long deleted = mode == PublishMode.SNAPSHOT ? 1 : 0;
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(1, 0, 0, deleted, 1, 0));
        assertThat(fixture.payloads(report.version(), LAYER).keySet())
                .isEqualTo(deleted == 1 ? Set.of("kept") : Set.of("kept", "silent"));
    }

    @Test
    void anEmptySnapshotEmptiesItsLayerAndNoOther() {
        fixture.publish(LAYER, "a", "1");
        fixture.publish("free", "b", "2");
        PublishReport report = fixture.publish(PublishMode.SNAPSHOT, LAYER, Map.of());
        assertThat(report.layers()).isEqualTo(Map.of(LAYER, new PublishReport.Counters(0, 0, 0, 1, 0, 0)));
        assertThat(fixture.payloads(report.version(), LAYER)).isEmpty();
        assertThat(fixture.payloads(report.version(), "free")).isEqualTo(Map.of("b", "2"));
    }

    @Test
    void modesAreChosenPerLayerAndOneCommitHoldsAllLayers() {
        fixture.publish(LAYER, "a", "1", "b", "2");
        fixture.publish("free", "a", "1", "b", "2");
        CatalogVersion base = fixture.catalog.latest();
        fixture.load(base, Map.of(LAYER, candidates("a", "9"), "free", candidates("a", "9")));
        PublishReport report = fixture.catalog
                .publish(base)
                .candidates("candidates", Map.of(LAYER, PublishMode.INCREMENTAL, "free", PublishMode.SNAPSHOT))
                .commit(fixture.engine);
        assertThat(report.version().number()).isEqualTo(base.number() + 1);
        assertThat(fixture.payloads(report.version(), LAYER)).isEqualTo(Map.of("a", "9", "b", "2"));
        assertThat(fixture.payloads(report.version(), "free")).isEqualTo(Map.of("a", "9"));
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(2, 0, 2, 1, 0, 2));
    }

    /** What is unchanged keeps the version that wrote it, and no file of its layer changes. */
    @Test
    void unchangedPartitionsAreNotTouched() {
        fixture.publish(LAYER, "x1", "1", "x2", "2", "x3", "3");
        List<Path> files = fixture.dataFiles(LAYER);
        fixture.publish(LAYER, "x2", "2");
        assertThat(fixture.dataFiles(LAYER)).isEqualTo(files);
        PublishReport report = fixture.publish(LAYER, "x2", "two");
        assertThat(fixture.versions(report.version(), LAYER)).isEqualTo(Map.of("x1", 1L, "x2", 2L, "x3", 1L));
    }

    @Test
    void emptyPayloadsAreRefusedUnlessTheLayerAllowsThem() {
        assertThat(failure(() -> fixture.publish(LAYER, "a", "")).code()).isEqualTo(ErrorCode.EMPTY_PAYLOAD);
        assertThat(fixture.catalog.latest().isEmpty()).isTrue();

        PublishReport report = fixture.publish("free", "a", "");
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(1, 1, 0, 0, 0, 0));
        assertThat(fixture.payloads(report.version(), "free")).isEqualTo(Map.of("a", ""));
        assertThat(fixture.publish("free", "a", null).total().deleted()).isEqualTo(1);
    }

    /** Candidates need not come from a stager that checked them. */
    @Test
    void emptyPayloadsAreFoundInAnyRelation() {
        CatalogVersion base = fixture.catalog.latest();
        fixture.load(base, Map.of("free", candidates("a", "")));
        fixture.engine.materialize(
                "moved", "SELECT * REPLACE ('" + LAYER + "' AS layer) FROM candidates", Optional.empty());
        Publication publication =
                fixture.catalog.publish(base).candidates("moved", Map.of(LAYER, PublishMode.INCREMENTAL));
        assertThat(failure(() -> publication.commit(fixture.engine)))
                .hasMessageContaining("EMPTY_PAYLOAD")
                .hasMessageContaining("docs/a");
    }

    @Test
    void aPartitionIsPublishedOnceAVersion() {
        CatalogVersion base = fixture.catalog.latest();
        fixture.load(base, Map.of(LAYER, candidates("a", "1", "b", "2")));
        fixture.engine.materialize(
                "twice",
                "SELECT * FROM candidates UNION ALL SELECT * FROM candidates WHERE partition = 'b'",
                Optional.empty());
        Publication publication =
                fixture.catalog.publish(base).candidates("twice", Map.of(LAYER, PublishMode.INCREMENTAL));
        assertThat(failure(() -> publication.commit(fixture.engine)))
                .hasMessageContaining("DUPLICATE_PARTITION")
                .hasMessageContaining("docs/b");
        assertThat(fixture.catalog.latest().isEmpty()).isTrue();
    }

    @Test
    void candidatesOfOtherLayersAreRefused() {
        CatalogVersion base = fixture.catalog.latest();
        fixture.load(base, Map.of(LAYER, candidates("a", "1")));
        Publication publication =
                fixture.catalog.publish(base).candidates("candidates", Map.of("free", PublishMode.INCREMENTAL));
        assertThat(failure(() -> publication.commit(fixture.engine)).code()).isEqualTo(ErrorCode.UNKNOWN_LAYER);
        assertThat(failure(() -> fixture.publish("nowhere", "a", "1")).code()).isEqualTo(ErrorCode.UNKNOWN_LAYER);
    }

    @ParameterizedTest
    @CsvSource({
        "tiles, 5, level 1",
        "tiles, 016, no number of a tile",
        "tiles, 8, that no tile has",
        "tiles, berlin, no number of a tile",
        "tiles, 99999999999999999999, that no tile has",
        "docs, '', is empty",
        "docs, 'a\u0007', control character"
    })
    void namesFollowThePartitioning(String layer, String name, String why) {
        assertThat(failure(() -> fixture.publish(layer, name, "1")))
                .hasMessageContaining("INVALID_PARTITION_NAME")
                .hasMessageContaining(why);
        assertThat(fixture.catalog.latest().isEmpty()).isTrue();
    }

    @Test
    void tilesOfAllowedLevelsArePublished() {
        assertThat(fixture.publish("tiles", "16", "1", "31", "1", "64", "1", "127", "1")
                        .total()
                        .added())
                .isEqualTo(4);
    }

    @Test
    void namesAreNotTakenForSql() {
        String name = "it's \"quoted\" %_\\ ü 🗺 -- /*";
        PublishReport report = fixture.publish(LAYER, name, "1");
        assertThat(fixture.payloads(report.version(), LAYER)).isEqualTo(Map.of(name, "1"));
        assertThat(fixture.catalog.meta(fixture.engine, report.version(), LAYER, name))
                .isPresent();
        assertThat(fixture.publish(LAYER, name, "1").committed()).isFalse();
    }

    /** Identity is by checksum only: where a payload stands makes no difference. */
    @Test
    void anotherInlineLimitIsNoChange() {
        fixture.publish(LAYER, "a", "0123456789", "b", "x");
        fixture.catalog.defineLayer(LayerDefinition.generic(LAYER).withInlineLimit(4));
        PublishReport report = fixture.publish(PublishMode.SNAPSHOT, LAYER, candidates("a", "0123456789", "b", "x"));
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(2, 0, 0, 0, 2, 0));
        assertThat(report.committed()).isFalse();
    }

    /** Rows keep the digest that they were published with until they change. */
    @Test
    void anotherDigestIsNoChange() {
        fixture.catalog.defineLayer(
                new LayerDefinition("sums", new Partitioning.Generic(), Digest.MD5, List.of(), "text/plain", 4, false));
        fixture.publish("sums", "a", "1", "b", "long enough for a file", "c", "3");
        fixture.catalog.defineLayer(LayerDefinition.generic("sums"));

        PublishReport report = fixture.publish(
                PublishMode.SNAPSHOT, "sums", candidates("a", "1", "b", "long enough for a file", "c", "3"));
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(3, 0, 0, 0, 3, 0));
        report = fixture.publish("sums", "a", "one");
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(1, 0, 1, 0, 0, 3));
        assertThat(digest(report.version(), "a")).isEqualTo(Digest.SHA_256);
        assertThat(digest(report.version(), "b")).isEqualTo(Digest.MD5);
        assertThat(fixture.payloads(report.version(), "sums"))
                .isEqualTo(Map.of("a", "one", "b", "long enough for a file", "c", "3"));
        assertThat(Catalog.layer(fixture.catalog.latest(), "sums").formerDigests())
                .containsExactly(Digest.MD5);
    }

    private Digest digest(CatalogVersion version, String partition) {
        return fixture.catalog
                .meta(fixture.engine, version, "sums", partition)
                .orElseThrow()
                .digest();
    }

    @Test
    void equalPayloadsShareOneFile() {
        Map<String, @Nullable String> equal = new LinkedHashMap<>();
        for (int i = 0; i < 1000; i++) {
            equal.put("p" + i, "the same for all");
        }
        PublishReport report = fixture.publish(PublishMode.SNAPSHOT, "large", equal);
        assertThat(report.total().added()).isEqualTo(1000);
        assertThat(fixture.payloadFiles()).hasSize(1);
        assertThat(fixture.versions(report.version(), "large")).hasSize(1000);
    }

    @Test
    void comparingCommitsNothing() {
        fixture.publish(LAYER, "a", "1", "b", "2");
        Publication publication = fixture.publication(
                fixture.catalog.latest(), PublishMode.SNAPSHOT, Map.of(LAYER, candidates("a", "9", "c", "3")));
        assertThat(publication.compare(fixture.engine))
                .isEqualTo(Map.of(LAYER, new PublishReport.Counters(2, 1, 1, 1, 0, 2)));
        publication.abort();
        assertThat(fixture.catalog.latest().number()).isEqualTo(1);
    }
}
