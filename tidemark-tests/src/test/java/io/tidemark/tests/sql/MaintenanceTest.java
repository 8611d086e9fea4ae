package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitRecord;
import io.tidemark.delta.DataFile;
import io.tidemark.tests.pipeline.Lake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** OPTIMIZE, VACUUM and RESTORE change files and versions, never what a version says. */
class MaintenanceTest {
    private static final String FLOW = """
            CREATE STREAMING TABLE people;
            CREATE FLOW people AS AUTO CDC INTO people
            FROM STREAM read_files('in/*.csv', schema => 'op STRING, id INT, name STRING, seq INT')
            KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq)
            STORED AS SCD TYPE 2;
            """;
    private static final String HEADER = "op,id,name,seq";

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

    private List<DataFile> files(String table) {
        return lake.table(table).snapshot().files();
    }

    private TidemarkException failure(String sql) {
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.sql(sql));
        assertThat(error).as("the statement must fail").isNotNull();
        return error;
    }

    private void small(String table) {
        lake.sql("CREATE TABLE " + table + " (id INT, v STRING)");
        for (int i = 0; i < 5; i++) {
            lake.sql("INSERT INTO " + table + " VALUES (" + i + ", 'a'), (" + (10 + i) + ", 'b')");
        }
    }

    /** Makes all files of the warehouse look old. */
    private void age(Duration age) throws IOException {
        FileTime time = FileTime.from(Instant.now().minus(age));
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) all.filter(Files::isRegularFile)::iterator) {
                Files.setLastModifiedTime(file, time);
            }
        }
    }

    @Test
    void optimizePutsSmallFilesTogetherAndKeepsAllRows() {
        small("t");
        lake.sql("DELETE FROM t WHERE id IN (2, 12, 13)");
        List<String> before = lake.rows("t");
        lake.sql("OPTIMIZE t");
        assertThat(files("t")).hasSize(1);
        assertThat(files("t").get(0).deletionVector()).isEmpty();
        assertThat(lake.rows("t")).isEqualTo(before).hasSize(7);
        long version = lake.version("t");
        lake.sql("OPTIMIZE t");
        assertThat(lake.version("t")).as("nothing to do, no commit").isEqualTo(version);
        assertThat(lake.sql("SELECT count(*) FROM t VERSION AS OF " + (version - 1)))
                .containsExactly("7");
    }

    @Test
    void optimizeOfAPartitionLeavesTheOthersAlone() {
        lake.sql("CREATE TABLE p (id INT, day DATE) PARTITIONED BY (day)");
        for (int i = 0; i < 3; i++) {
            lake.sql("INSERT INTO p VALUES (" + i + ", DATE '2026-01-01'), (" + i + ", DATE '2026-01-02')");
        }
        lake.sql("OPTIMIZE p WHERE day = DATE '2026-01-02'");
        assertThat(files("p")).hasSize(4);
        assertThat(lake.sql("SELECT day, count(*), sum(id) FROM p GROUP BY day ORDER BY day"))
                .containsExactly("2026-01-01|3|3", "2026-01-02|3|3");
        assertThat(failure("OPTIMIZE p WHERE id = 1").render())
                .contains("UNSUPPORTED_FEATURE", "partitioned by day", "1:18");
    }

    @Test
    void flowsTakeNoNoticeOfOptimize() {
        for (int i = 1; i <= 4; i++) {
            lake.file("in/" + i + ".csv", HEADER, "U," + i + ",a,1", "U,9,n" + i + "," + i);
            lake.run(FLOW);
        }
        lake.sql("OPTIMIZE people");
        assertThat(files("people")).hasSize(1);
        lake.file("in/5.csv", HEADER, "U,9,late,0", "D,1,,7");
        lake.run(FLOW);
        assertThat(lake.rows("people"))
                .containsExactly(
                        "1|a|1|7",
                        "2|a|1|null",
                        "3|a|1|null",
                        "4|a|1|null",
                        "9|late|0|1",
                        "9|n1|1|2",
                        "9|n2|2|3",
                        "9|n3|3|4",
                        "9|n4|4|null");
    }

    @Test
    void manySmallStatementsAreCompactedByThemselves() {
        lake.sql("CREATE TABLE t (id INT)");
        lake.sql("CREATE TABLE plain (id INT) TBLPROPERTIES ('delta.autoOptimize.autoCompact' = 'false')");
        for (int i = 0; i < 55; i++) {
            lake.sql("INSERT INTO t VALUES (" + i + "); INSERT INTO plain VALUES (" + i + ")");
        }
        assertThat(files("t")).hasSize(6);
        assertThat(files("plain")).hasSize(55);
        assertThat(lake.sql("SELECT count(*), sum(id) FROM t")).containsExactly("55|1485");
        assertThat(lake.sql("DESCRIBE HISTORY t").stream().filter(line -> line.contains("OPTIMIZE")))
                .hasSize(1);
    }

    @Test
    void vacuumTakesWhatNoVersionWithinTheRetentionNeeds() throws IOException {
        small("t");
        lake.sql("OPTIMIZE t");
        assertThat(lake.sql("VACUUM t DRY RUN")).as("all files are young").isEmpty();
        age(Duration.ofDays(8));
        assertThat(lake.sql("VACUUM t DRY RUN"))
                .as("the removal is young, so the files stay")
                .isEmpty();
        assertThat(failure("VACUUM t RETAIN 0 HOURS").code()).isEqualTo(ErrorCode.VACUUM_RETENTION_TOO_SHORT);
        String unchecked = "SET spark.databricks.delta.retentionDurationCheck.enabled = false; ";
        assertThat(lake.sql(unchecked + "VACUUM t RETAIN 0 HOURS DRY RUN")).hasSize(5);
        assertThat(lake.rows("t")).hasSize(10);
        lake.sql(unchecked + "VACUUM t RETAIN 0 HOURS");
        assertThat(lake.rows("t")).hasSize(10);
        assertThat(failure("SELECT * FROM t VERSION AS OF 3").code()).isEqualTo(ErrorCode.DATA_FILE_MISSING);
        assertThat(failure("RESTORE t TO VERSION AS OF 3").code()).isEqualTo(ErrorCode.DATA_FILE_MISSING);
    }

    @Test
    void vacuumTellsTheHistoryAndDisturbsNobody() throws IOException {
        String stream = """
                CREATE STREAMING TABLE copy;
                CREATE FLOW copy AS INSERT INTO copy BY NAME SELECT * FROM STREAM(people_feed);
                """;
        lake.sql("CREATE TABLE people_feed (id INT, v STRING); INSERT INTO people_feed VALUES (1, 'a')");
        lake.run(stream);
        for (int i = 1; i <= 3; i++) {
            lake.file("in/" + i + ".csv", HEADER, "U," + i + ",a,1", "U,9,n" + i + "," + i);
            lake.run(FLOW);
        }
        lake.sql("OPTIMIZE people; INSERT INTO people_feed VALUES (2, 'b'); OPTIMIZE people_feed");
        lake.run(stream);
        long version = lake.version("people");
        lake.sql("VACUUM people");
        assertThat(lake.version("people")).as("nothing to delete, no commit").isEqualTo(version);
        age(Duration.ofDays(30));
        String unchecked = "SET spark.databricks.delta.retentionDurationCheck.enabled = false; ";
        lake.sql(unchecked + "VACUUM people RETAIN 0 HOURS; VACUUM people_feed RETAIN 0 HOURS");
        List<CommitRecord> history = lake.table("people").history(2);
        CommitRecord start = history.get(1);
        CommitRecord end = history.get(0);
        assertThat(start.operation()).contains("VACUUM START");
        assertThat(start.info().operationParameters())
                .containsEntry("retentionCheckEnabled", "false")
                .containsEntry("specifiedRetentionMillis", "0")
                .containsEntry("defaultRetentionMillis", "604800000");
        Object files = start.info().operationMetrics().get("numFilesToDelete");
        assertThat(Integer.parseInt(String.valueOf(files))).isGreaterThanOrEqualTo(3);
        assertThat(start.info().operationMetrics()).containsKey("sizeOfDataToDelete");
        assertThat(end.operation()).contains("VACUUM END");
        assertThat(end.info().operationParameters()).containsEntry("status", "COMPLETED");
        assertThat(end.info().operationMetrics())
                .containsEntry("numDeletedFiles", files)
                .containsEntry("numVacuumedDirectories", "1");
        assertThat(lake.table("people").actions(version + 1))
                .as("only says what happened")
                .hasSize(1);
        lake.file("in/4.csv", HEADER, "U,9,late,0");
        lake.run(FLOW);
        assertThat(lake.rows("people")).contains("9|late|0|1", "9|n3|3|null").hasSize(7);
        lake.sql("INSERT INTO people_feed VALUES (3, 'c')");
        lake.run(stream);
        assertThat(lake.rows("copy")).containsExactly("1|a", "2|b", "3|c");
    }

    @Test
    void vacuumKeepsTheStateThatVersionsPinAndTakesTheRest() throws IOException {
        for (int i = 1; i <= 3; i++) {
            lake.file("in/" + i + ".csv", HEADER, "U," + i + ",a,1", "D," + (i + 10) + ",,1");
            lake.run(FLOW);
        }
        Path state = Path.of(lake.table("people").location()).resolve("_tidemark/state");
        Files.writeString(state.resolve("leftover.parquet"), "x");
        List<String> before = names(state);
        age(Duration.ofDays(30));
        lake.sql("VACUUM people");
        assertThat(names(state))
                .containsExactlyElementsOf(before.stream()
                        .filter(name -> !name.equals("leftover.parquet"))
                        .toList());
        lake.file("in/4.csv", HEADER, "U,11,late,0", "U,12,new,2");
        lake.run(FLOW);
        assertThat(lake.rows("people"))
                .as("tombstones are still known")
                .containsExactly("11|late|0|1", "12|new|2|null", "1|a|1|null", "2|a|1|null", "3|a|1|null");
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void restoreBringsBackRowsSchemaAndProperties() {
        small("t");
        List<String> before = lake.rows("t");
        long version = lake.version("t");
        lake.sql("DELETE FROM t WHERE id < 3; ALTER TABLE t ADD COLUMNS (extra INT); UPDATE t SET extra = 1");
        lake.sql("ALTER TABLE t SET TBLPROPERTIES ('owner' = 'me')");
        lake.sql("RESTORE TABLE t TO VERSION AS OF " + version);
        assertThat(lake.rows("t")).isEqualTo(before);
        assertThat(lake.table("t").snapshot().properties()).doesNotContainKey("owner");
        assertThat(lake.sql("DESCRIBE HISTORY t LIMIT 1").get(0)).contains("RESTORE");
        assertThat(failure("RESTORE t TO VERSION AS OF 99").code()).isEqualTo(ErrorCode.VERSION_NOT_FOUND);
        assertThat(failure("RESTORE t TO VERSION 3").render()).contains("SYNTAX_ERROR", "VERSION AS OF n");
    }

    @Test
    void flowsGoOnFromTheRestoredVersion() {
        lake.file("in/1.csv", HEADER, "U,1,a,1");
        lake.run(FLOW);
        long first = lake.version("people");
        lake.file("in/2.csv", HEADER, "U,1,b,5", "D,2,,9");
        lake.run(FLOW);
        List<String> whole = lake.rows("people");
        lake.sql("RESTORE people TO VERSION AS OF " + first);
        assertThat(lake.rows("people")).containsExactly("1|a|1|null");
        lake.run(FLOW);
        assertThat(lake.rows("people")).as("the second file is read again").isEqualTo(whole);
        lake.file("in/3.csv", HEADER, "U,2,late,3");
        lake.run(FLOW);
        assertThat(lake.rows("people")).contains("2|late|3|9");
    }

    @Test
    void handMadeRowsBeforeARestoreAreStillSeenAsSuch() {
        lake.file("in/1.csv", HEADER, "U,1,a,1", "U,2,x,1");
        lake.run(FLOW);
        lake.sql("DELETE FROM people WHERE id = 2");
        long byHand = lake.version("people");
        lake.file("in/2.csv", HEADER, "U,1,b,5");
        lake.run(FLOW);
        lake.sql("RESTORE people TO VERSION AS OF " + byHand);
        lake.file("in/3.csv", HEADER, "U,2,late,0");
        lake.run(FLOW);
        assertThat(lake.rows("people"))
                .as("the deletion counts as one at the row's start")
                .containsExactly("1|a|1|5", "1|b|5|null", "2|late|0|1");
    }
}
