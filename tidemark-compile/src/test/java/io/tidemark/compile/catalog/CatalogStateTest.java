package io.tidemark.compile.catalog;

import static io.tidemark.compile.catalog.CatalogFixture.candidates;
import static io.tidemark.compile.catalog.CatalogFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.maintenance.Vacuum;
import io.tidemark.delta.maintenance.VacuumOptions;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is beside the rows: pinned state, payload files, and the collection of what nobody needs. */
class CatalogStateTest {
    private static final String LAYER = "docs";
    private static final StructType EDGES =
            StructType.of(StructField.of("source", ScalarType.STRING), StructField.of("target", ScalarType.STRING));
    private static final Duration MONTH = Duration.ofDays(30);

    @TempDir
    Path folder;

    private CatalogFixture fixture;
    private Catalog catalog;

    @BeforeEach
    void create() {
        fixture = CatalogFixture.create(folder, LayerDefinition.generic(LAYER).withInlineLimit(4));
        catalog = fixture.catalog;
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private CatalogVersion pin(StateDraft draft) {
        return catalog.publish(catalog.latest())
                .state(draft)
                .commit(fixture.engine)
                .version();
    }

    private static String edge(String source, String target) {
        return "SELECT '" + source + "' AS source, '" + target + "' AS target";
    }

    private List<String> edges(CatalogVersion version) {
        catalog.registerState(fixture.engine, "edges", version, "edges", EDGES, Optional.of("file"));
        List<String> edges = new ArrayList<>();
        fixture.rows("SELECT file, source, target FROM edges ORDER BY file, source")
                .forEach(row -> edges.add(row.get(0) + ":" + row.get(1) + row.get(2)));
        fixture.engine.drop("edges");
        return edges;
    }

    @Test
    void eachVersionHasTheStateThatItPinned() {
        StateDraft draft = catalog.draftState(catalog.latest());
        draft.append(fixture.engine, "edges", edge("a", "x"), EDGES, List.of("source"));
        CatalogVersion first = pin(draft);
        draft = catalog.draftState(first);
        draft.append(fixture.engine, "edges", edge("b", "y"), EDGES, List.of("source"));
        CatalogVersion second = pin(draft);
        draft = catalog.draftState(second);
        draft.replaceFrom(fixture.engine, "edges", 1, edge("c", "z"), EDGES, List.of("source"));
        CatalogVersion third = pin(draft);

        assertThat(edges(catalog.version(0))).isEmpty();
        assertThat(edges(first)).containsExactly("0:ax");
        assertThat(edges(second)).containsExactly("0:ax", "1:by");
        assertThat(edges(third)).containsExactly("0:ax", "1:cz");
        // A version without news of the state keeps it.
        CatalogVersion fourth = fixture.publish(LAYER, "a", "1").version();
        assertThat(edges(fourth)).containsExactly("0:ax", "1:cz");
        draft = catalog.draftState(fourth);
        assertThat(catalog.publish(fourth).state(draft).commit(fixture.engine).committed())
                .isFalse();
        draft.remove("edges");
        assertThat(edges(pin(draft))).isEmpty();
    }

    @Test
    void stateThatIsNotThereIsAnErrorAndNeverEmpty() throws Exception {
        StateDraft draft = catalog.draftState(catalog.latest());
        draft.append(fixture.engine, "edges", edge("a", "x"), EDGES, List.of());
        CatalogVersion version = pin(draft);
        for (Path file : stateFiles()) {
            byte[] content = Files.readAllBytes(file);
            Files.delete(file);
            assertThat(failure(() -> edges(version)).code()).isEqualTo(ErrorCode.STATE_MISSING);
            Files.write(file, new byte[] {'x'});
            assertThat(failure(() -> edges(version)).code()).isEqualTo(ErrorCode.STATE_CORRUPT);
            Files.write(file, content);
        }
        assertThat(stateFiles()).hasSize(2);
        assertThat(edges(version)).containsExactly("0:ax");
    }

    private List<Path> stateFiles() {
        return CatalogFixture.filesBelow(Path.of(catalog.location(), "_tidemark", "state"));
    }

    @Test
    void aRejectedPublicationLeavesNoState() {
        CatalogVersion base = catalog.latest();
        StateDraft draft = catalog.draftState(base);
        draft.append(fixture.engine, "edges", edge("a", "x"), EDGES, List.of());
        fixture.publish(LAYER, "a", "1");
        assertThat(failure(() -> catalog.publish(base).state(draft).commit(fixture.engine))
                        .code())
                .isEqualTo(ErrorCode.BASE_VERSION_CONFLICT);
        assertThat(stateFiles()).isEmpty();
    }

    /** VACUUM of the table, whoever runs it, takes neither payload files nor pinned state. */
    @Test
    void vacuumLeavesPayloadsAndPinnedState() {
        fixture.publish(LAYER, "a", "a large payload", "b", "1");
        StateDraft draft = catalog.draftState(catalog.latest());
        draft.append(fixture.engine, "edges", edge("a", "x"), EDGES, List.of());
        pin(draft);
        List<Path> payloads = fixture.payloadFiles();
        List<Path> state = stateFiles();
        Vacuum.run(
                fixture.storage,
                DeltaTable.at(fixture.storage, catalog.location()),
                VacuumOptions.at(Instant.now().plus(MONTH))
                        .retaining(Duration.ZERO)
                        .unchecked());
        assertThat(fixture.payloadFiles()).isEqualTo(payloads).hasSize(1);
        assertThat(stateFiles()).isEqualTo(state).hasSize(2);
        assertThat(fixture.payloads(catalog.latest(), LAYER)).isEqualTo(Map.of("a", "a large payload", "b", "1"));
        assertThat(edges(catalog.latest())).containsExactly("0:ax");
    }

    private GarbageCollection.Result collect(boolean dryRun, Instant now) {
        List<String> named = new ArrayList<>();
        GarbageCollection.Result result = GarbageCollection.run(
                catalog, fixture.engine, new GarbageCollection.Options(Optional.empty(), dryRun, now), named::add);
        assertThat(named).hasSize(Math.toIntExact(result.payloadFiles() + result.stateFiles()));
        return result;
    }

    @Test
    void garbageIsWhatNoKeptVersionNeeds() {
        fixture.publish(LAYER, "a", "first payload", "b", "shared payload");
        fixture.publish(LAYER, "a", "second payload", "c", "shared payload");
        fixture.publish(LAYER, "b", null);
        fixture.load(catalog.latest(), Map.of(LAYER, candidates("orphan", "never published")));
        StateDraft forgotten = catalog.draftState(catalog.latest());
        forgotten.append(fixture.engine, "edges", edge("a", "x"), EDGES, List.of());
        Instant later = Instant.now().plus(MONTH);

        assertThat(collect(false, Instant.now())).isEqualTo(new GarbageCollection.Result(0, 0, 0));
        GarbageCollection.Result planned = collect(true, later);
        assertThat(planned.payloadFiles()).isEqualTo(1);
        assertThat(planned.stateFiles()).isEqualTo(1);
        assertThat(fixture.payloadFiles()).hasSize(4);
        assertThat(collect(false, later)).isEqualTo(planned);
        assertThat(fixture.payloadFiles()).hasSize(3);
        assertThat(stateFiles()).isEmpty();
        assertThat(fixture.payloads(catalog.version(1), LAYER))
                .isEqualTo(Map.of("a", "first payload", "b", "shared payload"));

        catalog.dropVersionsBefore(2);
        assertThat(collect(false, later).payloadFiles()).isEqualTo(1);
        assertThat(failure(() -> catalog.version(1)).code()).isEqualTo(ErrorCode.CATALOG_VERSION_NOT_FOUND);
        assertThat(catalog.versions(9)).extracting(CatalogVersion::number).containsExactly(3L, 2L);
        assertThat(fixture.payloads(catalog.version(2), LAYER))
                .isEqualTo(Map.of("a", "second payload", "b", "shared payload", "c", "shared payload"));
        assertThat(fixture.payloads(catalog.latest(), LAYER))
                .isEqualTo(Map.of("a", "second payload", "c", "shared payload"));
        assertThat(collect(false, later)).isEqualTo(new GarbageCollection.Result(0, 0, 0));
    }

    @Test
    void theGracePeriodIsNotShorterThanPublicationsRelyOn() {
        assertThat(failure(() -> GarbageCollection.run(
                                catalog,
                                fixture.engine,
                                new GarbageCollection.Options(Optional.of(Duration.ofHours(1)), false, Instant.now()),
                                path -> {}))
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
    }

    /** The garbage collection may be about to take a file that lay around for long. */
    @Test
    void anOldUnusedFileIsWrittenAnewBeforeItIsNamed() throws Exception {
        CatalogVersion base = catalog.latest();
        fixture.load(base, Map.of(LAYER, candidates("a", "a large payload")));
        Path file = fixture.payloadFiles().get(0);
        Instant old = Instant.now().minus(Duration.ofDays(6));
        Files.setLastModifiedTime(file, FileTime.from(old));
        fixture.publish(LAYER, "a", "a large payload");
        assertThat(Files.getLastModifiedTime(file).toInstant()).isAfter(old.plus(Duration.ofDays(5)));
        assertThat(fixture.payloads(catalog.latest(), LAYER)).isEqualTo(Map.of("a", "a large payload"));
    }

    /** A process that dies between upload and commit leaves the base as it was; the next one uploads nothing twice. */
    @Test
    void aKilledPublicationIsRepeatedWithoutUploads() throws Exception {
        fixture.publish(LAYER, "a", "1");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-D" + CrashPoints.PROPERTY + "=" + Publication.BEFORE_COMMIT,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Killed.class.getName(),
                        catalog.location(),
                        folder.resolve("killed").toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isEqualTo(137);
        assertThat(catalog.latest().number()).isEqualTo(1);
        assertThat(fixture.payloads(catalog.latest(), LAYER)).isEqualTo(Map.of("a", "1"));
        Path file = fixture.payloadFiles().get(0);
        Object before = Files.readAttributes(file, BasicFileAttributes.class).fileKey();

        PublishReport report = fixture.publish(LAYER, "large", Killed.PAYLOAD);
        assertThat(report.total()).isEqualTo(new PublishReport.Counters(1, 1, 0, 0, 0, Killed.PAYLOAD.length()));
        assertThat(fixture.payloadFiles()).containsExactly(file);
        assertThat(Files.readAttributes(file, BasicFileAttributes.class).fileKey())
                .isEqualTo(before);
        assertThat(fixture.payloads(report.version(), LAYER)).isEqualTo(Map.of("a", "1", "large", Killed.PAYLOAD));
    }

    /** The process that gets killed. */
    static final class Killed {
        static final String PAYLOAD = "a payload that has a file";

        private Killed() {}

        public static void main(String[] arguments) throws IOException {
            Path folder = Files.createDirectories(Path.of(arguments[1]));
            Catalog catalog = Catalog.open(new LocalStorage(), arguments[0]);
            CatalogVersion base = catalog.latest();
            try (var engine = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("spill")));
                    PayloadStager stager = catalog.stager(base, folder)) {
                StagedPayload payload = stager.stage(LAYER, "large", PAYLOAD.getBytes(StandardCharsets.UTF_8));
                engine.load(
                        "candidates", Candidates.COLUMNS, rows -> rows.accept(Candidates.row(LAYER, "large", payload)));
                catalog.publish(base)
                        .candidates("candidates", Map.of(LAYER, PublishMode.INCREMENTAL))
                        .commit(engine);
            }
        }
    }
}
