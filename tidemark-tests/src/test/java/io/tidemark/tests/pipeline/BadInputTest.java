package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.parse.PipelineParser;
import io.tidemark.sql.parse.SourceText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a user reads when the input is wrong: code, place, what is wrong, and what to do. Nothing is half-written. */
class BadInputTest {
    private static final String PIPELINE = """
            CREATE OR REFRESH STREAMING TABLE people;
            CREATE FLOW people AS AUTO CDC INTO people
            FROM STREAM read_files('events/*', format => 'FORMAT',
              schema => 'op STRING, id BIGINT, name STRING, born DATE, seq BIGINT')
            KEYS (id)
            APPLY AS DELETE WHEN op = 'D'
            SEQUENCE BY seq
            COLUMNS * EXCEPT (op, seq)
            STORED AS SCD TYPE 2;
            """;
    private static final String CSV = PIPELINE.replace("FORMAT", "csv");
    private static final String HEADER = "op,id,name,born,seq";

    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
    }

    @AfterEach
    void close() {
        lake.close();
    }

    private TidemarkException failure(String sql) {
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(sql));
        assertThat(error).as("the run must fail").isNotNull();
        assertThat(error.code()).isNotEqualTo(ErrorCode.INTERNAL);
        return error;
    }

    private void assertFails(String sql, ErrorCode code, String... parts) {
        TidemarkException error = failure(sql);
        assertThat(error.code()).as(error.render()).isEqualTo(code);
        assertThat(error.render()).contains(parts);
        assertThat(error.hint().isPresent() || error.detail().isPresent())
                .as("no advice: " + error.render())
                .isTrue();
    }

    private void assertNothingCommitted() {
        if (lake.table("people").exists()) {
            assertThat(lake.table("people").snapshot().files()).isEmpty();
        }
    }

    @Test
    void unknownColumnsAreNamedWithTheirPlace() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1");
        assertFails(CSV.replace("KEYS (id)", "KEYS (idd)"), ErrorCode.UNKNOWN_COLUMN, "idd", "pipeline.sql:5:7");
        assertFails(CSV.replace("SEQUENCE BY seq", "SEQUENCE BY sequenz"), ErrorCode.UNKNOWN_COLUMN, "sequenz");
        assertFails(
                CSV.replace("* EXCEPT (op, seq)", "* EXCEPT (op, seqq)"),
                ErrorCode.UNKNOWN_COLUMN,
                "seqq",
                "pipeline.sql:8");
        assertThat(lake.table("people").exists()).isFalse();
    }

    @Test
    void wrongValuesOfCsvAreNamedWithFileAndLine() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1", "I,x,Bob,1815-12-10,1");
        assertFails(CSV, ErrorCode.FILE_UNREADABLE, "1.csv", "3", "id");
        assertNothingCommitted();
    }

    @Test
    void wrongDatesOfCsvAreNamedWithFileAndLine() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-13-10,1");
        assertFails(CSV, ErrorCode.FILE_UNREADABLE, "1.csv", "born");
        assertNothingCommitted();
    }

    @Test
    void brokenJsonIsNamedWithFileAndLine() {
        lake.file("events/1.json", "{\"op\":\"I\",\"id\":1,\"seq\":1}", "{\"op\":\"I\",\"id\":");
        assertFails(PIPELINE.replace("FORMAT", "json"), ErrorCode.FILE_UNREADABLE, "1.json");
        assertNothingCommitted();
    }

    @Test
    void brokenParquetIsNamed() {
        lake.file("events/1.parquet", "this is no parquet file");
        assertFails(PIPELINE.replace("FORMAT", "parquet"), ErrorCode.FILE_UNREADABLE, "1.parquet");
        assertNothingCommitted();
    }

    @Test
    void aMissingSourceIsNamedWithItsPlace() {
        assertFails(CSV, ErrorCode.FILE_NOT_FOUND, "events/*", "pipeline.sql:3");
    }

    @Test
    void reservedNamesAreRefused() {
        lake.file("events/1.csv", "op,id,name,born,seq,__START_AT", "I,1,Ada,1815-12-10,1,7");
        String sql = CSV.replace("seq BIGINT'", "seq BIGINT, __START_AT BIGINT'");
        assertFails(sql, ErrorCode.RESERVED_COLUMN, "__START_AT");
    }

    @Test
    void everyRefusedPairOfClausesHasItsCode() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1");
        assertRefused(
                "STORED AS SCD TYPE 2",
                "APPLY AS TRUNCATE WHEN op = 'T' STORED AS SCD TYPE 2",
                ErrorCode.TRUNCATE_UNSUPPORTED);
        assertRefused(
                "STORED AS SCD TYPE 2",
                "STORED AS SCD TYPE 1 TRACK HISTORY ON (name)",
                ErrorCode.TRACK_HISTORY_UNSUPPORTED);
        assertRefused("STORED AS SCD TYPE 2", "STORED AS BITEMPORAL", ErrorCode.SYSTEM_SEQUENCE_MISSING);
        assertRefused(
                "STORED AS SCD TYPE 2",
                "SYSTEM SEQUENCE BY seq STORED AS SCD TYPE 2",
                ErrorCode.SYSTEM_SEQUENCE_UNSUPPORTED);
        assertRefused(
                "STORED AS SCD TYPE 2",
                "IGNORE NULL UPDATES STORED AS SCD TYPE 2 COLUMNS TO UPDATE name",
                ErrorCode.COLUMNS_TO_UPDATE_WITH_IGNORE_NULLS);
        assertRefused(
                "STORED AS SCD TYPE 2",
                "SYSTEM SEQUENCE BY seq STORED AS BITEMPORAL COLUMNS TO UPDATE name",
                ErrorCode.COLUMNS_TO_UPDATE_UNSUPPORTED);
        assertRefused("COLUMNS * EXCEPT (op, seq)", "COLUMNS (name)", ErrorCode.KEY_NOT_IN_COLUMNS);
        assertRefused("KEYS (id)", "KEYS (id) IGNORE NULL UPDATES ON (id)", ErrorCode.KEY_IN_IGNORE_NULL);
        assertRefused("SEQUENCE BY seq", "SEQUENCE BY seq SEQUENCE BY seq", ErrorCode.DUPLICATE_CLAUSE);
        assertFails(
                CSV.replace("STORED AS SCD TYPE 2", "STORED AS SCD TYPE 2 COLUMNS TO UPDATE name"),
                ErrorCode.COLUMNS_TO_UPDATE_TYPE,
                "ARRAY<STRING>");
        assertFails(CSV.replace("AUTO CDC INTO", "AUTO CDC ONCE INTO"), ErrorCode.SOURCE_NOT_BATCH, "ONCE");
        assertFails(CSV.replace("FROM STREAM ", "FROM "), ErrorCode.SOURCE_NOT_STREAMING, "stream");
    }

    private static void assertRefused(String clause, String replacement, ErrorCode code) {
        String sql = CSV.replace(clause, replacement);
        List<TidemarkException> errors = PipelineParser.parse(List.of(new SourceText("pipeline.sql", sql)))
                .errors();
        assertThat(errors).as(replacement).isNotEmpty();
        assertThat(errors.get(0).code()).as(replacement).isEqualTo(code);
        assertThat(errors.get(0).location()).as(replacement).isPresent();
    }

    @Test
    void severalSyntaxErrorsComeInOneRun() {
        List<TidemarkException> errors = PipelineParser.parse(List.of(new SourceText("pipeline.sql", """
                        CREATE STREAMING TABEL a;
                        CREATE STREAMING TABLE b;
                        CREATE FLOW f AS AUTO CDC INTO b FROM STREAM(x) KEYS id SEQUENCE seq;
                        """)))
                .errors();
        assertThat(errors).hasSizeGreaterThanOrEqualTo(2);
        assertThat(errors).allSatisfy(error -> {
            assertThat(error.location()).isPresent();
            assertThat(error.render()).contains("^");
        });
    }

    @Test
    void aCorruptLogEntryIsNamedWithItsVersion() throws IOException {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1");
        lake.run(CSV);
        Path log = folder.resolve("warehouse/default/people/_delta_log/00000000000000000001.json");
        String text = Files.readString(log);
        Files.writeString(log, text.substring(0, text.length() / 2));
        lake.file("events/2.csv", HEADER, "U,1,Ada,1815-12-10,2");
        assertFails(CSV, ErrorCode.LOG_CORRUPT, "00000000000000000001.json");
    }

    @Test
    void aCorruptCheckpointIsNamed() throws IOException {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1");
        String sql = CSV.replace("TABLE people;", "TABLE people TBLPROPERTIES ('delta.checkpointInterval' = '1');");
        lake.run(sql);
        Path log = folder.resolve("warehouse/default/people/_delta_log");
        try (Stream<Path> files = Files.list(log)) {
            for (Path file : files.toList()) {
                if (file.toString().endsWith(".checkpoint.parquet")) {
                    Files.writeString(file, "broken");
                }
            }
        }
        lake.file("events/2.csv", HEADER, "U,1,Ada,1815-12-10,2");
        assertFails(sql, ErrorCode.LOG_CORRUPT, "checkpoint");
    }

    @Test
    void aMissingDataFileIsNamed() throws IOException {
        lake.file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1");
        lake.run(CSV);
        try (Stream<Path> files = Files.list(folder.resolve("warehouse/default/people"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".parquet")).toList()) {
                Files.delete(file);
            }
        }
        lake.file("events/2.csv", HEADER, "U,1,Ada,1815-12-10,2");
        assertFails(CSV, ErrorCode.DATA_FILE_MISSING, ".parquet");
    }

    @Test
    void queriesMayNotTouchTheWorldOutside() {
        for (String query : List.of(
                "SELECT * FROM read_csv('/etc/passwd')",
                "SELECT * FROM '/etc/passwd'",
                "SELECT getenv('HOME')",
                "SELECT * FROM duckdb_settings()")) {
            String sql = "CREATE MATERIALIZED VIEW v AS " + query + ";";
            TidemarkException error = failure(sql);
            assertThat(error.code().category().name()).as(query).isEqualTo("USER");
        }
    }

    @Test
    void aReadOnlyWarehouseIsRefusedByName() throws Exception {
        Path mount = mounted("ro-test", "size=4m");
        try {
            run("mount", "-o", "remount,ro", mount.toString());
            lake.file("pipeline.sql", CSV).file("events/1.csv", HEADER, "I,1,Ada,1815-12-10,1");
            Program program = Program.start(
                    folder,
                    List.of(),
                    "run",
                    "pipeline.sql",
                    "--warehouse",
                    mount.resolve("w").toString());
            assertThat(program.exitCode()).isEqualTo(1);
            assertThat(program.text()).contains("PERMISSION_DENIED").contains(mount.toString());
            assertThat(program.text()).doesNotContain("\tat ");
        } finally {
            run("umount", mount.toString());
        }
    }

    @Test
    void aFullDiskIsRefusedByNameAndARerunMendsIt() throws Exception {
        Path mount = mounted("full-test", "size=300k");
        try {
            StringBuilder rows = new StringBuilder();
            long state = 1;
            for (int i = 0; i < 60_000; i++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
                rows.append("\nI,")
                        .append(i)
                        .append(',')
                        .append(Long.toHexString(state))
                        .append(",1815-12-10,1");
            }
            lake.file("pipeline.sql", CSV).file("events/1.csv", HEADER + rows);
            String warehouse = mount.resolve("w").toString();
            Program full = Program.start(folder, List.of(), "run", "pipeline.sql", "--warehouse", warehouse);
            assertThat(full.exitCode()).as(full.text()).isEqualTo(1);
            assertThat(full.text()).contains("DISK_FULL").doesNotContain("\tat ");
            run("mount", "-o", "remount,size=64m", mount.toString());
            Program again = Program.start(folder, List.of(), "run", "pipeline.sql", "--warehouse", warehouse);
            assertThat(again.exitCode()).as(again.text()).isZero();
            assertThat(again.text()).contains("60000");
        } finally {
            run("umount", mount.toString());
        }
    }

    private Path mounted(String name, String options) throws Exception {
        Path mount = Files.createDirectories(folder.resolve(name));
        boolean done = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", mount.toString());
        assumeTrue(done, "a small file system cannot be mounted here, which needs root");
        return mount;
    }

    private static boolean run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
    }
}
