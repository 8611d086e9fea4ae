package io.tidemark.compile.catalog;

import static io.tidemark.compile.catalog.CatalogFixture.candidates;
import static io.tidemark.compile.catalog.CatalogFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.maintenance.Compaction;
import io.tidemark.delta.maintenance.CompactionOptions;
import io.tidemark.delta.maintenance.Vacuum;
import io.tidemark.delta.maintenance.VacuumOptions;
import io.tidemark.delta.restore.TableRestore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions, what changed between them, and who may make the next. */
class CatalogVersionsTest {
    private static final String A = "a";
    private static final String B = "b";

    @TempDir
    Path folder;

    private CatalogFixture fixture;
    private Catalog catalog;

    @BeforeEach
    void create() {
        fixture = CatalogFixture.create(folder, LayerDefinition.generic(A), LayerDefinition.generic(B));
        catalog = fixture.catalog;
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private DeltaTable table() {
        return DeltaTable.at(fixture.storage, catalog.location());
    }

    /** A run that asks for the version of its previous run sees an empty catalog the first time. */
    @Test
    void aNewCatalogIsAtTheEmptyVersion() {
        CatalogVersion empty = catalog.latest();
        assertThat(empty.isEmpty()).isTrue();
        assertThat(empty.layers().keySet()).containsExactly(A, B);
        assertThat(catalog.versions(10)).isEmpty();
        assertThat(fixture.payloads(empty, A)).isEmpty();
        assertThat(fixture.changes(empty, empty, A)).isEmpty();
        assertThat(catalog.meta(fixture.engine, empty, A, "x")).isEmpty();
        assertThat(failure(() -> catalog.read(fixture.engine, empty, A, "x")).code())
                .isEqualTo(ErrorCode.UNKNOWN_PARTITION);
    }

    /** Others have recorded numbers that a restore gives up: they must not come back with another content. */
    @Test
    void aNumberIsNotGivenTwiceAfterARestore() {
        fixture.publish(A, "x", "1");
        CatalogVersion first = catalog.latest();
        fixture.publish(A, "x", "2");
        fixture.publish(A, "x", "3");
        TableRestore.run(fixture.storage, table().snapshot(), table().at(first.tableVersion()), "version", "1");
        assertThat(catalog.latest().number()).isEqualTo(1);
        assertThat(fixture.payloads(catalog.latest(), A)).containsEntry("x", "1");
        CatalogVersion base = catalog.latest();
        PublishReport report = fixture.publish(A, "x", "4", "y", "1");
        assertThat(report.version().number()).isEqualTo(4);
        assertThat(report.version().layerVersions()).isEqualTo(Map.of(A, 4L));
        assertThat(fixture.versions(catalog.latest(), A)).isEqualTo(Map.of("x", 4L, "y", 4L));
        assertThat(catalog.versions(10)).extracting(CatalogVersion::number).containsExactly(4L, 1L);
        assertThat(failure(() -> catalog.version(3)).code()).isEqualTo(ErrorCode.CATALOG_VERSION_NOT_FOUND);
        assertThat(fixture.changes(base, catalog.latest(), A)).isEqualTo(Map.of("x", "changed", "y", "added"));
        assertThat(failure(() -> fixture.changes(first, catalog.latest(), A)).code())
                .isEqualTo(ErrorCode.CHANGES_UNAVAILABLE);
        fixture.publish(A, "x", "5");
        assertThat(fixture.changes(catalog.version(1), catalog.latest(), A))
                .isEqualTo(Map.of("x", "changed", "y", "added"));
    }

    /** The report is made of what was committed, without a look at the table. */
    @Test
    void aPublicationReportsTheVersionThatOthersRead() {
        fixture.publish(A, "x", "1");
        PublishReport report = fixture.publish(B, "y", "1");
        assertThat(report.version())
                .isEqualTo(Catalog.open(fixture.storage, catalog.location()).latest());
    }

    @Test
    void eachVersionStaysReadableByItsNumber() {
        for (int i = 1; i <= 65; i++) {
            fixture.publish(A, "x", "payload " + i, "y" + i, "1");
        }
        assertThat(catalog.latest().number()).isEqualTo(65);
        for (long number : new long[] {1, 2, 13, 14, 15, 64, 65}) {
            CatalogVersion version = catalog.version(number);
            assertThat(version.number()).isEqualTo(number);
            assertThat(fixture.payloads(version, A)).hasSize((int) number + 1).containsEntry("x", "payload " + number);
        }
        assertThat(catalog.version(0).isEmpty()).isTrue();
        assertThat(failure(() -> catalog.version(66)).code()).isEqualTo(ErrorCode.CATALOG_VERSION_NOT_FOUND);
        assertThat(catalog.versions(3)).extracting(CatalogVersion::number).containsExactly(65L, 64L, 63L);
    }

    @Test
    void layersHaveVersionsOfTheirOwn() {
        fixture.publish(A, "x", "1");
        fixture.publish(B, "x", "1");
        fixture.publish(B, "x", "2");
        assertThat(catalog.latest().layerVersions()).isEqualTo(Map.of(A, 1L, B, 3L));
        assertThat(catalog.version(2).layerVersions()).isEqualTo(Map.of(A, 1L, B, 2L));
    }

    @Test
    void dependenciesFingerprintsAndSettingsRideInTheCommit() {
        fixture.publish(A, "x", "1");
        CatalogVersion base = catalog.latest();
        List<Path> files = fixture.dataFiles(A);
        PublishReport report = catalog.publish(base)
                .dependencies(List.of(new Dependency("docs", 9, true)))
                .fingerprints(Map.of("task", "f1"))
                .setting("key", "value")
                .commit(fixture.engine);

        assertThat(report.committed()).isTrue();
        assertThat(report.version().number()).isEqualTo(2);
        assertThat(fixture.dataFiles(A)).isEqualTo(files);
        CatalogVersion latest = catalog.latest();
        assertThat(latest).isEqualTo(report.version());
        assertThat(latest.dependency("docs")).contains(new Dependency("docs", 9, true));
        assertThat(latest.fingerprints()).isEqualTo(Map.of("task", "f1"));
        assertThat(latest.configuration()).isEqualTo(Map.of("key", "value"));
        assertThat(catalog.version(1).dependencies()).isEmpty();

        assertThat(catalog.publish(latest)
                        .dependencies(List.of(new Dependency("docs", 9, true)))
                        .commit(fixture.engine)
                        .committed())
                .isFalse();
    }

    @Test
    void changesAreNet() {
        fixture.publish(A, "stays", "1", "reverts", "1", "changes", "1", "goes", "1", "returns", "1");
        CatalogVersion from = catalog.latest();
        fixture.publish(A, "reverts", "2", "changes", "2", "goes", null, "returns", null, "comes", "1", "visits", "1");
        fixture.publish(A, "reverts", "1", "changes", "3", "returns", "1", "visits", null);
        CatalogVersion to = catalog.latest();
        assertThat(fixture.changes(from, to, A))
                .isEqualTo(Map.of("changes", "changed", "goes", "deleted", "comes", "added"));
        assertThat(fixture.changes(to, from, A))
                .isEqualTo(Map.of("changes", "changed", "goes", "added", "comes", "deleted"));
        assertThat(fixture.changes(from, to, B)).isEmpty();
        assertThat(fixture.changes(catalog.version(0), from, A)).hasSize(5).containsEntry("stays", "added");
        assertThat(fixture.changes(from, catalog.version(0), A)).hasSize(5).containsEntry("stays", "deleted");
    }

    /** Maintenance is no version, changes nothing, and comes between without a conflict. */
    @Test
    void compactionIsNoVersionAndNoConflict() {
        for (int i = 0; i < 4; i++) {
            fixture.publish(A, "x" + i, "payload " + i);
        }
        CatalogVersion base = catalog.latest();
        Publication publication =
                fixture.publication(base, PublishMode.INCREMENTAL, Map.of(A, candidates("x1", "new", "x2", null)));
        compact();
        assertThat(catalog.latest().number()).isEqualTo(4);
        assertThat(fixture.changes(base, catalog.latest(), A)).isEmpty();

        CatalogVersion next = publication.commit(fixture.engine).version();
        assertThat(next.number()).isEqualTo(5);
        assertThat(fixture.payloads(next, A)).isEqualTo(Map.of("x0", "payload 0", "x1", "new", "x3", "payload 3"));
        assertThat(fixture.changes(base, next, A)).isEqualTo(Map.of("x1", "changed", "x2", "deleted"));
        assertThat(fixture.payloads(catalog.version(4), A)).hasSize(4);
    }

    private void compact() {
        Compaction.Result result =
                Compaction.run(fixture.engine, fixture.storage, table().snapshot(), CompactionOptions.ALL);
        assertThat(result.version()).isPresent();
    }

    @Test
    void ofTwoPublishersOnOneBaseOneWins() {
        fixture.publish(A, "x", "0", "y", "0");
        CatalogVersion base = catalog.latest();
        Publication first = fixture.publication(base, PublishMode.INCREMENTAL, Map.of(A, candidates("x", "first")));
        Catalog again = Catalog.open(fixture.storage, catalog.location());
        first.commit(fixture.engine);
        List<Path> files = fixture.dataFiles(A);

        fixture.load(base, Map.of(A, candidates("y", "second")));
        Publication second = again.publish(base).candidates("candidates", Map.of(A, PublishMode.INCREMENTAL));
        assertThat(failure(() -> second.commit(fixture.engine)))
                .hasMessageContaining("BASE_VERSION_CONFLICT")
                .hasMessageContaining("version 1");
        assertThat(fixture.dataFiles(A)).isEqualTo(files);

        PublishReport retried = fixture.publish(A, "y", "second");
        assertThat(retried.version().number()).isEqualTo(3);
        assertThat(retried.total()).isEqualTo(new PublishReport.Counters(1, 0, 1, 0, 0, 6));
        assertThat(fixture.payloads(retried.version(), A)).isEqualTo(Map.of("x", "first", "y", "second"));
    }

    @Test
    void changedLayersAreAConflictToo() {
        CatalogVersion base = catalog.latest();
        catalog.defineLayer(LayerDefinition.generic("c"));
        Publication publication = fixture.publication(base, PublishMode.INCREMENTAL, Map.of(A, candidates("x", "1")));
        assertThat(failure(() -> publication.commit(fixture.engine)).code()).isEqualTo(ErrorCode.BASE_VERSION_CONFLICT);
        assertThat(fixture.publish("c", "x", "1").total().added()).isEqualTo(1);
    }

    @Test
    void changesThatNobodyPublishedMakeTheRangeUnavailable() {
        fixture.publish(A, "x", "1", "y", "1");
        CatalogVersion from = catalog.latest();
        var transaction = table().snapshot().begin("WRITE");
        table().snapshot().files().forEach(transaction::remove);
        transaction.commit().version();
        fixture.publish(A, "z", "1");
        assertThat(failure(() -> fixture.changes(from, catalog.latest(), A)))
                .hasMessageContaining("CHANGES_UNAVAILABLE")
                .satisfies(error -> assertThat(error.detail().orElse("")).contains("without being a version"));
    }

    @Test
    void changesAreUnavailableOnceTheirFilesAreGone() throws Exception {
        fixture.publish(A, "x", "1", "y", "1");
        fixture.publish(A, "x", "2");
        fixture.publish(A, "x", "3");
        CatalogVersion from = catalog.version(1);
        assertThat(fixture.changes(from, catalog.latest(), A)).isEqualTo(Map.of("x", "changed"));
        Vacuum.run(
                fixture.storage,
                table(),
                VacuumOptions.at(Instant.now().plus(Duration.ofDays(30)))
                        .retaining(Duration.ZERO)
                        .unchecked());
        assertThat(failure(() -> fixture.changes(from, catalog.latest(), A)).code())
                .isEqualTo(ErrorCode.CHANGES_UNAVAILABLE);
        assertThat(fixture.payloads(catalog.latest(), A)).isEqualTo(Map.of("x", "3", "y", "1"));
    }

    @Test
    void versionsEndWhereTheLogEnds() throws Exception {
        for (int i = 1; i <= 12; i++) {
            fixture.publish(A, "x", "payload " + i);
        }
        CatalogVersion third = catalog.version(3);
        for (long entry = 0; entry < 10; entry++) {
            Files.delete(Path.of(catalog.location(), "_delta_log", "%020d.json".formatted(entry)));
        }
        Catalog later = Catalog.open(fixture.storage, catalog.location());
        assertThat(later.versions(100)).extracting(CatalogVersion::number).containsExactly(12L, 11L, 10L);
        assertThat(failure(() -> later.version(3)).code()).isEqualTo(ErrorCode.CATALOG_VERSION_NOT_FOUND);
        assertThat(failure(() -> fixture.changes(third, later.latest(), A)).code())
                .isEqualTo(ErrorCode.CHANGES_UNAVAILABLE);
        assertThat(fixture.changes(later.version(10), later.latest(), A)).isEqualTo(Map.of("x", "changed"));
    }

    @Test
    void reservedAndRepeatedLayersAreRefused() {
        String other = folder.resolve("other").toString();
        for (CatalogDefinition wrong : List.of(
                CatalogDefinition.of("c", LayerDefinition.generic("state")),
                CatalogDefinition.of("c", LayerDefinition.generic(A), LayerDefinition.generic(A)),
                new CatalogDefinition("c", List.of(LayerDefinition.generic("s")), Map.of(Catalog.STATE_LAYER, "s")))) {
            assertThat(failure(() -> Catalog.create(fixture.storage, other, wrong))
                            .code())
                    .isEqualTo(ErrorCode.LAYER_INVALID);
        }
        assertThat(failure(() -> catalog.defineLayer(LayerDefinition.generic("state")))
                        .code())
                .isEqualTo(ErrorCode.LAYER_INVALID);
        assertThat(failure(() -> LayerDefinition.generic("_hidden")).code()).isEqualTo(ErrorCode.LAYER_INVALID);
        Catalog renamed = Catalog.create(
                fixture.storage,
                other,
                new CatalogDefinition(
                        "c", List.of(LayerDefinition.generic("state")), Map.of(Catalog.STATE_LAYER, "memory")));
        assertThat(renamed.latest().layers()).containsKey("state");
    }

    @Test
    void otherTablesAreNoCatalogs() {
        String other = folder.resolve("plain").toString();
        assertThat(failure(() -> Catalog.open(fixture.storage, other)).code()).isEqualTo(ErrorCode.TABLE_NOT_FOUND);
        DeltaTable.at(fixture.storage, other)
                .create(CatalogTable.definition())
                .commit()
                .version();
        assertThat(failure(() -> Catalog.open(fixture.storage, other)).code()).isEqualTo(ErrorCode.CATALOG_INVALID);
        assertThat(failure(() -> Catalog.create(fixture.storage, other, CatalogDefinition.of("c")))
                        .code())
                .isEqualTo(ErrorCode.TABLE_EXISTS);
    }

    /** Publications of every mixture, each told from its commit alone where that is enough. */
    @Test
    void changesOfOnePublicationAreThoseOfItsContents() {
        fixture.publish(A, "a", "1", "b", "1", "c", "1");
        String[][] publications = {
            {"d", "1", "e", "1"},
            {"a", "2", "b", "2"},
            {"a", "3", "f", "1"},
            {"c", null, "b", "3"},
            {"e", null},
            {"a", "4", "d", "1"},
        };
        for (String[] publication : publications) {
            CatalogVersion before = catalog.latest();
            Map<String, String> old = fixture.payloads(before, A);
            fixture.publish(A, publication);
            Map<String, String> now = fixture.payloads(catalog.latest(), A);
            Map<String, String> expected = new TreeMap<>();
            old.forEach((name, payload) -> {
                if (!payload.equals(now.get(name))) {
                    expected.put(name, now.containsKey(name) ? "changed" : "deleted");
                }
            });
            now.keySet().stream().filter(name -> !old.containsKey(name)).forEach(name -> expected.put(name, "added"));
            assertThat(fixture.changes(before, catalog.latest(), A)).isEqualTo(expected);
            assertThat(fixture.changes(before, catalog.latest(), B)).isEmpty();
            expected.replaceAll((name, kind) -> switch (kind) {
                case "added" -> "deleted";
                case "deleted" -> "added";
                default -> kind;
            });
            assertThat(fixture.changes(catalog.latest(), before, A)).isEqualTo(expected);
        }
    }
}
