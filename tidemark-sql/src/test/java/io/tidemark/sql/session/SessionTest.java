package io.tidemark.sql.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionTest {
    @TempDir
    Path folder = Path.of("");

    private TestSession session = new TestSession(Path.of("target/unused"));

    @BeforeEach
    void open() {
        session.close();
        session = new TestSession(folder);
    }

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void createInsertSelect() {
        assertThat(session.run("""
                        CREATE TABLE t (id BIGINT NOT NULL COMMENT 'key', name STRING, price DECIMAL(10,2))
                          COMMENT 'things' CLUSTER BY (id);
                        INSERT INTO t VALUES (2, 'b', 2.50), (1, 'it''s', NULL);
                        INSERT INTO t (name, id) SELECT upper(name), id + 10 FROM t;
                        SELECT id, name, price FROM t ORDER BY id;
                        """))
                .containsExactly(
                        "created table t",
                        "inserted 2 rows into t",
                        "inserted 2 rows into t",
                        "1|it's|null",
                        "2|b|2.50",
                        "11|IT'S|null",
                        "12|B|null");
        DeltaTable table = session.table("t");
        assertThat(table.history()).hasSize(3);
        assertThat(table.history().get(1).info().isBlindAppend()).contains(true);
        assertThat(table.history().get(0).info().isBlindAppend()).contains(false);
        assertThat(session.schema("SELECT * FROM t"))
                .isEqualTo("STRUCT<id: BIGINT, name: STRING, price: DECIMAL(10,2)>");
    }

    @Test
    void timeTravel() {
        session.run("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)");
        assertThat(session.run("SELECT count(*) FROM t VERSION AS OF 1")).containsExactly("1");
        assertThat(session.run("SELECT t.a FROM t@v1")).containsExactly("1");
        assertThat(session.run("SELECT x.a, y.a FROM t@v1 AS x JOIN t AS y ON x.a = y.a"))
                .containsExactly("1|1");
        assertThat(session.fault("SELECT *\nFROM t VERSION AS OF 9").render())
                .startsWith("s.sql:2:6: error VERSION_NOT_FOUND");
        assertThat(session.fault("SELECT * FROM t TIMESTAMP AS OF '2001-01-01'").code())
                .isEqualTo(ErrorCode.TIMESTAMP_OUT_OF_RANGE);
    }

    @Test
    void views() {
        session.run("CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (1, 'x'), (2, 'y')");
        assertThat(session.run("CREATE VIEW v (n COMMENT 'number', s) COMMENT 'it''s' AS SELECT * FROM t WHERE a > 1"))
                .containsExactly("created view v");
        session.run("CREATE VIEW s.w AS SELECT n * 10 AS m FROM v");
        assertThat(session.run("SELECT n, s FROM V; SELECT m FROM s.W")).containsExactly("2|y", "20");
        assertThat(session.fault("CREATE VIEW v AS SELECT 1 AS a").code()).isEqualTo(ErrorCode.TABLE_EXISTS);
        assertThat(session.run("CREATE VIEW IF NOT EXISTS v AS SELECT 1 AS a")).containsExactly("view v exists");
        assertThat(session.fault("CREATE VIEW t AS SELECT 1 AS a").code()).isEqualTo(ErrorCode.TABLE_EXISTS);
        assertThat(session.fault("CREATE OR REPLACE VIEW v AS SELECT * FROM s.w")
                        .code())
                .isEqualTo(ErrorCode.GRAPH_CYCLE);
        assertThat(session.fault("CREATE VIEW x (a) AS SELECT 1 AS a, 2 AS b").code())
                .isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        assertThat(session.run("SHOW VIEWS; SHOW VIEWS IN s; DESCRIBE v"))
                .containsExactly("default|v", "s|w", "n|INT|null", "s|STRING|null");
        session.run("CREATE OR REPLACE VIEW v AS SELECT 7 AS n");
        assertThat(session.run("SELECT * FROM s.w")).containsExactly("70");
        assertThat(session.run("DROP VIEW s.w; DROP VIEW IF EXISTS s.w; SHOW VIEWS IN s"))
                .containsExactly("dropped view s.w", "there is no view s.w");
        assertThat(session.fault("DROP VIEW t").code()).isEqualTo(ErrorCode.UNSUPPORTED_STATEMENT);
        assertThat(session.fault("INSERT INTO v VALUES (1)").code()).isEqualTo(ErrorCode.UNSUPPORTED_STATEMENT);
        assertThat(session.fault("SELECT * FROM v VERSION AS OF 0").code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void circlesOfStoredViewsAreFound() throws IOException {
        session.run("CREATE VIEW a AS SELECT 1 AS x; CREATE VIEW b AS SELECT * FROM a");
        Files.writeString(
                folder.resolve("warehouse/_views/default/a.sql"), "CREATE OR REPLACE VIEW a AS SELECT * FROM b");
        TidemarkException fault = session.fault("SELECT * FROM a");
        assertThat(fault.code()).isEqualTo(ErrorCode.GRAPH_CYCLE);
        assertThat(fault.detail().orElse("")).contains("a -> b -> a");
    }

    @Test
    void unknownNames() {
        session.run("CREATE TABLE customers (id INT); CREATE VIEW s.orders AS SELECT 1 AS x");
        assertThat(session.fault("SELECT *\n  FROM custmers").render()).isEqualTo("""
                        s.sql:2:8: error UNKNOWN_TABLE: there is no table or view custmers
                            FROM custmers
                                 ^
                          hint: did you mean customers?""");
        assertThat(session.fault("SELECT * FROM LIVE.nothing@v1").code()).isEqualTo(ErrorCode.UNKNOWN_TABLE);
        assertThat(session.fault("INSERT INTO custmer VALUES (1)").hint().orElse(""))
                .contains("customers");
        assertThat(session.fault("DESCRIBE s.order").hint().orElse("")).contains("s.orders");
        assertThat(session.fault("SELECT * FROM STREAM customers").code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(session.fault("SELECT x FROM customers").code()).isEqualTo(ErrorCode.UNKNOWN_COLUMN);
    }

    @Test
    void tableFromAQuery() {
        session.run("CREATE TABLE t AS SELECT id, CAST(id AS STRING) AS s FROM VALUES (1), (2) AS v(id)");
        assertThat(session.run("SELECT * FROM t ORDER BY id")).containsExactly("1|1", "2|2");
        assertThat(session.table("t").snapshot().version()).isZero();
        assertThat(session.fault("CREATE TABLE t AS SELECT 1 AS a").code()).isEqualTo(ErrorCode.TABLE_EXISTS);
        assertThat(session.run("CREATE TABLE IF NOT EXISTS t (a INT)")).containsExactly("table t exists");
        assertThat(session.fault("CREATE TABLE n AS SELECT NULL AS a").code()).isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        assertThat(session.fault("CREATE TABLE n (a INT) AS SELECT 1").code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(session.fault("CREATE TABLE n").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(session.run("SHOW TABLES")).containsExactly("default|t");
    }

    @Test
    void storeAssignment() {
        session.run("CREATE TABLE t (i INT, d DECIMAL(5,1), s STRING, ts TIMESTAMP, day DATE, f FLOAT)");
        session.run("INSERT INTO t (i, d, s, f) VALUES (CAST(7 AS BIGINT), 1.5, 12, 0.1)");
        session.run("INSERT INTO t (i, ts) VALUES (2.0, DATE '2026-01-02')");
        assertThat(session.run("SELECT i, d, s, ts FROM t ORDER BY i"))
                .containsExactly("2|null|null|2026-01-02T00:00:00Z", "7|1.5|12|null");
        Map<String, ErrorCode> cases = Map.of(
                "INSERT INTO t (i) VALUES ('7')", ErrorCode.SCHEMA_MISMATCH,
                "INSERT INTO t (i) VALUES (true)", ErrorCode.SCHEMA_MISMATCH,
                "INSERT INTO t (day) VALUES ('2026-01-01')", ErrorCode.SCHEMA_MISMATCH,
                "INSERT INTO t (i) VALUES (1.5)", ErrorCode.QUERY_FAILED,
                "INSERT INTO t (d) VALUES (1.25)", ErrorCode.QUERY_FAILED,
                "INSERT INTO t (i) VALUES (5000000000)", ErrorCode.QUERY_FAILED,
                "INSERT INTO t (day) VALUES (TIMESTAMP '2026-01-01 10:00:00')", ErrorCode.QUERY_FAILED,
                "INSERT INTO t VALUES (1)", ErrorCode.SCHEMA_MISMATCH,
                "INSERT INTO t (x) VALUES (1)", ErrorCode.UNKNOWN_COLUMN,
                "INSERT INTO t (i, I) VALUES (1, 2)", ErrorCode.DUPLICATE_NAME);
        cases.forEach(
                (text, code) -> assertThat(session.fault(text).code()).as(text).isEqualTo(code));
        assertThat(session.table("t").latestVersion()).isEqualTo(2);
    }

    @Test
    void valuesBecomeTextAsInSpark() {
        session.run("CREATE TABLE t (a STRING, n STRUCT<x: BIGINT, l: ARRAY<DOUBLE>>)");
        session.run("INSERT INTO t (a) VALUES (1.0E10D), (-0.0D)");
        session.run("INSERT INTO t (a) VALUES (TIMESTAMP '2026-01-02 03:04:05'), (TIMESTAMP '2026-01-02 00:00:00.5')");
        session.run("INSERT INTO t SELECT true, named_struct('x', 1, 'l', array(1, 2))");
        assertThat(session.run("SELECT a, n FROM t"))
                .containsExactlyInAnyOrder(
                        "1.0E10|null",
                        "-0.0|null",
                        "2026-01-02 03:04:05|null",
                        "2026-01-02 00:00:00.5|null",
                        "true|{x=1, l=[1.0, 2.0]}");
        assertThat(session.fault("INSERT INTO t (n) SELECT named_struct('y', 1, 'l', array(1, 2))")
                        .code())
                .isEqualTo(ErrorCode.SCHEMA_MISMATCH);
    }

    @Test
    void sourceFiles() throws IOException {
        Files.createDirectories(folder.resolve("in/sub"));
        Files.writeString(folder.resolve("in/b.csv"), "id,name\n3,c\n");
        Files.writeString(folder.resolve("in/sub/a.csv"), "id,name\n1,a\n2,b\n");
        Files.writeString(folder.resolve("in/_ignored.csv"), "x\n");
        Files.writeString(folder.resolve("e.json"), "{\"id\": 1, \"tags\": [\"x\"]}\n{\"id\": 2}\n");
        assertThat(session.run("SELECT id, name, _metadata.file_name FROM read_files('in') ORDER BY id"))
                .containsExactly("1|a|a.csv", "2|b|a.csv", "3|c|b.csv");
        assertThat(session.run("SELECT count(*) FROM read_files('in/*.csv', format => 'CSV')"))
                .containsExactly("1");
        assertThat(session.run("SELECT count(*) FROM read_files('in/**.csv')")).containsExactly("3");
        assertThat(
                        session.run(
                                "SELECT tags[0], id FROM read_files('e.json', schema => 'id INT, tags ARRAY<STRING>') ORDER BY id"))
                .containsExactly("x|1", "null|2");
        session.run("CREATE TABLE t AS SELECT * FROM read_files('in'); INSERT INTO t SELECT * FROM read_files('in')");
        assertThat(session.run("SELECT count(*) FROM t; SHOW COLUMNS IN t")).containsExactly("6", "id", "name");
        Map<String, ErrorCode> cases = Map.of(
                "SELECT * FROM read_files('nowhere')", ErrorCode.FILE_NOT_FOUND,
                "SELECT * FROM read_files('e.json', format => 'avro')", ErrorCode.UNSUPPORTED_FEATURE,
                "SELECT * FROM read_files('e.json', nonsense => 1)", ErrorCode.INVALID_SETTING,
                "SELECT * FROM read_files('e.json', schema => 'id INTT')", ErrorCode.INVALID_TYPE,
                "SELECT * FROM read_files('e.json', schema => 'id DATE')", ErrorCode.FILE_UNREADABLE);
        cases.forEach(
                (text, code) -> assertThat(session.fault("SELECT 1;\n" + text).render())
                        .as(text)
                        .startsWith("s.sql:2:")
                        .contains(code + ":"));
    }

    @Test
    void insertByName() {
        session.run("CREATE TABLE t (a INT, b STRING NOT NULL, c STRUCT<x: INT NOT NULL>)");
        session.run("INSERT INTO t BY NAME SELECT 'x' AS b, 1 AS a");
        assertThat(session.run("SELECT * FROM t")).containsExactly("1|x|null");
        assertThat(session.fault("INSERT INTO t BY NAME SELECT 'x' AS b, 1 AS aa")
                        .hint()
                        .orElse(""))
                .isEqualTo("did you mean a?");
        assertThat(session.fault("INSERT INTO t BY NAME SELECT 1 AS a").code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
        assertThat(session.fault("INSERT INTO t (a) BY NAME SELECT 1 AS a").code())
                .isEqualTo(ErrorCode.COLUMN_LIST_CONFLICT);
        assertThat(session.fault("INSERT INTO t VALUES (1, 'b', named_struct('x', CAST(NULL AS INT)))")
                        .primary())
                .contains("c.x");
        assertThat(session.run("INSERT INTO t BY NAME SELECT 'x' AS b WHERE false"))
                .containsExactly("inserted 0 rows into t");
        assertThat(session.table("t").latestVersion()).isEqualTo(1);
        assertThat(dataFiles("t")).isEqualTo(1);
    }

    @Test
    void tableProperties() {
        session.run("CREATE TABLE t (a INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true', x = 1)");
        session.run("ALTER TABLE t SET TBLPROPERTIES (delta.isolationLevel = 'Serializable', 'x' = '2')");
        assertThat(session.run("SHOW TBLPROPERTIES t"))
                .contains("delta.isolationLevel|Serializable", "x|2", "delta.enableDeletionVectors|true");
        session.run("ALTER TABLE t UNSET TBLPROPERTIES (x); ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS (x)");
        assertThat(session.run("SHOW TBLPROPERTIES t")).noneMatch(line -> line.startsWith("x|"));
        assertThat(session.fault("ALTER TABLE t UNSET TBLPROPERTIES (x)").code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
        TidemarkException fault = session.fault("ALTER TABLE t SET TBLPROPERTIES (delta.isolationLevl = 'x')");
        assertThat(fault.code()).isEqualTo(ErrorCode.INVALID_SETTING);
        assertThat(fault.hint()).contains("did you mean delta.isolationLevel?");
        assertThat(session.fault("ALTER TABLE t SET TBLPROPERTIES (delta.isolationLevel = 'Snapshot')")
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
        assertThat(session.fault("CREATE TABLE u (a INT) TBLPROPERTIES (delta.nonsense = 1)")
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
        assertThat(session.fault("ALTER TABLE t DROP COLUMN b").code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void showAndDescribe() {
        session.run("CREATE TABLE t (a INT NOT NULL, b STRING COMMENT 'x') COMMENT 'c' CLUSTER BY (a)");
        session.run("CREATE TABLE s.u (a INT); INSERT INTO t VALUES (1, 'x')");
        assertThat(session.run("SHOW SCHEMAS; SHOW TABLES; SHOW TABLES IN S; SHOW COLUMNS IN t"))
                .containsExactly("default", "s", "default|t", "s|u", "a", "b");
        assertThat(session.run("DESCRIBE t")).containsExactly("a|INT NOT NULL|null", "b|STRING|x");
        assertThat(session.run("DESCRIBE EXTENDED t")).contains("Version|1|", "Comment|c|", "Clustering Columns|a|");
        assertThat(session.run("DESCRIBE HISTORY t LIMIT 1"))
                .hasSize(1)
                .first()
                .asString()
                .startsWith("1|");
        assertThat(session.schema("DESCRIBE HISTORY t")).startsWith("STRUCT<version: BIGINT, timestamp: TIMESTAMP");
        assertThat(session.run("DESCRIBE DETAIL t").get(0)).startsWith("delta|").contains("|[a]|1|");
        assertThat(session.run("SET x.y = 'z'; SET x.y; SET spark.sql.ansi.enabled"))
                .containsExactly("x.y = z", "x.y|z", "spark.sql.ansi.enabled|true");
        assertThat(session.fault("SET spark.sql.session.timeZone = 'Europe/Berlin'")
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
    }

    @Test
    void anyNameIsAFolder() {
        session.run("CREATE TABLE `a/../b ü`.`T\"x` (`c d` INT); INSERT INTO `A/../B ü`.`t\"X` VALUES (3)");
        assertThat(session.run("SELECT `c d` FROM `a/../b ü`.`t\"x`")).containsExactly("3");
        assertThat(session.warehouse().location(new TableName("a/../b ü", "t\"x")))
                .endsWith("/warehouse/a%2F%2E%2E%2Fb%20%C3%BC/T%22x");
        assertThat(session.run("SHOW TABLES IN `a/../b ü`")).containsExactly("a/../b ü|T\"x");
    }

    @Test
    void statementsStopAtTheFirstError() {
        TidemarkException fault = session.fault("CREATE TABLE a (x INT);\nSELECT * FROM b;\nCREATE TABLE c (x INT)");
        assertThat(fault.location().orElseThrow().line()).isEqualTo(2);
        assertThat(session.run("SHOW TABLES")).containsExactly("default|a");
        assertThat(session.fault("CREATE TABLE d (x INT); SELCT 1").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(session.run("SHOW TABLES")).containsExactly("default|a", "default|d");
        for (String text : List.of(
                "CREATE STREAMING TABLE x",
                "CREATE FLOW f AS INSERT INTO a SELECT 1",
                "APPLY CHANGES INTO a FROM b KEYS (x) SEQUENCE BY x")) {
            assertThat(session.fault(text).code()).as(text).isEqualTo(ErrorCode.UNSUPPORTED_STATEMENT);
        }
    }

    @Test
    void bareValues() {
        assertThat(session.run("VALUES (1, 'a')")).containsExactly("1|a");
        assertThat(session.run("WITH x AS (SELECT 2 AS a) SELECT a FROM x")).containsExactly("2");
    }

    private long dataFiles(String table) {
        try (var files = Files.list(Path.of(session.table(table).location()))) {
            return files.filter(file -> file.toString().endsWith(".parquet")).count();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
