package io.tidemark.tests.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.FlowResult.Status;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is refused of snapshots, with its code, its place and nothing committed. */
class SnapshotErrorsTest {
    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
        lake.sql("CREATE TABLE source (id INT, name STRING); CREATE TABLE versions (v INT);"
                + " INSERT INTO source VALUES (1, 'Ada'); INSERT INTO versions VALUES (5)");
    }

    @AfterEach
    void close() {
        lake.close();
    }

    /** A flow whose clauses stand in lines of their own: target 1, FROM 3, WITH VERSION 4, others from 5. */
    private static String flow(String query, String version, String... clauses) {
        return "CREATE STREAMING TABLE t;\nCREATE FLOW f AS AUTO CDC INTO t\nFROM SNAPSHOT (" + query + ")\n"
                + (version.isEmpty() ? "" : "WITH VERSION (" + version + ")") + "\n" + String.join("\n", clauses)
                + ";";
    }

    private TidemarkException refused(String pipeline, ErrorCode code, int line, int column) {
        boolean exists = lake.table("t").exists();
        long version = exists ? lake.version("t") : -1;
        TidemarkException error = catchThrowableOfType(TidemarkException.class, () -> lake.run(pipeline));
        assertThat(error).as("an error").isNotNull();
        assertThat(error.code()).as(error.render()).isEqualTo(code);
        assertThat(error.location()).as(error.render()).contains(new TextLocation("pipeline.sql", line, column));
        assertThat(error.hint()).as(error.render()).isPresent();
        assertThat(lake.table("t").exists()).as("a table").isEqualTo(exists);
        if (exists) {
            assertThat(lake.version("t")).as("version").isEqualTo(version);
        }
        return error;
    }

    @Test
    void keys() {
        lake.sql("INSERT INTO source VALUES (1, 'Bob'), (2, 'Cid'), (2, 'Cid')");
        String pipeline = flow("SELECT * FROM source", "", "KEYS (id)");
        TidemarkException twice = refused(pipeline, ErrorCode.DUPLICATE_SNAPSHOT_KEY, 5, 1);
        assertThat(twice.primary()).isEqualTo("2 keys of the snapshot of flow f into table t stand in several rows");
        assertThat(twice.detail().orElseThrow()).contains("id = 1: 2 rows", "id = 2: 2 rows");
        lake.sql("DELETE FROM source; INSERT INTO source VALUES (NULL, 'Bob'), (2, 'Cid')");
        TidemarkException missing = refused(pipeline, ErrorCode.NULL_KEY, 5, 1);
        assertThat(missing.primary()).isEqualTo("1 row of the snapshot of flow f into table t with NULL in the key");
        String dropping =
                pipeline.replace("TABLE t;", "TABLE t TBLPROPERTIES ('tidemark.cdc.onNullKeyOrSequence' = 'drop');");
        List<FlowResult> results = lake.run(dropping);
        assertThat(results.get(0).metrics())
                .containsOnlyKeys(FlowResult.DROPPED_ROWS)
                .containsValue(1L);
        assertThat(lake.rows("t")).containsExactly("2|Cid");
        refused(flow("SELECT * FROM source", "", "KEYS (nothing)"), ErrorCode.UNKNOWN_COLUMN, 5, 7);
        refused(
                flow("SELECT id, map(1, 2) AS m FROM source", "", "KEYS (m)")
                        .replace("TABLE t", "TABLE u")
                        .replace("INTO t", "INTO u"),
                ErrorCode.KEY_TYPE,
                5,
                7);
    }

    @Test
    void versionsThatDoNotGrow() {
        String pipeline = flow("SELECT * FROM source", "SELECT v FROM versions", "KEYS (id)");
        TidemarkException again = catchThrowableOfType(TidemarkException.class, () -> lake.run(pipeline));
        assertThat(again.code()).isEqualTo(ErrorCode.SNAPSHOT_OUT_OF_ORDER);
        assertThat(lake.rows("t")).as("the first one was applied").containsExactly("1|Ada");
        refused(pipeline, ErrorCode.SNAPSHOT_OUT_OF_ORDER, 4, 1);
        lake.sql("UPDATE versions SET v = 3; UPDATE source SET name = 'Bob'");
        TidemarkException error = refused(pipeline, ErrorCode.SNAPSHOT_OUT_OF_ORDER, 4, 1);
        assertThat(error.primary())
                .isEqualTo(
                        "the next snapshot of flow f into table t has version 3, which is not above the last one, 5");
        String skipping =
                pipeline.replace("TABLE t;", "TABLE t TBLPROPERTIES ('tidemark.snapshot.onOldVersion' = 'skip');");
        assertThat(lake.run(skipping)).extracting(FlowResult::status).containsExactly(Status.UNCHANGED);
        assertThat(lake.rows("t")).containsExactly("1|Ada");
        lake.sql("UPDATE versions SET v = 6");
        assertThat(lake.run(skipping)).extracting(FlowResult::status).containsExactly(Status.UPDATED);
        assertThat(lake.rows("t")).containsExactly("1|Bob");
    }

    @Test
    void thePropertyIsChecked() {
        refused(
                flow("SELECT * FROM source", "", "KEYS (id)")
                        .replace("TABLE t;", "TABLE t TBLPROPERTIES ('tidemark.snapshot.onOldVersion' = 'warn');"),
                ErrorCode.INVALID_SETTING,
                1,
                41);
    }

    @Test
    void versionQueries() {
        refused(
                flow("SELECT * FROM source", "SELECT max(v) FROM versions WHERE v > 5", "KEYS (id)"),
                ErrorCode.NULL_SEQUENCE,
                4,
                1);
        lake.sql("INSERT INTO versions VALUES (6)");
        refused(
                flow("SELECT * FROM source", "SELECT v FROM versions", "KEYS (id)"),
                ErrorCode.SNAPSHOT_VERSION_ROWS,
                4,
                1);
        refused(
                flow("SELECT * FROM source", "SELECT v, v FROM versions", "KEYS (id)"),
                ErrorCode.SNAPSHOT_VERSION_COLUMNS,
                4,
                1);
        refused(
                flow("SELECT * FROM source", "SELECT array(v) FROM versions", "KEYS (id)"),
                ErrorCode.SEQUENCE_TYPE,
                4,
                1);
        refused(flow("SELECT * FROM source", "SELECT NULL", "KEYS (id)"), ErrorCode.SEQUENCE_TYPE, 4, 1);
        refused(
                flow("SELECT * FROM source", "SELECT v FROM STREAM(versions)", "KEYS (id)"),
                ErrorCode.SOURCE_NOT_BATCH,
                4,
                1);
        refused(
                flow("SELECT * FROM source", "SELECT current_snapshot_version()", "KEYS (id)"),
                ErrorCode.UNKNOWN_FUNCTION,
                4,
                22);
        refused(flow("SELECT * FROM source", "SELECT w FROM versions", "KEYS (id)"), ErrorCode.UNKNOWN_COLUMN, 4, 22);
        refused(flow("SELECT * FROM source", "SELECT v FROM nowhere", "KEYS (id)"), ErrorCode.UNKNOWN_TABLE, 4, 29);
    }

    @Test
    void snapshotQueries() {
        refused(flow("SELECT * FROM STREAM(source)", "", "KEYS (id)"), ErrorCode.SOURCE_NOT_BATCH, 3, 6);
        refused(flow("SELECT last_snapshot_version() AS id", "", "KEYS (id)"), ErrorCode.UNKNOWN_FUNCTION, 3, 23);
        refused(flow("SELECT id, nonsense FROM source", "", "KEYS (id)"), ErrorCode.UNKNOWN_COLUMN, 3, 27);
        refused(
                flow("SELECT id, current_snapshot_version() AS v, nonsense FROM source", "", "KEYS (id)"),
                ErrorCode.UNKNOWN_COLUMN,
                3,
                60);
        refused(flow("SELECT id FROM t", "", "KEYS (id)"), ErrorCode.GRAPH_CYCLE, 3, 31);
        refused(
                flow("SELECT *, 1 AS __START_AT FROM source", "", "KEYS (id)", "STORED AS SCD TYPE 2"),
                ErrorCode.RESERVED_COLUMN,
                3,
                6);
        refused(
                flow("SELECT *, 1 AS __SYSTEM_END_AT FROM source", "", "KEYS (id)", "STORED AS BITEMPORAL"),
                ErrorCode.RESERVED_COLUMN,
                3,
                6);
        refused(
                flow("SELECT * FROM source", "", "KEYS (id)", "STORED AS SCD TYPE 2", "TRACK HISTORY ON (age)"),
                ErrorCode.UNKNOWN_COLUMN,
                7,
                19);
    }

    @Test
    void whatMayNotChange() {
        String version = "SELECT v FROM versions WHERE v > coalesce(last_snapshot_version(), 0)";
        lake.run(flow("SELECT * FROM source", version, "KEYS (id)", "STORED AS SCD TYPE 2"));
        refused(
                flow("SELECT * FROM source", "SELECT 'z' AS v", "KEYS (id)", "STORED AS SCD TYPE 2"),
                ErrorCode.FLOW_CHANGED,
                4,
                1);
        refused(flow("SELECT * FROM source", "", "KEYS (id)", "STORED AS SCD TYPE 2"), ErrorCode.FLOW_CHANGED, 3, 6);
        refused(
                flow("SELECT * FROM source", version, "KEYS (id, name)", "STORED AS SCD TYPE 2"),
                ErrorCode.FLOW_CHANGED,
                5,
                1);
        refused(
                flow("SELECT * FROM source", version, "KEYS (id)", "STORED AS BITEMPORAL"),
                ErrorCode.FLOW_CHANGED,
                6,
                1);
        refused(
                flow("SELECT * FROM source", version, "KEYS (id)", "STORED AS SCD TYPE 2", "TRACK HISTORY ON (name)"),
                ErrorCode.FLOW_CHANGED,
                7,
                1);
    }

    @Test
    void flowsIntoOneTargetMustAgreeInTheTypeOfTheirTimes() {
        lake.sql("CREATE TABLE events (id INT, name STRING, at TIMESTAMP)");
        String pipeline = flow("SELECT * FROM source", "SELECT v FROM versions", "KEYS (id)")
                + "\nCREATE FLOW g AS AUTO CDC INTO t FROM STREAM(events) KEYS (id)\nSEQUENCE BY at"
                + " COLUMNS * EXCEPT (at);";
        refused(pipeline, ErrorCode.FLOWS_DISAGREE, 7, 1);
        lake.run(pipeline.replace("WITH VERSION (SELECT v FROM versions)", ""));
        assertThat(lake.rows("t")).containsExactly("1|Ada");
    }
}
