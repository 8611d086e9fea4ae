package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables that the Delta Lake project made for connectors, read row by row. They are in a folder given by the system
 * property or environment variable {@code tidemark.golden}, or {@code ../shared/golden} beside the project. Without it the
 * tests are skipped.
 */
class GoldenRowsTest {
    private static final String PROPERTY = "tidemark.golden";

    /** Name and number of rows. */
    private static final String READ = """
            124-decimal-decode-bug | 1
            125-iterator-bug | 5
            basic-decimal-table | 4
            basic-decimal-table-legacy | 4
            basic-with-inserts-deletes-checkpoint | 41
            basic-with-inserts-merge | 140
            basic-with-inserts-overwrite-restore | 200
            basic-with-inserts-updates | 100
            basic-with-vacuum-protocol-check-feature | 100
            collations-preview-table | 0
            collations-table | 0
            commit-info-containing-arbitrary-operationParams-types | 2
            corrupted-last-checkpoint-kernel | 100
            data-reader-array-complex-objects | 10
            data-reader-array-primitives | 10
            data-reader-date-types-America/Los_Angeles | 1
            data-reader-date-types-Asia/Beirut | 1
            data-reader-date-types-Etc/GMT+9 | 1
            data-reader-date-types-Iceland | 1
            data-reader-date-types-JST | 1
            data-reader-date-types-PST | 1
            data-reader-date-types-UTC | 1
            data-reader-escaped-chars | 3
            data-reader-map | 10
            data-reader-nested-struct | 10
            data-reader-nullable-field-invalid-schema-key | 1
            data-reader-partition-values | 3
            data-reader-primitives | 11
            data-reader-timestamp_ntz | 9
            data-reader-timestamp_ntz-id-mode | 9
            data-reader-timestamp_ntz-name-mode | 9
            data-skipping-basic-stats-all-types | 1
            data-skipping-basic-stats-all-types-checkpoint | 1
            data-skipping-basic-stats-all-types-columnmapping-id | 1
            data-skipping-basic-stats-all-types-columnmapping-name | 1
            data-skipping-change-stats-collected-across-versions | 3
            data-skipping-partition-and-data-column | 4
            decimal-various-scale-precision | 3
            deltalog-getChanges | 0
            dv-partitioned-with-checkpoint | 35
            dv-with-columnmapping | 35
            hive/deltatbl-column-names-case-insensitive | 10
            hive/deltatbl-deleted-path | 10
            hive/deltatbl-incorrect-format-config | 10
            hive/deltatbl-map-types-correctly | 1
            hive/deltatbl-non-partitioned | 10
            hive/deltatbl-not-allow-write | 10
            hive/deltatbl-partition-prune | 5
            hive/deltatbl-partitioned | 10
            hive/deltatbl-schema-match | 10
            hive/deltatbl-special-chars-in-partition-column | 10
            hive/deltatbl-touch-files-needed-for-partitioned | 10
            kernel-timestamp-INT96 | 5
            kernel-timestamp-PST | 5
            kernel-timestamp-TIMESTAMP_MICROS | 5
            kernel-timestamp-TIMESTAMP_MILLIS | 5
            kernel-timestamp-partition-col-ISO8601 | 2
            log-replay-dv-key-cases | 47
            log-replay-latest-metadata-protocol | 40
            log-replay-special-characters | 0
            log-replay-special-characters-a | 0
            multi-part-checkpoint | 31
            only-checkpoint-files | 25
            parquet-all-types | 200
            parquet-all-types-legacy-format | 200
            parquet-decimal-dictionaries | 1000000
            parquet-decimal-dictionaries-v2 | 1000000
            parquet-decimal-type | 99998
            snapshot-data0 | 10
            snapshot-data1 | 20
            snapshot-data2 | 10
            snapshot-data2-deleted | 20
            snapshot-data3 | 30
            snapshot-repartitioned | 20
            snapshot-vacuumed | 20
            table-with-columnmapping-mode-id | 6
            table-with-columnmapping-mode-name | 6
            table-with-icebegCompatV2Enabled | 6
            time-travel-partition-changes-a | 10
            time-travel-partition-changes-b | 10
            time-travel-schema-changes-a | 10
            time-travel-schema-changes-b | 20
            time-travel-start | 10
            time-travel-start-start20 | 20
            time-travel-start-start20-start40 | 30
            type-widening | 2
            type-widening-nested | 2
            v2-checkpoint-json | 10
            v2-checkpoint-parquet | 10
            """;

    /** Name, error code and reason. */
    private static final String REFUSED = """
            canonicalized-paths-normal-a | LOG_CORRUPT | the metadata has no schema
            canonicalized-paths-normal-b | LOG_CORRUPT | the metadata has no schema
            canonicalized-paths-special-a | LOG_CORRUPT | the metadata has no schema
            canonicalized-paths-special-b | LOG_CORRUPT | the metadata has no schema
            corrupted-last-checkpoint | LOG_CORRUPT | the metadata has no schema
            data-reader-absolute-paths-escaped-chars | LOG_CORRUPT | no metadata
            deltalog-commit-info | LOG_CORRUPT | the metadata has no schema
            deltalog-invalid-protocol-version | TABLE_FEATURE_UNSUPPORTED | reader version 99
            deltalog-state-reconstruction-from-checkpoint-missing-metadata | LOG_CORRUPT | no metadata
            deltalog-state-reconstruction-from-checkpoint-missing-protocol | LOG_CORRUPT | the metadata has no schema
            deltalog-state-reconstruction-without-metadata | LOG_CORRUPT | no metadata
            deltalog-state-reconstruction-without-protocol | LOG_CORRUPT | no protocol
            update-deleted-directory | LOG_CORRUPT | the metadata has no schema
            versions-not-contiguous | LOG_CORRUPT | a version is missing
            log-store-listFrom | TABLE_NOT_FOUND | no table: the folder has no log
            log-store-read | TABLE_NOT_FOUND | no table: the folder has no log
            no-delta-log-folder | TABLE_NOT_FOUND | no table: the folder has no log
            checkpoint | DATA_FILE_MISSING | the log is there, its data files are not
            delete-re-add-same-file-different-transactions | DATA_FILE_MISSING | the log is there, its data files are not
            log-replay-special-characters-b | DATA_FILE_MISSING | the log is there, its data files are not
            spark-variant-checkpoint | TABLE_FEATURE_UNSUPPORTED | VARIANT columns that the files do not mark as such
            """;

    @TempDir
    static Path temporary;

    private static Path golden = Path.of("");
    private static @Nullable DuckDbEngine opened;

    @BeforeAll
    static void open() {
        String given = System.getProperty(PROPERTY, System.getenv(PROPERTY));
        golden = given == null ? Path.of("..", "..", "shared", "golden") : Path.of(given);
        opened = DuckDbEngine.open(DuckDbSettings.defaults(temporary.resolve("temp")));
    }

    @AfterAll
    static void close() {
        DuckDbEngine engine = opened;
        if (engine != null) {
            engine.close();
        }
    }

    private static DuckDbEngine engine() {
        return Objects.requireNonNull(opened);
    }

    record Read(String name, long rows) {
        @Override
        public String toString() {
            return name;
        }
    }

    record Refused(String name, ErrorCode code, String reason) {
        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    static Stream<Read> read() {
        return lines(READ).map(parts -> new Read(parts.get(0), Long.parseLong(parts.get(1))));
    }

    static Stream<Refused> refused() {
        return lines(REFUSED).map(parts -> new Refused(parts.get(0), ErrorCode.valueOf(parts.get(1)), parts.get(2)));
    }

    private static Stream<List<String>> lines(String text) {
        return text.lines().map(line -> List.of(line.strip().split(" \\| ")));
    }

    @ParameterizedTest
    @MethodSource("read")
    void holdsTheRowsThatSparkAndKernelRead(Read expected) {
        Path folder = folder(expected.name());
        Snapshot snapshot = snapshot(folder);
        RowBag rows = Readers.engine(engine(), snapshot);
        assertThat(rows.count()).isEqualTo(expected.rows());
        Readers.kernel(folder, snapshot.schema()).assertSameAs(rows, "read by Delta Kernel");
        Readers.spark(folder, snapshot.schema()).assertSameAs(rows, "read by Spark");
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefusedClearly(Refused expected) {
        Path folder = folder(expected.name());
        assertThatThrownBy(() -> Readers.engine(engine(), snapshot(folder)))
                .isInstanceOfSatisfying(TidemarkException.class, error -> {
                    assertThat(error.code()).as(error.render()).isEqualTo(expected.code());
                    assertThat(error.primary()).contains(expected.name());
                });
    }

    /** Folders may be missing and may be nested, but none may be unknown. */
    @Test
    void theListIsComplete() throws IOException {
        Set<String> known = new TreeSet<>();
        read().forEach(table -> known.add(table.name()));
        refused().forEach(table -> known.add(table.name()));
        assumeTrue(Files.isDirectory(golden), "golden tables are not there; set " + PROPERTY);
        try (Stream<Path> folders = Files.walk(golden, 2)) {
            assertThat(folders.filter(folder -> Files.isDirectory(folder.resolve("_delta_log")))
                            .map(folder -> golden.relativize(folder).toString())
                            .collect(Collectors.toSet()))
                    .isSubsetOf(known);
        }
    }

    private static Path folder(String name) {
        assumeTrue(Files.isDirectory(golden), "golden tables are not there; set " + PROPERTY);
        Path folder = golden.resolve(name);
        assumeTrue(Files.isDirectory(folder), "golden table " + name + " is not there");
        return folder.toAbsolutePath().normalize();
    }

    private static Snapshot snapshot(Path folder) {
        return DeltaTable.at(new LocalStorage(), folder.toString()).snapshot();
    }
}
