package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a query may not do: anything but read the relations that it is given. */
class LockdownTest {
    @TempDir
    Path folder;

    private DuckDbEngine engine;

    @BeforeEach
    void open() {
        engine = EngineFixture.open(folder);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private TidemarkException refused(String sql) {
        QueryText query = new QueryText(sql, new TextLocation("q.sql", 1, 1));
        TidemarkException listed = failure(() -> engine.relationsOf(query));
        TidemarkException prepared = failure(() -> engine.prepare(query, (parts, location) -> {
            throw TidemarkException.of(ErrorCode.UNKNOWN_TABLE, "there is no " + parts)
                    .at(location)
                    .build();
        }));
        if (prepared.code() != ErrorCode.UNKNOWN_TABLE) {
            assertThat(listed.code()).isEqualTo(prepared.code());
        }
        return prepared;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COPY t TO 'x'",
                "ATTACH 'x.db'",
                "INSTALL httpfs",
                "LOAD httpfs",
                "PRAGMA version",
                "SET threads = 1",
                "CREATE TABLE x AS SELECT 1",
                "INSERT INTO t VALUES (1)",
                "DELETE FROM t",
                "EXPORT DATABASE 'x'",
                "CALL duckdb_functions()",
                "SUMMARIZE t",
                "DESCRIBE t",
                "EXPLAIN SELECT 1",
                "SHOW TABLES",
                "",
                "SELECT 1; DROP TABLE t",
                "SELECT 1; SELECT 2",
            })
    void onlyOneSelect(String sql) {
        assertThat(refused(sql).code()).isEqualTo(ErrorCode.QUERY_NOT_SELECT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM 'x.parquet'",
                "SELECT * FROM t JOIN \"x.csv\" ON true",
                "SELECT * FROM read_csv('x')",
                "SELECT * FROM read_parquet('x')",
                "SELECT * FROM read_json('x')",
                "SELECT * FROM read_text('/etc/passwd')",
                "SELECT * FROM read_blob('/etc/passwd')",
                "SELECT * FROM glob('*')",
                "SELECT * FROM sniff_csv('x')",
                "SELECT * FROM parquet_metadata('x')",
                "SELECT * FROM duckdb_settings()",
                "SELECT * FROM pragma_table_info('t')",
                "SELECT * FROM query('SELECT 1')",
                "SELECT * FROM query_table('t')",
                "SELECT getenv('HOME')",
                "SELECT current_setting('threads')",
                "SELECT * FROM read_files('x')",
                "SELECT * FROM a.b.c",
                "SELECT * FROM `read_csv`('x')",
                "SELECT (SELECT max(x) FROM read_csv('x') AS v(x))",
                "WITH q AS (SELECT * FROM read_csv('x')) SELECT 1",
            })
    void nothingOutside(String sql) {
        assertThat(refused(sql).code()).isEqualTo(ErrorCode.QUERY_NOT_ALLOWED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT * FROM `x.parquet`",
                "SELECT * FROM information_schema.tables",
                "SELECT * FROM sqlite_master",
                "SELECT * FROM duckdb_tables",
                "SELECT * FROM helpers.rows_0",
                "SELECT * FROM memory.t",
            })
    void tablesAreThoseOfTheResolver(String sql) {
        assertThat(refused(sql).code()).isEqualTo(ErrorCode.UNKNOWN_TABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT spark_rlike('a', 'b')",
                "SELECT spark.divide(1, 2)",
                "SELECT struct_pack(1)",
                "SELECT list_value(1)",
                "SELECT error('x')",
                "SELECT nextval('s')",
                "SELECT txid_current()",
                "SELECT generator_keys(map(1, 2)), version()",
                "SELECT unnest(array(1))",
                "SELECT * FROM generate_series(3)",
                "SELECT * FROM json_each('{}')",
            })
    void functionsAreThoseOfSpark(String sql) {
        assertThat(refused(sql).code()).isIn(ErrorCode.UNKNOWN_FUNCTION, ErrorCode.QUERY_INVALID);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT $1",
                "SELECT ?",
                "SELECT {'a': 1}",
                "SELECT [1, 2]",
                "SELECT a ->> 'b' FROM t",
                "SELECT COLUMNS(*) FROM t",
                "SELECT * REPLACE (1 AS a) FROM t",
                "SELECT DISTINCT ON (a) a FROM t",
                "SELECT a FROM t POSITIONAL JOIN u",
                "SELECT a FROM t ASOF JOIN u ON t.a >= u.a",
                "SELECT a FROM t USING SAMPLE 1",
                "SELECT a FROM t AT (VERSION => 1)",
                "SELECT a[1:2] FROM t",
                "SELECT #1 FROM t",
                "WITH RECURSIVE r AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM r WHERE x < 3) SELECT x FROM r",
                "SELECT x: 1",
                "SELECT a FROM t LIMIT 10%",
            })
    void nothingThatSparkDoesNotHave(String sql) {
        QueryText query = new QueryText(sql, new TextLocation("q.sql", 1, 1));
        assertThat(failure(() -> engine.relationsOf(query)).code())
                .isIn(
                        ErrorCode.QUERY_INVALID,
                        ErrorCode.UNSUPPORTED_FEATURE,
                        ErrorCode.SYNTAX_ERROR,
                        ErrorCode.UNKNOWN_FUNCTION);
    }

    @Test
    void extensionsAreNotFetched() {
        assertThat(EngineFixture.column(engine, "SELECT current_setting('autoinstall_known_extensions')"))
                .containsExactly(false);
        assertThat(EngineFixture.column(engine, "SELECT current_setting('autoload_known_extensions')"))
                .containsExactly(false);
    }
}
