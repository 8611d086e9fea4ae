package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.tests.readback.LeftTable.Kind;
import io.tidemark.tests.readback.LeftTable.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
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

    /** Why Tidemark itself may refuse a view: tests took files away, broke them or cleaned the log. */
    private static final Set<String> REFUSALS = Set.of(
            "DATA_FILE_MISSING",
            "VERSION_NOT_FOUND",
            "CHANGE_FILE_GONE",
            "CHANGE_LOG_GONE",
            "FILE_UNREADABLE",
            "LOG_CORRUPT");

    /** How often at most. */
    private static final int REFUSALS_MAX = 20;

    /** Spark does not read versions whose files are older than the retention, which some tests pretend. */
    private static final String TOO_OLD_FOR_SPARK =
            "DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION";

    private static final Duration RETENTION = Duration.ofDays(7);

    private record Kept(Path folder, LeftTable table) {
        String name() {
            return folder.getFileName() + "/" + table.folder();
        }

        /** Whether the test made entries of the log look older than Spark's retention. */
        boolean isAged() throws IOException {
            Instant old = Instant.now().minus(RETENTION);
            try (Stream<Path> entries =
                    Files.list(folder.resolve(table.folder()).resolve("_delta_log"))) {
                for (Path entry : entries.toList()) {
                    if (Files.getLastModifiedTime(entry).toInstant().isBefore(old)) {
                        return true;
                    }
                }
            }
            return false;
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

    private static @Nullable Void compare(Kept kept) throws Exception {
        for (View view : kept.table().views()) {
            Path folder = kept.folder().resolve(kept.table().folder());
            if (!view.refused().isEmpty()) {
                continue;
            }
            RowBag rows;
            try {
                rows = LeftTable.bySpark(folder, view);
            } catch (Exception e) { // Spark's refusals are checked exceptions that no signature tells of.
                if (kept.isAged() && String.valueOf(e.getMessage()).contains(TOO_OLD_FOR_SPARK)) {
                    continue;
                }
                throw e;
            }
            rows.assertSameAs(view.rows(), kept.name() + ": " + view);
        }
        return null;
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
        List<String> refused = kept.stream()
                .flatMap(each -> each.table().views().stream())
                .map(View::refused)
                .filter(code -> !code.isEmpty())
                .toList();
        assertThat(refused).hasSizeLessThanOrEqualTo(REFUSALS_MAX);
        assertThat(REFUSALS).containsAll(refused);
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
