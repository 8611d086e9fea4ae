package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.tests.readback.LeftTable.Kind;
import io.tidemark.tests.readback.LeftTable.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Runs last: Spark reads every table that {@link LeftBehind} kept, its rows at two versions and its changes, and finds what
 * Tidemark found when the table's own test had ended. Alone it checks what the last run left.
 */
@Order(Integer.MAX_VALUE)
class LeftBehindTest {
    private static final int READERS = 2;
    /** How many tables the whole suite leaves at least. */
    private static final int TABLES_MIN = 120;

    /** How many of them record changes at least. */
    private static final int FEEDS_MIN = 25;

    /** Views that Tidemark itself refuses, since their tests took files away. */
    private static final Set<String> REFUSED = Set.of(
            "BadInputTest.aMissingDataFileIsNamed/people: rows of version 1: DATA_FILE_MISSING",
            "ChangeFeedTest.filesAndLogEntriesThatAreGoneAreNamed/many: rows of version 6: VERSION_NOT_FOUND",
            "ChangeFeedTest.filesAndLogEntriesThatAreGoneAreNamed/people: changes of versions 0 to 3: CHANGE_FILE_GONE",
            "MaintenanceTest.vacuumTakesWhatNoVersionWithinTheRetentionNeeds/t: rows of version 3: DATA_FILE_MISSING");

    /** Views that Spark refuses, and why. */
    private static final Map<String, String> REFUSED_BY_SPARK = Map.of(
            "MaintenanceTest.vacuumKeepsTheStateThatVersionsPinAndTakesTheRest/people: rows of version 2",
            // The test makes all files look older than the retention of removed files.
            "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION");

    private record Kept(Path folder, LeftTable table) {
        String name() {
            return folder.getFileName() + "/" + table.folder();
        }

        /** The test, without the number of the table, and the table. */
        String source() {
            return name().replaceFirst("\\.\\d+/", "/");
        }
    }

    private static List<Kept> kept() throws IOException {
        if (!Files.isDirectory(LeftBehind.FOLDER)) {
            return List.of();
        }
        try (Stream<Path> folders = Files.list(LeftBehind.FOLDER)) {
            List<Kept> kept = new ArrayList<>();
            for (Path folder : folders.sorted().toList()) {
                kept.add(new Kept(folder, LeftTable.of(folder)));
            }
            return kept;
        }
    }

    @TestFactory
    Stream<DynamicTest> sparkReadsTheSame() throws IOException {
        List<Kept> kept = kept();
        assumeTrue(!kept.isEmpty(), "no test has left a table; run some with this one");
        // Most of the time goes into the planning of small jobs, which one thread does for each.
        ExecutorService readers = Executors.newFixedThreadPool(READERS);
        List<DynamicTest> tests = new ArrayList<>();
        for (Kept each : kept) {
            Future<?> reading = readers.submit(() -> compare(each));
            tests.add(DynamicTest.dynamicTest(each.name(), () -> end(reading)));
        }
        readers.shutdown();
        return tests.stream();
    }

    private static void end(Future<?> reading) throws Throwable {
        try {
            reading.get();
        } catch (ExecutionException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private static void compare(Kept kept) {
        for (View view : kept.table().views()) {
            Path folder = kept.folder().resolve(kept.table().folder());
            String refusal = REFUSED_BY_SPARK.get(kept.source() + ": " + view);
            if (refusal != null) {
                assertThatThrownBy(() -> LeftTable.bySpark(folder, view)).hasMessageContaining(refusal);
            } else if (view.refused().isEmpty()) {
                LeftTable.bySpark(folder, view).assertSameAs(view.rows(), kept.name() + ": " + view);
            }
        }
    }

    @Test
    void theWholeSuiteLeavesTablesOfManyKinds() throws IOException {
        Set<String> missing = new TreeSet<>(testClasses());
        missing.removeAll(LeftBehind.started());
        assumeTrue(missing.isEmpty(), "not the whole suite: without " + missing);
        List<Kept> kept = kept();
        assertThat(kept).hasSizeGreaterThanOrEqualTo(TABLES_MIN);
        assertThat(kept.stream()
                        .flatMap(each -> each.table().views().stream())
                        .filter(view ->
                                view.kind() == Kind.CHANGES && view.rows().count() > 0))
                .hasSizeGreaterThanOrEqualTo(FEEDS_MIN);
        assertThat(kept.stream()
                        .flatMap(each -> each.table().views().stream().map(view -> each.source() + ": " + view)))
                .containsAll(REFUSED_BY_SPARK.keySet());
        assertThat(kept.stream()
                        .flatMap(each -> each.table().views().stream()
                                .filter(view -> !view.refused().isEmpty())
                                .map(view -> each.source() + ": " + view + ": " + view.refused()))
                        .collect(Collectors.toSet()))
                .isEqualTo(REFUSED);
    }

    /** Names of all classes of this module that hold tests for the runner, by the pattern of their names. */
    private static Set<String> testClasses() throws IOException {
        Path root = Path.of("target", "test-classes");
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.matches(".*(Test|Properties)\\.class"))
                    .map(name -> name.replaceFirst("\\.class$", "").replace('/', '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
