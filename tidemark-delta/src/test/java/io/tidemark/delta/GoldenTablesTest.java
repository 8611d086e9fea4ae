package io.tidemark.delta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.vector.RowPositions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables that the Delta Lake project made for connectors, in a folder given by the system property or environment
 * variable {@code tidemark.golden}, or {@code ../shared/golden} beside the project. Without it the tests are skipped.
 *
 * <p>Numbers of files and rows were compared once with a replay by another program.
 */
class GoldenTablesTest {
    private static final String PROPERTY = "tidemark.golden";
    private static final String UNKNOWN = "-1";

    /** Name, version, live files, live rows (-1: the log does not say), rows deleted by vectors, columns, partition
     * columns, and what forbids writing. */
    private static final String LOADED = """
            124-decimal-decode-bug | 0 | 2 | -1 | 0 | 1 | 0 | writable
            125-iterator-bug | 11 | 12 | -1 | 0 | 1 | 0 | writable
            basic-decimal-table | 0 | 4 | 4 | 0 | 4 | 1 | writable
            basic-decimal-table-legacy | 0 | 4 | 4 | 0 | 4 | 1 | writable
            basic-with-inserts-deletes-checkpoint | 13 | 7 | 41 | 0 | 1 | 0 | writable
            basic-with-inserts-merge | 1 | 1 | 140 | 0 | 2 | 0 | writable
            basic-with-inserts-overwrite-restore | 3 | 4 | 200 | 0 | 1 | 0 | writable
            basic-with-inserts-updates | 1 | 2 | 100 | 0 | 2 | 0 | writable
            basic-with-vacuum-protocol-check-feature | 1 | 2 | 100 | 0 | 2 | 0 | writable
            checkpoint | 14 | 1 | -1 | 0 | 1 | 0 | writable
            collations-preview-table | 0 | 0 | 0 | 0 | 4 | 0 | collations-preview
            collations-table | 0 | 0 | 0 | 0 | 4 | 0 | collations
            commit-info-containing-arbitrary-operationParams-types | 2 | 2 | 2 | 0 | 2 | 1 | writable
            corrupted-last-checkpoint-kernel | 11 | 2 | 100 | 0 | 1 | 0 | writable
            data-reader-array-complex-objects | 0 | 2 | -1 | 0 | 5 | 0 | writable
            data-reader-array-primitives | 0 | 2 | -1 | 0 | 10 | 0 | writable
            data-reader-date-types-America/Los_Angeles | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-date-types-Asia/Beirut | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-date-types-Etc/GMT+9 | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-date-types-Iceland | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-date-types-JST | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-date-types-PST | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-date-types-UTC | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-escaped-chars | 2 | 3 | -1 | 0 | 2 | 1 | writable
            data-reader-map | 0 | 2 | -1 | 0 | 7 | 0 | writable
            data-reader-nested-struct | 0 | 2 | -1 | 0 | 2 | 0 | writable
            data-reader-nullable-field-invalid-schema-key | 0 | 2 | -1 | 0 | 1 | 0 | writable
            data-reader-partition-values | 0 | 3 | -1 | 0 | 15 | 12 | writable
            data-reader-primitives | 0 | 2 | -1 | 0 | 10 | 0 | writable
            data-reader-timestamp_ntz | 1 | 4 | 9 | 0 | 3 | 1 | writable
            data-reader-timestamp_ntz-id-mode | 1 | 4 | 9 | 0 | 3 | 1 | columnMapping (mode id)
            data-reader-timestamp_ntz-name-mode | 1 | 4 | 9 | 0 | 3 | 1 | columnMapping (mode name)
            data-skipping-basic-stats-all-types | 0 | 1 | 1 | 0 | 10 | 0 | writable
            data-skipping-basic-stats-all-types-checkpoint | 0 | 1 | 1 | 0 | 10 | 0 | writable
            data-skipping-basic-stats-all-types-columnmapping-id | 0 | 1 | 1 | 0 | 10 | 0 | columnMapping (mode id)
            data-skipping-basic-stats-all-types-columnmapping-name | 0 | 1 | 1 | 0 | 10 | 0 | columnMapping (mode name)
            data-skipping-change-stats-collected-across-versions | 4 | 3 | 3 | 0 | 2 | 0 | writable
            data-skipping-partition-and-data-column | 3 | 4 | 4 | 0 | 2 | 0 | writable
            decimal-various-scale-precision | 0 | 1 | 3 | 0 | 29 | 0 | writable
            delete-re-add-same-file-different-transactions | 3 | 2 | -1 | 0 | 1 | 0 | writable
            deltalog-getChanges | 2 | 0 | 0 | 0 | 2 | 0 | writable
            dv-partitioned-with-checkpoint | 15 | 15 | 35 | 2 | 3 | 1 | writable
            dv-with-columnmapping | 15 | 15 | 35 | 2 | 3 | 1 | columnMapping (mode name)
            hive/deltatbl-column-names-case-insensitive | 0 | 4 | -1 | 0 | 2 | 1 | writable
            hive/deltatbl-deleted-path | 0 | 2 | -1 | 0 | 2 | 0 | writable
            hive/deltatbl-incorrect-format-config | 0 | 2 | -1 | 0 | 2 | 0 | writable
            hive/deltatbl-map-types-correctly | 0 | 1 | -1 | 0 | 15 | 0 | writable
            hive/deltatbl-non-partitioned | 0 | 2 | -1 | 0 | 2 | 0 | writable
            hive/deltatbl-not-allow-write | 0 | 2 | -1 | 0 | 2 | 0 | writable
            hive/deltatbl-partition-prune | 0 | 5 | -1 | 0 | 4 | 2 | writable
            hive/deltatbl-partitioned | 0 | 4 | -1 | 0 | 2 | 1 | writable
            hive/deltatbl-schema-match | 0 | 4 | -1 | 0 | 3 | 1 | writable
            hive/deltatbl-special-chars-in-partition-column | 0 | 4 | -1 | 0 | 2 | 1 | writable
            hive/deltatbl-touch-files-needed-for-partitioned | 0 | 4 | -1 | 0 | 2 | 1 | writable
            kernel-timestamp-INT96 | 0 | 5 | 5 | 0 | 3 | 1 | writable
            kernel-timestamp-PST | 0 | 5 | 5 | 0 | 3 | 1 | writable
            kernel-timestamp-TIMESTAMP_MICROS | 0 | 5 | 5 | 0 | 3 | 1 | writable
            kernel-timestamp-TIMESTAMP_MILLIS | 0 | 5 | 5 | 0 | 3 | 1 | writable
            kernel-timestamp-partition-col-ISO8601 | 0 | 2 | 2 | 0 | 2 | 1 | writable
            log-replay-dv-key-cases | 3 | 1 | 47 | 3 | 1 | 0 | writable
            log-replay-latest-metadata-protocol | 2 | 4 | 40 | 0 | 2 | 0 | writable
            log-replay-special-characters | 1 | 0 | 0 | 0 | 1 | 0 | writable
            log-replay-special-characters-a | 1 | 0 | 0 | 0 | 1 | 0 | writable
            log-replay-special-characters-b | 0 | 1 | -1 | 0 | 1 | 0 | writable
            multi-part-checkpoint | 1 | 10 | 31 | 0 | 1 | 0 | writable
            only-checkpoint-files | 2 | 7 | 25 | 0 | 1 | 0 | writable
            parquet-all-types | 0 | 1 | 200 | 0 | 20 | 0 | writable
            parquet-all-types-legacy-format | 0 | 1 | 200 | 0 | 20 | 0 | writable
            parquet-decimal-dictionaries | 0 | 1 | 1000000 | 0 | 4 | 0 | writable
            parquet-decimal-dictionaries-v2 | 0 | 1 | 1000000 | 0 | 4 | 0 | writable
            parquet-decimal-type | 0 | 1 | 99998 | 0 | 4 | 0 | writable
            snapshot-data0 | 0 | 2 | -1 | 0 | 2 | 0 | writable
            snapshot-data1 | 1 | 4 | -1 | 0 | 2 | 0 | writable
            snapshot-data2 | 2 | 2 | -1 | 0 | 2 | 0 | writable
            snapshot-data2-deleted | 4 | 3 | -1 | 0 | 2 | 0 | writable
            snapshot-data3 | 3 | 4 | -1 | 0 | 2 | 0 | writable
            snapshot-repartitioned | 5 | 2 | -1 | 0 | 2 | 0 | writable
            snapshot-vacuumed | 5 | 2 | -1 | 0 | 2 | 0 | writable
            spark-variant-checkpoint | 2 | 4 | 102 | 0 | 7 | 0 | writable
            table-with-columnmapping-mode-id | 0 | 2 | 6 | 0 | 22 | 0 | columnMapping (mode id)
            table-with-columnmapping-mode-name | 0 | 2 | 6 | 0 | 22 | 0 | columnMapping (mode name)
            table-with-icebegCompatV2Enabled | 0 | 2 | 6 | 0 | 22 | 0 | columnMapping (mode id), icebergCompatV2
            time-travel-partition-changes-a | 0 | 10 | -1 | 0 | 2 | 1 | writable
            time-travel-partition-changes-b | 1 | 4 | -1 | 0 | 2 | 1 | writable
            time-travel-schema-changes-a | 0 | 2 | -1 | 0 | 1 | 0 | writable
            time-travel-schema-changes-b | 1 | 4 | -1 | 0 | 2 | 0 | writable
            time-travel-start | 0 | 2 | -1 | 0 | 1 | 0 | writable
            time-travel-start-start20 | 1 | 4 | -1 | 0 | 1 | 0 | writable
            time-travel-start-start20-start40 | 2 | 6 | -1 | 0 | 1 | 0 | writable
            type-widening | 2 | 2 | 2 | 0 | 13 | 0 | writable
            type-widening-nested | 2 | 2 | 2 | 0 | 3 | 0 | writable
            v2-checkpoint-json | 2 | 4 | 10 | 0 | 1 | 0 | writable
            v2-checkpoint-parquet | 2 | 4 | 10 | 0 | 1 | 0 | writable
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
            """;

    /** Folders that hold tables but are none. */
    private static final Set<String> PARENTS = Set.of(
            "hive", "data-reader-date-types-America", "data-reader-date-types-Asia", "data-reader-date-types-Etc");

    private static Optional<Path> golden = Optional.empty();

    @BeforeAll
    static void find() {
        String given = System.getProperty(PROPERTY, System.getenv(PROPERTY));
        Path folder = given == null ? Path.of("..", "..", "shared", "golden") : Path.of(given);
        golden = Files.isDirectory(folder) ? Optional.of(folder) : Optional.empty();
    }

    record Loaded(
            String name,
            long version,
            int files,
            OptionalLong rows,
            long deletedRows,
            int columns,
            int partitionColumns,
            String obstacles) {
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

    static Stream<Loaded> loaded() {
        return lines(LOADED)
                .map(parts -> new Loaded(
                        parts.get(0),
                        Long.parseLong(parts.get(1)),
                        Integer.parseInt(parts.get(2)),
                        parts.get(3).equals(UNKNOWN)
                                ? OptionalLong.empty()
                                : OptionalLong.of(Long.parseLong(parts.get(3))),
                        Long.parseLong(parts.get(4)),
                        Integer.parseInt(parts.get(5)),
                        Integer.parseInt(parts.get(6)),
                        parts.get(7)));
    }

    static Stream<Refused> refused() {
        return lines(REFUSED).map(parts -> new Refused(parts.get(0), ErrorCode.valueOf(parts.get(1)), parts.get(2)));
    }

    @ParameterizedTest
    @MethodSource("loaded")
    void loads(Loaded expected) {
        DeltaTable table = table(expected.name());
        Snapshot snapshot = table.snapshot();
        snapshot.checkReadable();
        assertThat(snapshot.version()).isEqualTo(expected.version()).isEqualTo(table.latestVersion());
        assertThat(snapshot.files()).hasSize(expected.files());
        assertThat(snapshot.schema().fields()).hasSize(expected.columns());
        assertThat(snapshot.partitionColumns()).hasSize(expected.partitionColumns());
        assertThat(snapshot.schema().names()).containsAll(snapshot.partitionColumns());
        long deleted = 0;
        for (DataFile file : snapshot.files()) {
            RowPositions positions = snapshot.deletedRows(file);
            deleted += positions.cardinality();
            OptionalLong records = file.statistics().numRecords();
            if (!positions.isEmpty() && records.isPresent()) {
                assertThat(positions.last()).isLessThan(records.getAsLong());
            }
        }
        assertThat(deleted).isEqualTo(expected.deletedRows());
        assertThat(rows(snapshot)).isEqualTo(expected.rows());
        assertThat(obstacles(snapshot)).isEqualTo(expected.obstacles());
        assertThat(table.history(1)).isNotEmpty();
        assertThat(table.at(expected.version()).files()).hasSameSizeAs(snapshot.files());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void refuses(Refused expected) {
        DeltaTable table = table(expected.name());
        assertThatThrownBy(table::snapshot)
                .isInstanceOfSatisfying(
                        TidemarkException.class,
                        error -> assertThat(error.code()).as(error.render()).isEqualTo(expected.code()));
    }

    @Test
    void theListIsComplete() throws IOException {
        assumeTrue(golden.isPresent(), "golden tables are not there; set " + PROPERTY);
        Set<String> known = new TreeSet<>(PARENTS);
        loaded().forEach(table -> known.add(table.name()));
        refused().forEach(table -> known.add(table.name()));
        try (Stream<Path> folders = Files.list(golden.orElseThrow())) {
            assertThat(folders.map(folder -> folder.getFileName().toString()).collect(Collectors.toSet()))
                    .isSubsetOf(known);
        }
    }

    private static DeltaTable table(String name) {
        assumeTrue(golden.isPresent(), "golden tables are not there; set " + PROPERTY);
        Path folder = golden.orElseThrow().resolve(name);
        assumeTrue(Files.isDirectory(folder), "golden table " + name + " is not there");
        return DeltaTable.at(new LocalStorage(), folder.toString());
    }

    private static OptionalLong rows(Snapshot snapshot) {
        long rows = 0;
        for (DataFile file : snapshot.files()) {
            OptionalLong live = file.liveRecords();
            if (live.isEmpty()) {
                return OptionalLong.empty();
            }
            rows += live.getAsLong();
        }
        return OptionalLong.of(rows);
    }

    private static String obstacles(Snapshot snapshot) {
        try {
            snapshot.checkWritable();
            return "writable";
        } catch (TidemarkException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.TABLE_FEATURE_UNSUPPORTED);
            return e.primary().replaceFirst(".*it uses ", "");
        }
    }

    private static Stream<List<String>> lines(String text) {
        return text.lines().map(line -> List.of(line.strip().split(" \\| ")));
    }
}
