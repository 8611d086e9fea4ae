package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PartitionedTableTest extends ShellTest {
    @Test
    void insertSelectAndChange() {
        shell.run("""
                CREATE TABLE t (id INT, region STRING, day DATE, v INT) PARTITIONED BY (region, day)
                  TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
                INSERT INTO t VALUES (1, 'a', DATE '2020-01-01', 10), (2, 'a', DATE '2020-01-01', 20),
                  (3, 'b/c%', NULL, 30), (4, '', DATE '2020-01-02', 40), (5, NULL, DATE '2020-01-02', 50);
                """);
        Snapshot table = shell.table("t").snapshot();
        assertThat(table.partitionColumns()).containsExactly("region", "day");
        assertThat(table.files()).hasSize(3);
        assertThat(table.files().stream().map(DataFile::path).toList())
                .anyMatch(path -> path.startsWith("region=a/day=2020-01-01/part-"))
                .anyMatch(path -> path.startsWith("region=b%252Fc%2525/day=__HIVE_DEFAULT_PARTITION__/"))
                .anyMatch(path -> path.startsWith("region=__HIVE_DEFAULT_PARTITION__/day=2020-01-02/"));
        assertThat(shell.rows("t"))
                .containsExactly(
                        "1|a|2020-01-01|10",
                        "2|a|2020-01-01|20",
                        "3|b/c%|null|30",
                        "4|null|2020-01-02|40",
                        "5|null|2020-01-02|50");
        shell.run("UPDATE t SET region = 'z', v = v + 1 WHERE id IN (1, 4)");
        shell.run("DELETE FROM t WHERE region = 'a'");
        shell.run(
                "MERGE INTO t USING (SELECT 3 AS id, 'q' AS r) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET region = r");
        assertThat(shell.rows("t"))
                .containsExactly("1|z|2020-01-01|11", "3|q|null|30", "4|z|2020-01-02|41", "5|null|2020-01-02|50");
        shell.run("INSERT OVERWRITE t VALUES (9, 'o', DATE '2030-01-01', 1)");
        assertThat(shell.rows("t")).containsExactly("9|o|2030-01-01|1");
    }

    @Test
    void anEmptyTextIsNoValueOfAPartitionThatIsNotNull() {
        shell.run("CREATE TABLE t (id INT, p STRING NOT NULL) PARTITIONED BY (p); INSERT INTO t VALUES (1, 'a')");
        for (String statement : List.of(
                "INSERT INTO t VALUES (2, 'b'), (3, '')",
                "UPDATE t SET p = '' WHERE id = 1",
                "MERGE INTO t USING (SELECT 3 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id, p) VALUES (3, '')")) {
            assertThat(shell.fault(statement).render())
                    .contains("NOT_NULL_VIOLATED", "column p is NOT NULL", "empty text", "p = ''");
        }
        assertThat(shell.rows("t")).containsExactly("1|a");
    }

    @Test
    void onlyFilesThatMayMatchAreTouched() {
        shell.run("CREATE TABLE t (id INT, p INT) PARTITIONED BY (p); INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)");
        List<String> before = paths();
        shell.run("UPDATE t SET id = id + 10 WHERE p = 2");
        assertThat(paths()).hasSize(3).filteredOn(before::contains).hasSize(2);
        assertThat(shell.rows("t")).containsExactly("12|2", "1|1", "3|3");
    }

    @Test
    void valuesOfAllTypes() {
        shell.run(
                "CREATE TABLE t (v INT, a BOOLEAN, b TIMESTAMP, c TIMESTAMP_NTZ, d DECIMAL(10, 3), e DOUBLE, f BIGINT)"
                        + " PARTITIONED BY (a, b, c, d, e, f)");
        shell.run("INSERT INTO t VALUES (1, true, TIMESTAMP '2020-01-02 03:04:05.000006',"
                + " TIMESTAMP_NTZ '1969-12-31 23:59:59.5', 1.25, CAST('NaN' AS DOUBLE), -7)");
        Map<String, String> values = shell.table("t").snapshot().files().get(0).partitionValues();
        assertThat(values)
                .containsEntry("a", "true")
                .containsEntry("b", "2020-01-02T03:04:05.000006Z")
                .containsEntry("c", "1969-12-31 23:59:59.500000")
                .containsEntry("d", "1.250")
                .containsEntry("e", "NaN")
                .containsEntry("f", "-7");
        assertThat(shell.rows("t"))
                .containsExactly("1|true|2020-01-02T03:04:05.000006Z|1969-12-31T23:59:59.500|1.250|NaN|-7");
        assertThat(shell.run("SELECT v FROM t WHERE b = TIMESTAMP '2020-01-02 03:04:05.000006' AND a"))
                .containsExactly("1");
    }

    @Test
    void createAsSelectAndFaults() {
        shell.run("CREATE TABLE t PARTITIONED BY (P) AS SELECT id, id % 3 AS p FROM range(10)");
        assertThat(shell.table("t").snapshot().files()).hasSize(3);
        assertThat(shell.run("SELECT p, count(*) FROM t GROUP BY p ORDER BY p")).containsExactly("0|4", "1|3", "2|3");
        assertThat(shell.fault("CREATE TABLE u (a INT) PARTITIONED BY (b)").code())
                .isEqualTo(ErrorCode.UNKNOWN_COLUMN);
        assertThat(shell.fault("CREATE TABLE u (a INT) PARTITIONED BY (a)").code())
                .isEqualTo(ErrorCode.TABLE_SCHEMA_INVALID);
        assertThat(shell.fault("CREATE TABLE u (a INT, b INT) PARTITIONED BY (a) CLUSTER BY (b)")
                        .code())
                .isEqualTo(ErrorCode.TABLE_SCHEMA_INVALID);
    }

    private List<String> paths() {
        return shell.table("t").snapshot().files().stream().map(DataFile::path).toList();
    }
}
