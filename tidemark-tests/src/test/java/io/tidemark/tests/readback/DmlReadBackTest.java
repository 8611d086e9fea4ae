package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.Snapshot;
import io.tidemark.tests.pipeline.Lake;
import io.tidemark.tests.spark.SparkSessions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables that statements changed are read alike by Tidemark, by Delta Kernel and by Spark, and so are their changes. */
class DmlReadBackTest {
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

    private void readersAgree(String name, int rows) {
        Snapshot snapshot = lake.table(name).snapshot();
        RowBag ours = new RowBag();
        lake.query(
                "SELECT * FROM " + name,
                found -> found.rows().forEach(row -> {
                    ours.add(RowTexts.ofEngine(row, snapshot.schema()));
                    return true;
                }));
        assertThat(ours.count()).isEqualTo(rows);
        Path table = folder.resolve("warehouse/default").resolve(name);
        Readers.kernel(table, snapshot.schema()).assertSameAs(ours, name + " read by Delta Kernel");
        Readers.spark(table, snapshot.schema()).assertSameAs(ours, name + " read by Spark");
    }

    @Test
    void partitionValuesOfAllTypes() {
        lake.sql("""
                CREATE TABLE t (id INT, a BOOLEAN, b TIMESTAMP, c TIMESTAMP_NTZ, d DECIMAL(10, 3), e DOUBLE, f BIGINT,
                  `s s` STRING, y DATE) PARTITIONED BY (a, b, c, d, e, f, `s s`, y)
                  TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
                INSERT INTO t VALUES
                  (1, true, TIMESTAMP '2020-01-02 03:04:05.000006', TIMESTAMP_NTZ '1969-12-31 23:59:59.5', 1.25,
                   0.1D, -7, 'ü "%=/:\\\\''😀 {x}', DATE '1582-10-04'),
                  (2, false, TIMESTAMP '1955-11-05 06:15:00', TIMESTAMP_NTZ '2026-03-29 02:30:00', -0.001,
                   CAST('NaN' AS DOUBLE), 9223372036854775807, 'a b', DATE '0001-01-01'),
                  (3, NULL, NULL, NULL, NULL, NULL, NULL, '', NULL),
                  (4, true, TIMESTAMP '2020-01-02 03:04:05.000006', TIMESTAMP_NTZ '1969-12-31 23:59:59.5', 1.25,
                   1e30D, -7, '.', DATE '2020-02-29');
                INSERT INTO t SELECT id + 10, a, b, c, d, e, f, `s s`, y FROM t;
                UPDATE t SET y = DATE '2021-01-01' WHERE id = 11;
                DELETE FROM t WHERE b = TIMESTAMP '1955-11-05 06:15:00' AND id = 12;
                """);
        readersAgree("t", 7);
    }

    @Test
    void widenedTypes() {
        lake.sql("CREATE TABLE t (a TINYINT, b INT, c FLOAT, d DECIMAL(5, 2), e DATE, f INT)"
                + " TBLPROPERTIES ('delta.enableTypeWidening' = 'true'); INSERT INTO t VALUES"
                + " (1, 2, 1.5, 3.25, DATE '2020-02-29', 7), (NULL, NULL, NULL, NULL, NULL, NULL);"
                + " ALTER TABLE t ALTER COLUMN a TYPE INT; ALTER TABLE t ALTER COLUMN a TYPE BIGINT;"
                + " ALTER TABLE t ALTER COLUMN b TYPE DOUBLE; ALTER TABLE t ALTER COLUMN c TYPE DOUBLE;"
                + " ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10, 4); ALTER TABLE t ALTER COLUMN f TYPE DECIMAL(12, 1);"
                + " ALTER TABLE t ALTER COLUMN e TYPE TIMESTAMP_NTZ; ALTER TABLE t ADD COLUMN g STRUCT<x: INT>;"
                + " INSERT INTO t VALUES (5000000000, 0.5, 0.1, 12345.6789, TIMESTAMP_NTZ '2021-01-01 12:00:00', 1.5, NULL);"
                + " UPDATE t SET a = a + 1 WHERE f = 1.5");
        readersAgree("t", 3);
    }

    /** A checkpoint must not say of a file both that it was removed and that it is there. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void filesThatARestoreBroughtBackAreInTheCheckpoint(boolean vectors) {
        lake.sql("CREATE TABLE t (id INT) TBLPROPERTIES ('delta.checkpointInterval' = '6',"
                + " 'delta.enableDeletionVectors' = '" + vectors + "')");
        lake.sql("INSERT INTO t VALUES (1), (2), (3); DELETE FROM t WHERE id = 2; DELETE FROM t WHERE id = 3;"
                + " DELETE FROM t WHERE id > 0");
        lake.sql("RESTORE t TO VERSION AS OF 2; INSERT INTO t VALUES (4)");
        assertThat(folder.resolve("warehouse/default/t/_delta_log/%020d.checkpoint.parquet".formatted(6)))
                .exists();
        readersAgree("t", 3);
        lake.sql("RESTORE t TO VERSION AS OF 1");
        for (int i = 8; i <= 12; i++) {
            lake.sql("ALTER TABLE t SET TBLPROPERTIES ('step' = '" + i + "')");
        }
        readersAgree("t", 3);
    }

    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void changesAddUpToTheRows(boolean vectors, boolean partitioned) {
        lake.sql("CREATE TABLE t (id INT, p STRING, v INT)" + (partitioned ? " PARTITIONED BY (p)" : "")
                + " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '" + vectors
                + "'); INSERT INTO t SELECT id, IF(id % 3 = 0, NULL, concat('p', id % 3)), id * 10 FROM range(20)");
        lake.sql("UPDATE t SET v = v + 1, p = 'moved' WHERE id IN (1, 2, 3)");
        lake.sql("DELETE FROM t WHERE id = 5");
        lake.sql("DELETE FROM t WHERE id >= 6 AND id < 18");
        lake.sql("""
                MERGE INTO t USING (SELECT * FROM VALUES (1, 'm', 7), (4, 'm', 8), (40, 'm', 9) AS x(id, p, v)) s
                ON t.id = s.id
                WHEN MATCHED AND s.id = 4 THEN DELETE WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
                WHEN NOT MATCHED BY SOURCE AND t.id = 19 THEN UPDATE SET v = NULL
                """);
        lake.sql("INSERT OVERWRITE t SELECT id, p, v + 1 FROM t WHERE id < 30");
        readersAgree("t", 6);
        List<String> rows = new ArrayList<>();
        List<String> kinds = new ArrayList<>();
        List<Row> changes = SparkSessions.get()
                .read()
                .format("delta")
                .option("readChangeFeed", "true")
                .option("startingVersion", "0")
                .load(folder.resolve("warehouse/default/t").toString())
                .selectExpr(
                        "_commit_version",
                        "_change_type",
                        "concat_ws('|', coalesce(string(id), 'null'), coalesce(p, 'null'), coalesce(string(v), 'null'))")
                .orderBy("_commit_version", "_change_type")
                .collectAsList();
        for (Row change : changes) {
            String kind = change.getString(1);
            kinds.add(change.getLong(0) + " " + kind);
            if (kind.equals("insert") || kind.equals("update_postimage")) {
                rows.add(change.getString(2));
            } else {
                assertThat(rows.remove(change.getString(2)))
                        .as(change.toString())
                        .isTrue();
            }
        }
        assertThat(rows).containsExactlyInAnyOrderElementsOf(lake.rows("t"));
        assertThat(kinds.stream().filter("2 update_preimage"::equals)).hasSize(3);
        assertThat(kinds.stream().filter(kind -> kind.startsWith("3 "))).containsExactly("3 delete");
        assertThat(kinds.stream().filter(kind -> kind.startsWith("4 "))).hasSize(12);
        assertThat(kinds.stream().filter(kind -> kind.startsWith("5 ")))
                .containsExactlyInAnyOrder(
                        "5 delete",
                        "5 insert",
                        "5 update_preimage",
                        "5 update_preimage",
                        "5 update_postimage",
                        "5 update_postimage");
    }
}
