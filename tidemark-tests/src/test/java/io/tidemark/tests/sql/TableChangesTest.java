package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Statements that change tables as wholes: overwrite, truncate, drop and alter. */
class TableChangesTest extends ShellTest {
    @Test
    void overwrite() {
        shell.run("CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (1, 'x'), (2, 'y')");
        assertThat(shell.say("INSERT OVERWRITE t SELECT a + 10, b FROM t WHERE a = 1"))
                .containsExactly("overwrote t with 1 row");
        assertThat(shell.rows("t")).containsExactly("11|x");
        assertThat(shell.table("t").history().get(0).info().operationParameters())
                .containsEntry("mode", "Overwrite");
        assertThat(shell.table("t").history().get(0).info().isBlindAppend()).contains(false);
        shell.run("INSERT OVERWRITE TABLE t (b) VALUES ('z')");
        assertThat(shell.rows("t")).containsExactly("null|z");
        assertThat(shell.say("INSERT OVERWRITE t SELECT * FROM t WHERE false"))
                .containsExactly("overwrote t with 0 rows");
        assertThat(shell.rows("t")).isEmpty();
    }

    @Test
    void drop() {
        shell.run("CREATE TABLE s.t (a INT); INSERT INTO s.t VALUES (1); CREATE VIEW v AS SELECT 1 AS a");
        assertThat(shell.fault("DROP TABLE s.u").code()).isEqualTo(ErrorCode.UNKNOWN_TABLE);
        assertThat(shell.fault("DROP TABLE v").code()).isEqualTo(ErrorCode.UNSUPPORTED_STATEMENT);
        assertThat(shell.say("DROP TABLE s.T; DROP TABLE IF EXISTS s.t"))
                .containsExactly("dropped table s.T", "there is no table s.t");
        assertThat(Files.exists(folder.resolve(Path.of("warehouse", "s", "t")))).isFalse();
        shell.run("CREATE TABLE s.t (b STRING); INSERT INTO s.t VALUES ('new')");
        assertThat(shell.rows("s.t")).containsExactly("new");
    }

    @Test
    void addColumns() {
        shell.run("CREATE TABLE t (a INT); INSERT INTO t VALUES (1);"
                + " ALTER TABLE t ADD COLUMN b STRING COMMENT 'second';"
                + " ALTER TABLE t ADD COLUMNS (c STRUCT<x: INT>, `d e` DATE);"
                + " INSERT INTO t VALUES (2, 'b', named_struct('x', 1), DATE '2020-01-01')");
        assertThat(shell.run("SELECT a, b, c.x, `d e` FROM t ORDER BY a"))
                .containsExactly("1|null|null|null", "2|b|1|2020-01-01");
        assertThat(shell.run("DESCRIBE t")).contains("b|STRING|second");
        shell.run("UPDATE t SET b = 'late' WHERE a = 1; DELETE FROM t WHERE c IS NOT NULL");
        assertThat(shell.rows("t")).containsExactly("1|late|null|null");
        assertThat(shell.fault("ALTER TABLE t ADD COLUMN A INT").code()).isEqualTo(ErrorCode.DUPLICATE_NAME);
        assertThat(shell.fault("ALTER TABLE t ADD COLUMN z INT NOT NULL").code())
                .isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(shell.table("t").history().get(3).operation()).contains("ADD COLUMNS");
    }

    @Test
    void widenTypes() {
        shell.run(
                "CREATE TABLE t (a TINYINT, b INT, c FLOAT, d DECIMAL(5, 2), e DATE, f INT, g BIGINT);"
                        + " INSERT INTO t VALUES (1, 2, 1.5, 3.25, DATE '2020-02-29', 7, 8), (NULL, NULL, NULL, NULL, NULL, NULL, NULL)");
        assertThat(shell.fault("ALTER TABLE t ALTER COLUMN b TYPE BIGINT").code())
                .isEqualTo(ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        shell.run("ALTER TABLE t SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')");
        assertThat(shell.fault("ALTER TABLE t ALTER COLUMN b TYPE SMALLINT").render())
                .startsWith("s.sql:1:28: error SCHEMA_MISMATCH");
        assertThat(shell.fault("ALTER TABLE t ALTER COLUMN g TYPE DECIMAL(18, 0)")
                        .code())
                .isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        shell.run(
                "ALTER TABLE t ALTER COLUMN a TYPE INT; ALTER TABLE t ALTER COLUMN a TYPE BIGINT;"
                        + " ALTER TABLE t ALTER COLUMN b TYPE DOUBLE; ALTER TABLE t ALTER COLUMN c TYPE DOUBLE;"
                        + " ALTER TABLE t ALTER COLUMN d TYPE DECIMAL(10, 4); ALTER TABLE t ALTER COLUMN e TYPE TIMESTAMP_NTZ;"
                        + " ALTER TABLE t ALTER COLUMN f TYPE DECIMAL(12, 1); ALTER TABLE t ALTER COLUMN g TYPE DECIMAL(20, 0)");
        shell.run(
                "INSERT INTO t VALUES (5000000000, 0.5, 0.1, 12345.6789, TIMESTAMP_NTZ '2021-01-01 12:00:00', 1.5, 9)");
        assertThat(shell.run("SELECT * FROM t ORDER BY a"))
                .containsExactly(
                        "null|null|null|null|null|null|null",
                        "1|2.0|1.5|3.2500|2020-02-29T00:00|7.0|8",
                        "5000000000|0.5|0.1|12345.6789|2021-01-01T12:00|1.5|9");
        assertThat(shell.run("SELECT a FROM t WHERE e = TIMESTAMP_NTZ '2020-02-29 00:00:00'"))
                .containsExactly("1");
        assertThat(shell.say("UPDATE t SET b = b + 0.25 WHERE e < TIMESTAMP_NTZ '2020-03-01 00:00:00' AND f = 7"))
                .containsExactly("updated 1 row in t");
        assertThat(shell.table("t").snapshot().protocol().writerFeatures()).contains("typeWidening");
        assertThat(shell.table("t")
                        .snapshot()
                        .schema()
                        .field("a")
                        .orElseThrow()
                        .metadata()
                        .get("delta.typeChanges"))
                .asString()
                .contains("byte", "integer", "long");
    }

    @Test
    void nullability() {
        shell.run("CREATE TABLE t (a INT, b INT NOT NULL); INSERT INTO t VALUES (NULL, 1), (2, 2)");
        assertThat(shell.fault("ALTER TABLE t ALTER COLUMN a SET NOT NULL").code())
                .isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
        shell.run("UPDATE t SET a = 0 WHERE a IS NULL; ALTER TABLE t ALTER COLUMN a SET NOT NULL;"
                + " ALTER TABLE t ALTER COLUMN b DROP NOT NULL; INSERT INTO t VALUES (3, NULL)");
        assertThat(shell.fault("INSERT INTO t VALUES (NULL, 1)").code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
        assertThat(shell.rows("t")).containsExactly("0|1", "2|2", "3|null");
    }

    @Test
    void comments() {
        shell.run("CREATE TABLE t (a INT); COMMENT ON TABLE t IS 'it''s'; ALTER TABLE t ALTER COLUMN a COMMENT 'key'");
        assertThat(shell.table("t").snapshot().description()).contains("it's");
        assertThat(shell.run("DESCRIBE t")).containsExactly("a|INT|key");
        shell.run("COMMENT ON TABLE t IS NULL");
        assertThat(shell.table("t").snapshot().description()).isEmpty();
        assertThat(shell.fault("ALTER TABLE t ALTER COLUMN b COMMENT 'x'").code())
                .isEqualTo(ErrorCode.UNKNOWN_COLUMN);
    }
}
