package io.tidemark.tests.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.delta.DataFile;
import io.tidemark.pipeline.Pipeline;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.FlowResult.Status;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.tests.pipeline.Lake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** AUTO CDC FROM SNAPSHOT as users write it. */
class SnapshotFlowTest {
    private static final String TABLE = "CREATE OR REFRESH STREAMING TABLE t;\n";
    private static final String HISTORICAL = "FROM SNAPSHOT (SELECT id, name, city FROM snaps"
            + " WHERE v = current_snapshot_version())\n"
            + "WITH VERSION (SELECT min(v) FROM versions WHERE v > coalesce(last_snapshot_version(), 0)"
            + " HAVING min(v) IS NOT NULL)\n";
    private static final String TYPE_TWO =
            TABLE + "CREATE FLOW f AS AUTO CDC INTO t " + HISTORICAL + "KEYS (id) STORED AS SCD TYPE 2;";
    private static final String PERIODIC = TABLE
            + "CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT * FROM source) KEYS (id) STORED AS SCD TYPE 1;";

    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
        lake.sql("CREATE TABLE snaps (v INT, id INT, name STRING, city STRING); CREATE TABLE versions (v INT);"
                + " CREATE TABLE source (id INT, name STRING)");
    }

    @AfterEach
    void close() {
        lake.close();
    }

    private void snapshot(int version, String... rows) {
        for (String row : rows) {
            lake.sql("INSERT INTO snaps VALUES (" + version + ", " + row + ")");
        }
        lake.sql("INSERT INTO versions VALUES (" + version + ")");
    }

    @Test
    void eachSnapshotIsAnUpdateOfItsOwn() {
        snapshot(1, "1, 'Ada', 'Rome'", "2, 'Bob', 'Oslo'");
        snapshot(3, "1, 'Ada', 'Oslo'", "2, 'Bob', 'Oslo'");
        snapshot(7, "2, 'Bob', 'Oslo'", "3, 'Cid', NULL");
        List<FlowResult> results = lake.run(TYPE_TWO);
        assertThat(results).hasSize(3).allMatch(result -> result.status() == Status.UPDATED);
        assertThat(results).extracting(FlowResult::rowsRead).containsExactly(2L, 2L, 2L);
        assertThat(results).allMatch(result -> result.metrics().isEmpty());
        assertThat(lake.rows("t"))
                .containsExactly("1|Ada|Oslo|3|7", "1|Ada|Rome|1|3", "2|Bob|Oslo|1|null", "3|Cid|null|7|null");
        assertThat(lake.run(TYPE_TWO)).extracting(FlowResult::status).containsExactly(Status.UNCHANGED);
        snapshot(8, "2, 'Bob', 'Oslo'", "3, 'Cid', NULL");
        long version = lake.version("t");
        assertThat(lake.run(TYPE_TWO)).extracting(FlowResult::status).containsExactly(Status.UPDATED);
        assertThat(lake.version("t")).as("one commit of the position").isEqualTo(version + 1);
        assertThat(lake.rows("t")).hasSize(4);
    }

    @Test
    void theHistoryNamesFlowAndVersion() {
        snapshot(4, "1, 'Ada', 'Rome'");
        lake.run(TYPE_TWO);
        List<String> update = lake.sql("DESCRIBE HISTORY t").stream()
                .filter(line -> line.contains("AUTO CDC"))
                .toList();
        assertThat(update).hasSize(1);
        assertThat(update.get(0)).contains("snapshotVersion=4", "flow=f").doesNotContain("num_upserted_rows");
    }

    @Test
    void anUnchangedTableCommitsNothing() {
        lake.sql("INSERT INTO source VALUES (1, 'Ada'), (2, 'Bob')");
        assertThat(lake.run(PERIODIC)).extracting(FlowResult::status).containsExactly(Status.UPDATED);
        long version = lake.version("t");
        assertThat(lake.run(PERIODIC)).extracting(FlowResult::status).containsExactly(Status.UNCHANGED);
        assertThat(lake.version("t")).isEqualTo(version);
        lake.sql("DELETE FROM source WHERE id = 1; INSERT INTO source VALUES (3, 'Cid')");
        lake.run(PERIODIC);
        assertThat(lake.rows("t")).containsExactly("2|Bob", "3|Cid");
        assertThat(lake.version("t")).isEqualTo(version + 1);
    }

    @Test
    void anotherQueryIsAnotherSource() {
        lake.sql("INSERT INTO source VALUES (1, 'Ada'), (2, 'Bob')");
        lake.run(PERIODIC);
        lake.run(PERIODIC.replace("FROM source", "FROM source WHERE id > 1"));
        assertThat(lake.rows("t")).containsExactly("2|Bob");
        String view = "CREATE TEMPORARY VIEW w AS SELECT * FROM source WHERE id < 2;\n"
                + PERIODIC.replace("FROM source", "FROM w");
        lake.run(view);
        assertThat(lake.rows("t")).containsExactly("1|Ada");
        lake.run(view.replace("id < 2", "id = 2"));
        assertThat(lake.rows("t")).as("the view's text counts").containsExactly("2|Bob");
    }

    @Test
    void filesCountByNameSizeAndTime() {
        String pipeline = PERIODIC.replace(
                "FROM source", "FROM read_files('people/*.json', format => 'json', schema => 'id INT, name STRING')");
        lake.file("people/a.json", "{\"id\": 1, \"name\": \"Ada\"}");
        lake.run(pipeline);
        assertThat(lake.run(pipeline)).extracting(FlowResult::status).containsExactly(Status.UNCHANGED);
        lake.file("people/b.json", "{\"id\": 2, \"name\": \"Bob\"}");
        lake.run(pipeline);
        assertThat(lake.rows("t")).containsExactly("1|Ada", "2|Bob");
        lake.file("people/a.json", "{\"id\": 1, \"name\": \"Adele\"}");
        lake.run(pipeline);
        assertThat(lake.rows("t")).containsExactly("1|Adele", "2|Bob");
    }

    @Test
    void aQueryThatAsksForTheTimeIsComparedEachTime() {
        lake.sql("INSERT INTO source VALUES (1, 'Ada')");
        String pipeline =
                PERIODIC.replace("FROM source", "FROM source WHERE current_snapshot_version() > '2020-01-01'");
        lake.run(pipeline);
        long version = lake.version("t");
        assertThat(lake.run(pipeline)).extracting(FlowResult::status).containsExactly(Status.UNCHANGED);
        assertThat(lake.version("t")).isEqualTo(version);
        lake.sql("DELETE FROM t");
        lake.run(pipeline);
        assertThat(lake.rows("t")).as("rows deleted by hand come back").containsExactly("1|Ada");
    }

    @Test
    void vanishedIsARowWhoeverWroteIt() {
        snapshot(1, "1, 'Ada', 'Rome'");
        lake.run(TYPE_TWO);
        lake.sql("INSERT INTO t VALUES (9, 'Eve', 'Bonn', 1, NULL)");
        lake.sql("INSERT INTO t VALUES (8, 'Kim', 'Bonn', 5, NULL)");
        lake.sql("UPDATE t SET city = 'Lima' WHERE id = 1");
        snapshot(4, "1, 'Ada', 'Rome'");
        lake.run(TYPE_TWO);
        // 8 begins after the snapshot's version, so that the snapshot says nothing of it
        assertThat(lake.rows("t"))
                .containsExactly("1|Ada|Lima|1|4", "1|Ada|Rome|4|null", "8|Kim|Bonn|5|null", "9|Eve|Bonn|1|4");
        lake.sql("DELETE FROM t WHERE id = 1 AND __END_AT IS NULL");
        snapshot(6, "1, 'Ada', 'Rome'", "8, 'Kim', 'Bonn'");
        lake.run(TYPE_TWO);
        assertThat(lake.rows("t"))
                .containsExactly("1|Ada|Lima|1|4", "1|Ada|Rome|6|null", "8|Kim|Bonn|5|null", "9|Eve|Bonn|1|4");
    }

    @Test
    void oneTableFedBySnapshotsAndEvents() {
        lake.sql("CREATE TABLE events (id INT, name STRING, city STRING, gone BOOLEAN, seq INT)");
        String pipeline = TABLE + "CREATE FLOW f AS AUTO CDC INTO t " + HISTORICAL + "KEYS (id) STORED AS SCD TYPE 1;\n"
                + "CREATE FLOW g AS AUTO CDC INTO t FROM STREAM(events) KEYS (id) APPLY AS DELETE WHEN gone"
                + " SEQUENCE BY seq COLUMNS * EXCEPT (gone, seq) STORED AS SCD TYPE 1;";
        snapshot(10, "1, 'Ada', 'Rome'", "2, 'Bob', 'Oslo'", "3, 'Cid', 'Graz'");
        lake.run(pipeline);
        lake.sql("INSERT INTO events VALUES (1, 'Ada', 'Nice', false, 9), (2, 'Bob', 'Nice', false, 11),"
                + " (3, NULL, NULL, true, 25), (4, 'Dan', 'Nice', false, 30), (5, 'Eli', 'Nice', false, 12)");
        List<FlowResult> results = lake.run(pipeline);
        assertThat(results.get(0).metrics()).isEmpty();
        assertThat(results.get(1).metrics())
                .isEqualTo(Map.of(FlowResult.UPSERTED_ROWS, 3L, FlowResult.DELETED_ROWS, 1L));
        assertThat(lake.rows("t"))
                .as("1 is older than the snapshot")
                .containsExactly("1|Ada|Rome", "2|Bob|Nice", "4|Dan|Nice", "5|Eli|Nice");
        snapshot(20, "1, 'Ada', 'Rome'", "2, 'Bob', 'Oslo'", "3, 'Cid', 'Graz'");
        lake.run(pipeline);
        // 3 was deleted and 4 inserted by events that are newer than the snapshot; 5 is older and not in it
        assertThat(lake.rows("t")).containsExactly("1|Ada|Rome", "2|Bob|Oslo", "4|Dan|Nice");
    }

    /** The target has the events' sequence as a column, which rows of snapshots do not. */
    @Test
    void snapshotsJoinATableOfEvents() {
        lake.sql("CREATE TABLE events (id INT, name STRING, city STRING, seq INT)");
        String events = TABLE + "CREATE FLOW g AS AUTO CDC INTO t FROM STREAM(events) KEYS (id)"
                + " SEQUENCE BY seq STORED AS SCD TYPE 1;\n";
        lake.sql("INSERT INTO events VALUES (1, 'Ada', 'Nice', 5), (2, 'Bob', 'Nice', 15)");
        lake.run(events);
        snapshot(10, "1, 'Ada', 'Rome'", "2, 'Bob', 'Rome'");
        String both = events + "CREATE FLOW f AS AUTO CDC INTO t " + HISTORICAL + "KEYS (id) STORED AS SCD TYPE 1;";
        lake.run(both);
        assertThat(lake.rows("t")).as("row 2 is newer").containsExactly("1|Ada|Rome|null", "2|Bob|Nice|15");
        lake.sql("INSERT INTO events VALUES (1, 'Ada', 'Graz', 8)");
        lake.run(both);
        assertThat(lake.rows("t")).as("the event is late").containsExactly("1|Ada|Rome|null", "2|Bob|Nice|15");
        lake.sql("INSERT INTO events VALUES (1, 'Ada', 'Graz', 11)");
        lake.run(both);
        assertThat(lake.rows("t")).containsExactly("1|Ada|Graz|11", "2|Bob|Nice|15");
        lake.sql("INSERT INTO events VALUES (1, 'Ada', 'Graz', 9)");
        lake.run(events);
        assertThat(lake.rows("t")).as("without the flow, too").containsExactly("1|Ada|Graz|11", "2|Bob|Nice|15");
    }

    @Test
    void versionsOfATableAreSnapshots() {
        lake.sql("INSERT INTO source VALUES (1, 'Ada')");
        lake.sql("INSERT INTO source VALUES (2, 'Bob')");
        lake.sql("UPDATE source SET name = 'Ben' WHERE id = 2");
        lake.sql("INSERT INTO versions VALUES (1), (2), (3)");
        lake.run(TABLE + "CREATE FLOW f AS AUTO CDC INTO t FROM SNAPSHOT (SELECT * FROM source VERSION AS OF"
                + " current_snapshot_version()) WITH VERSION (SELECT CAST(v AS BIGINT) FROM versions"
                + " WHERE v > coalesce(last_snapshot_version(), 0) ORDER BY v LIMIT 1)"
                + " KEYS (id) STORED AS SCD TYPE 2;");
        assertThat(lake.rows("t")).containsExactly("1|Ada|1|null", "2|Ben|3|null", "2|Bob|2|3");
    }

    @Test
    void theVersionServesBothAxes() {
        snapshot(1, "1, 'Ada', 'Rome'");
        snapshot(5, "1, 'Ada', 'Oslo'");
        snapshot(6);
        lake.run(TYPE_TWO.replace("SCD TYPE 2", "BITEMPORAL"));
        assertThat(lake.rows("t"))
                .containsExactly(
                        "1|Ada|Oslo|5|6|6|null",
                        "1|Ada|Oslo|5|null|5|6",
                        "1|Ada|Rome|1|5|5|null",
                        "1|Ada|Rome|1|null|1|5");
    }

    @Test
    void versionsMayHaveAnyTypeWithAnOrder() {
        Map<String, List<String>> types = Map.of(
                "BIGINT", List.of("9007199254740993", "9007199254740994"),
                "DECIMAL(10,2)", List.of("1.05", "1.10"),
                "STRING", List.of("'it''s a'", "'it''s b'"),
                "DATE", List.of("DATE'2024-02-29'", "DATE'2024-03-01'"),
                "TIMESTAMP", List.of("TIMESTAMP'2024-02-29 10:00:00.000001'", "TIMESTAMP'2024-02-29 10:00:00.000002'"),
                "TIMESTAMP_NTZ", List.of("TIMESTAMP_NTZ'2024-02-29 10:00:00'", "TIMESTAMP_NTZ'2024-02-29 10:00:01'"),
                "SMALLINT", List.of("-2", "-1"),
                "DOUBLE", List.of("0.1", "1e300"));
        types.forEach((type, values) -> {
            String table = "v_" + type.toLowerCase(java.util.Locale.ROOT).replaceAll("[^a-z]", "");
            lake.sql("CREATE TABLE " + table + " (v " + type + ", id INT, name STRING)");
            lake.sql("INSERT INTO " + table + " VALUES (" + values.get(0) + ", 1, 'a'), (" + values.get(1)
                    + ", 1, 'b')");
            List<FlowResult> results = lake.run("CREATE STREAMING TABLE of_" + table + "; CREATE FLOW " + table
                    + " AS AUTO CDC INTO of_" + table + " FROM SNAPSHOT (SELECT id, name FROM " + table
                    + " WHERE v = current_snapshot_version()) WITH VERSION (SELECT v FROM " + table
                    + " WHERE last_snapshot_version() IS NULL OR v > last_snapshot_version() ORDER BY v LIMIT 1)"
                    + " KEYS (id) STORED AS SCD TYPE 2;");
            assertThat(results).as(type).hasSize(2);
            assertThat(lake.sql("SELECT name, __START_AT = " + values.get(0) + ", __END_AT = " + values.get(1)
                            + " FROM of_" + table + " ORDER BY name"))
                    .as(type)
                    .containsExactly("a|true|true", "b|false|null");
        });
    }

    @Test
    void aFullRefreshForgetsTheLastVersion() {
        snapshot(5, "1, 'Ada', 'Rome'", "2, 'Bob', 'Oslo'");
        snapshot(6, "1, 'Ada', 'Rome'");
        lake.run(TYPE_TWO);
        lake.sql("INSERT INTO t VALUES (9, 'Eve', 'Bonn', 1, NULL)");
        snapshot(3, "1, 'Ada', 'Graz'");
        assertThat(lake.run(TYPE_TWO)).extracting(FlowResult::status).containsExactly(Status.UNCHANGED);
        long version = lake.version("t");
        List<FlowResult> results = lake.run(TYPE_TWO, RunOptions.of("test").withFullRefresh());
        assertThat(results).hasSize(1);
        assertThat(results.get(0).metrics()).isEmpty();
        assertThat(results.get(0).rowsRead()).isEqualTo(4);
        assertThat(lake.version("t")).isEqualTo(version + 1);
        assertThat(lake.rows("t")).containsExactly("1|Ada|Graz|3|5", "1|Ada|Rome|5|null", "2|Bob|Oslo|5|6");
        snapshot(7);
        lake.run(TYPE_TWO);
        assertThat(lake.rows("t")).containsExactly("1|Ada|Graz|3|5", "1|Ada|Rome|5|7", "2|Bob|Oslo|5|6");
    }

    @Test
    void anAddedColumnIsNoNewVersionOfRowsWithoutAValue() {
        lake.sql("INSERT INTO source VALUES (1, 'Ada'), (2, 'Bob')");
        String pipeline = PERIODIC.replace("TYPE 1", "TYPE 2");
        lake.run(pipeline);
        lake.sql("ALTER TABLE source ADD COLUMN age INT");
        lake.run(pipeline);
        assertThat(lake.sql("SELECT id, name, age FROM t")).containsExactlyInAnyOrder("1|Ada|null", "2|Bob|null");
        lake.sql("UPDATE source SET age = 7 WHERE id = 2");
        lake.run(pipeline);
        assertThat(lake.sql("SELECT id, age, __END_AT IS NULL FROM t"))
                .containsExactlyInAnyOrder("1|null|true", "2|null|false", "2|7|true");
    }

    @Test
    void closedHistoryIsNeverRead() throws IOException {
        snapshot(1, "1, 'Ada', 'Rome'", "2, 'Bob', 'Oslo'", "3, 'Cid', 'Graz'", "4, 'Dan', 'Graz'", "5, 'Eli', 'Graz'");
        snapshot(2, "1, 'Ada', 'Nice'", "3, 'Cid', 'Graz'", "4, 'Dan', 'Graz'", "5, 'Eli', 'Graz'");
        lake.run(TYPE_TWO);
        List<DataFile> closed = lake.table("t").snapshot().files().stream()
                .filter(file -> file.statistics().nullCount("__END_AT").equals(OptionalLong.of(0)))
                .toList();
        assertThat(closed).as("closed rows lie in a file of their own").hasSize(1);
        assertThat(closed.get(0).statistics().numRecords()).isEqualTo(OptionalLong.of(2));
        // If the file were looked into, the update would fail.
        Path file = Path.of(closed.get(0).location());
        Path aside = Files.move(file, folder.resolve("aside.parquet"));
        snapshot(3, "1, 'Ada', 'Lima'", "2, 'Bob', 'Oslo'", "3, 'Cid', 'Graz'", "4, 'Dan', 'Graz'");
        assertThat(lake.run(TYPE_TWO)).extracting(FlowResult::status).containsExactly(Status.UPDATED);
        Files.move(aside, file);
        assertThat(lake.rows("t"))
                .containsExactly(
                        "1|Ada|Lima|3|null",
                        "1|Ada|Nice|2|3",
                        "1|Ada|Rome|1|2",
                        "2|Bob|Oslo|1|2",
                        "2|Bob|Oslo|3|null",
                        "3|Cid|Graz|1|null",
                        "4|Dan|Graz|1|null",
                        "5|Eli|Graz|1|3");
    }

    @Test
    void optimizeKeepsClosedHistoryApart() {
        for (int version = 1; version < 6; version++) {
            snapshot(version, "1, 'Ada', 'city " + version + "'", "2, 'Bob', 'Oslo'");
        }
        lake.run(TYPE_TWO);
        List<String> rows = lake.rows("t");
        lake.sql("OPTIMIZE t");
        assertThat(lake.rows("t")).isEqualTo(rows);
        List<String> ends = new ArrayList<>();
        for (DataFile file : lake.table("t").snapshot().files()) {
            long nulls = file.statistics().nullCount("__END_AT").orElseThrow();
            long records = file.statistics().numRecords().orElseThrow();
            ends.add(nulls == 0 ? "closed " + records : nulls == records ? "open " + records : "mixed");
        }
        assertThat(ends).containsExactlyInAnyOrder("closed 4", "open 2");
    }

    @Test
    void theDatasetsThatASnapshotReadsComeFirst() {
        lake.sql("INSERT INTO source VALUES (1, 'Ada')");
        lake.run(PERIODIC.replace("FROM source", "FROM people")
                + "\nCREATE MATERIALIZED VIEW people AS SELECT * FROM source WHERE id > 0;");
        assertThat(lake.rows("t")).containsExactly("1|Ada");
    }

    @Test
    void aFunctionFindsTheSnapshots() {
        List<Optional<Object>> asked = new ArrayList<>();
        Pipeline pipeline = Pipeline.named("java").baseFolder(folder);
        pipeline.streamingTable("people");
        pipeline.autoCdcFromSnapshotFlow("people")
                .named("load")
                .nextSnapshot(last -> {
                    asked.add(last);
                    long next = last.map(value -> (Long) value + 10).orElse(10L);
                    return next > 30
                            ? Optional.empty()
                            : Optional.of(new SnapshotSource.Snapshot(
                                    "SELECT 1 AS id, current_snapshot_version() AS seen", next));
                })
                .keys("id")
                .storedAs(ScdType.SCD2);
        List<FlowResult> results = pipeline.run(lake.engine(), lake.warehouse());
        assertThat(results).hasSize(3);
        assertThat(lake.rows("people")).containsExactly("1|10|10|20", "1|20|20|30", "1|30|30|null");
        // the definition is checked with the first one
        assertThat(asked)
                .containsExactly(
                        Optional.empty(), Optional.empty(), Optional.of(10L), Optional.of(20L), Optional.of(30L));
        assertThat(pipeline.run(lake.engine(), lake.warehouse()))
                .extracting(FlowResult::status)
                .containsExactly(Status.UNCHANGED);
    }

    @Test
    void theJavaInterfaceMirrorsTheStatement() {
        snapshot(1, "1, 'Ada', 'Rome'");
        snapshot(2, "1, 'Ada', 'Oslo'");
        lake.sql("INSERT INTO source VALUES (1, 'Ada')");
        Pipeline pipeline = Pipeline.named("java").baseFolder(folder);
        pipeline.streamingTable("history");
        pipeline.autoCdcFromSnapshotFlow("history")
                .query("SELECT id, name, city FROM snaps WHERE v = current_snapshot_version()")
                .withVersion(
                        "SELECT v FROM versions WHERE v > coalesce(last_snapshot_version(), 0)" + " ORDER BY v LIMIT 1")
                .keys("id")
                .storedAs(ScdType.SCD2)
                .trackHistoryExceptColumnList("city");
        pipeline.streamingTable("latest");
        pipeline.autoCdcFromSnapshotFlow("latest").source("source").keys("id");
        assertThat(pipeline.run(lake.engine(), lake.warehouse())).hasSize(3);
        assertThat(lake.rows("history")).containsExactly("1|Ada|Oslo|1|null");
        assertThat(lake.rows("latest")).containsExactly("1|Ada");
    }
}
