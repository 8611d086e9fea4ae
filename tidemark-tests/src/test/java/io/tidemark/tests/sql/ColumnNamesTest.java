package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Columns with names that readers, writers or statements use themselves: the rows are right, or the name is refused. */
class ColumnNamesTest {
    private static final String VECTORS = " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')";

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

    private void refused(String sql) {
        TidemarkException failure = Assertions.catchThrowableOfType(TidemarkException.class, () -> lake.sql(sql));
        assertThat(failure).as(sql).isNotNull();
        assertThat(failure.code()).isEqualTo(ErrorCode.RESERVED_COLUMN);
    }

    @Test
    void columnsThatTheReaderAddsByItself() {
        for (String properties : new String[] {VECTORS, ""}) {
            lake.sql("CREATE OR REPLACE TABLE t (id INT, file_row_number INT, file_index INT, filename STRING)"
                    + properties);
            lake.sql("INSERT INTO t SELECT id, 0, 0, 'x' FROM range(10)");
            lake.sql("DELETE FROM t WHERE id = 0");
            lake.sql("UPDATE t SET file_row_number = 3 WHERE id = 4");
            lake.sql("MERGE INTO t USING (SELECT 5 AS id) AS s ON t.id = s.id WHEN MATCHED THEN DELETE");
            assertThat(lake.sql("SELECT id, file_row_number FROM t ORDER BY id"))
                    .containsExactly("1|0", "2|0", "3|0", "4|3", "6|0", "7|0", "8|0", "9|0");
            lake.sql("OPTIMIZE t");
            assertThat(lake.sql("SELECT count(*) FROM t")).containsExactly("8");
        }
    }

    @Test
    void aFlowOverSuchColumns() {
        lake.sql("CREATE TABLE ev (id INT, file_row_number INT, seq INT)");
        lake.sql("INSERT INTO ev SELECT id, 0, 1 FROM range(10)");
        String pipeline = "CREATE OR REFRESH STREAMING TABLE x;"
                + " CREATE FLOW x AS AUTO CDC INTO x FROM STREAM(ev) KEYS (id) SEQUENCE BY seq STORED AS SCD TYPE 1;";
        lake.run(pipeline);
        lake.sql("INSERT INTO ev VALUES (3, 5, 2)");
        lake.run(pipeline);
        assertThat(lake.sql("SELECT count(*), sum(file_row_number) FROM x")).containsExactly("10|5");
    }

    @Test
    void columnsThatStatementsAddAreRefusedBeforeARowIsLost() {
        lake.sql("CREATE TABLE t (`__file` INT, `__row` INT, name STRING)" + VECTORS);
        lake.sql("INSERT INTO t VALUES (0, 2, 'a'), (0, 1, 'b'), (0, 0, 'c')");
        refused("DELETE FROM t WHERE name = 'a'");
        refused("UPDATE t SET name = 'z'");
        refused("MERGE INTO t USING (SELECT 'a' AS name) AS s ON t.name = s.name WHEN MATCHED THEN DELETE");
        assertThat(lake.sql("SELECT name FROM t ORDER BY name")).containsExactly("a", "b", "c");
    }

    @Test
    void aSourceOfMergeWithTheNameOfItsRowNumber() {
        lake.sql("CREATE TABLE t (id INT)");
        lake.sql("INSERT INTO t VALUES (1), (2)");
        refused("MERGE INTO t USING (SELECT 1 AS id, 0 AS `__source_row` UNION ALL SELECT 4, 0) AS s ON t.id = s.id"
                + " WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)");
        assertThat(lake.sql("SELECT id FROM t ORDER BY id")).containsExactly("1", "2");
    }

    @Test
    void partitionsBesideAColumnWithTheNameOfTheirText() {
        lake.sql("CREATE TABLE t (id INT, `__partition_0` INT, p STRING) PARTITIONED BY (p)");
        lake.sql("INSERT INTO t VALUES (1, 1, 'p1'), (2, 2, 'p2')");
        assertThat(lake.sql("SELECT * FROM t ORDER BY id")).containsExactly("1|1|p1", "2|2|p2");
    }

    @Test
    void changesOfATableWithTheFeedsInternalColumnsAreRefused() {
        lake.sql("CREATE TABLE t (id INT, `__feed_file` INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
        lake.sql("INSERT INTO t VALUES (1, 5), (2, 0)");
        refused("SELECT * FROM table_changes('t', 0)");
    }

    @Test
    void anAppendOnlyTableIsNotRestoredToAVersionWithoutTheProperty() {
        lake.sql("CREATE TABLE t (id INT)");
        lake.sql("INSERT INTO t VALUES (1)");
        lake.sql("INSERT INTO t VALUES (2)");
        lake.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.appendOnly' = 'true')");
        TidemarkException failure = Assertions.catchThrowableOfType(
                TidemarkException.class, () -> lake.sql("RESTORE t TO VERSION AS OF 1"));
        assertThat(failure.code()).isEqualTo(ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertThat(lake.sql("SELECT count(*) FROM t")).containsExactly("2");
    }

    @Test
    void propertiesWithValuesThatMeanNothingAreRefused() {
        lake.sql("CREATE TABLE t (id INT)");
        for (String property : new String[] {
            "'delta.dataSkippingNumIndexedCols' = 'x'",
            "'delta.deletedFileRetentionDuration' = 'nonsense'",
            "'delta.deletedFileRetentionDuration' = 'interval -1 days'",
            "'delta.logRetentionDuration' = '30'",
            "'delta.targetFileSize' = '-5'",
            "'delta.autoOptimize.autoCompact' = 'x'"
        }) {
            TidemarkException failure = Assertions.catchThrowableOfType(
                    TidemarkException.class, () -> lake.sql("ALTER TABLE t SET TBLPROPERTIES (" + property + ")"));
            assertThat(failure).as(property).isNotNull();
            assertThat(failure.code()).isEqualTo(ErrorCode.INVALID_SETTING);
        }
        lake.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 30 days',"
                + " 'delta.targetFileSize' = '128mb', 'delta.dataSkippingNumIndexedCols' = '-1')");
    }
}
