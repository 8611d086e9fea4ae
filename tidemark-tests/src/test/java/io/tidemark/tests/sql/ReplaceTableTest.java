package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.Snapshot;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** CREATE OR REPLACE TABLE gives a table another definition and other rows in one commit; its history stays. */
class ReplaceTableTest extends ShellTest {
    private void table() {
        shell.run("""
                CREATE TABLE t (id INT, v STRING) CLUSTER BY (id) COMMENT 'old' TBLPROPERTIES ('owner' = 'me');
                INSERT INTO t VALUES (1, 'a'), (2, 'b');
                """);
    }

    @Test
    void theDefinitionIsReplacedAndTheHistoryStays() {
        table();
        String id = shell.table("t").snapshot().tableId();
        assertThat(shell.say("CREATE OR REPLACE TABLE t (day DATE NOT NULL, n BIGINT) PARTITIONED BY (day)"))
                .containsExactly("replaced table t");
        Snapshot now = shell.table("t").snapshot();
        assertThat(now.version()).isEqualTo(2);
        assertThat(now.tableId()).isEqualTo(id);
        assertThat(now.schema().names()).containsExactly("day", "n");
        assertThat(now.partitionColumns()).containsExactly("day");
        assertThat(now.clusteringColumns()).isEmpty();
        assertThat(now.properties()).doesNotContainKey("owner");
        assertThat(now.description()).isEmpty();
        assertThat(shell.rows("t")).isEmpty();
        assertThat(shell.table("t").history(1).get(0).operation()).contains("CREATE OR REPLACE TABLE");
        assertThat(shell.run("SELECT * FROM t VERSION AS OF 1 ORDER BY id")).containsExactly("1|a", "2|b");
        shell.run("INSERT INTO t VALUES (DATE '2026-01-01', 7)");
        assertThat(shell.rows("t")).containsExactly("2026-01-01|7");
        shell.run("RESTORE t TO VERSION AS OF 1");
        assertThat(shell.rows("t")).containsExactly("1|a", "2|b");
        assertThat(shell.table("t").snapshot().clusteringColumns()).containsExactly("id");
    }

    @Test
    void aQueryMayReadTheTableThatItReplaces() {
        table();
        shell.run("CREATE OR REPLACE TABLE t CLUSTER BY (w) AS SELECT id * 10 AS w, v AS name FROM t WHERE id > 1");
        assertThat(shell.version("t")).isEqualTo(2);
        assertThat(shell.rows("t")).containsExactly("20|b");
        assertThat(shell.table("t").snapshot().clusteringColumns()).containsExactly("w");
        assertThat(shell.table("t").history(1).get(0).operation()).contains("CREATE OR REPLACE TABLE AS SELECT");
        assertThat(shell.fault("CREATE OR REPLACE TABLE t AS SELECT 1 / 'x' AS q FROM t")
                        .code())
                .isNotEqualTo(ErrorCode.INTERNAL);
        assertThat(shell.version("t")).isEqualTo(2);
    }

    @Test
    void replaceAloneNeedsATable() {
        table();
        shell.run("REPLACE TABLE t AS SELECT 5 AS five");
        assertThat(shell.rows("t")).containsExactly("5");
        shell.run("REPLACE TABLE t (a INT) COMMENT 'new'");
        assertThat(shell.table("t").snapshot().description()).contains("new");
        assertThat(shell.table("t").history(2).stream()
                        .map(record -> record.operation().orElseThrow()))
                .containsExactly("REPLACE TABLE", "REPLACE TABLE AS SELECT");
        assertThat(shell.fault("REPLACE TABLE nothing (a INT)").render()).contains("UNKNOWN_TABLE", "nothing", "1:1");
        assertThat(shell.fault("REPLACE TABLE t").render()).contains("SYNTAX_ERROR", "neither columns nor a query");
    }

    @Test
    void aTableThatIsNotThereIsMade() {
        shell.run("CREATE OR REPLACE TABLE fresh AS SELECT 1 AS a; CREATE OR REPLACE TABLE empty (a INT)");
        assertThat(shell.rows("fresh")).containsExactly("1");
        assertThat(shell.rows("empty")).isEmpty();
        assertThat(shell.version("fresh")).isZero();
    }

    @Test
    void whatCannotBeReplacedIsRefused() {
        table();
        shell.run("CREATE VIEW v AS SELECT 1 AS a");
        assertThat(shell.fault("CREATE OR REPLACE TABLE v (a INT)").code()).isEqualTo(ErrorCode.TABLE_EXISTS);
        assertThat(shell.fault("CREATE OR REPLACE TABLE IF NOT EXISTS t (a INT)")
                        .render())
                .contains("SYNTAX_ERROR", "exclude each other", "1:25");
        assertThat(shell.fault("CREATE TABLE t (a INT)").code()).isEqualTo(ErrorCode.TABLE_EXISTS);
        shell.run("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'true')");
        assertThat(shell.fault("CREATE OR REPLACE TABLE t (a INT)").code())
                .isEqualTo(ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertThat(shell.rows("t")).containsExactly("1|a", "2|b");
    }

    @Test
    void rowsThatComeInBetweenAreReplacedToo() {
        table();
        boolean[] done = new boolean[1];
        shell.session().beforeCommit(() -> {
            if (!done[0]) {
                done[0] = true;
                table2();
            }
        });
        shell.run("CREATE OR REPLACE TABLE t AS SELECT count(*) AS n FROM t");
        assertThat(shell.rows("t")).as("the statement ran again").containsExactly("3");
        assertThat(shell.version("t")).isEqualTo(3);
    }

    private void table2() {
        shell.another().run("INSERT INTO t VALUES (3, 'c')");
    }

    @Test
    void tablesOfPipelinesAreNotReplaced(@TempDir Path folder) {
        try (Lake lake = new Lake(folder)) {
            lake.file("in/1.csv", "id,v", "1,a");
            lake.run("""
                    CREATE STREAMING TABLE t;
                    CREATE FLOW t AS INSERT INTO t BY NAME
                    SELECT * FROM STREAM read_files('in/*.csv', schema => 'id INT, v STRING');
                    CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t;
                    """);
            for (String name : List.of("t", "m")) {
                TidemarkException fault = catchThrowableOfType(
                        TidemarkException.class, () -> lake.sql("CREATE OR REPLACE TABLE " + name + " (a INT)"));
                assertThat(fault.code()).isEqualTo(ErrorCode.UNSUPPORTED_STATEMENT);
                assertThat(fault.render()).contains("written by a pipeline", "1:1");
            }
            assertThat(lake.rows("t")).containsExactly("1|a");
        }
    }
}
