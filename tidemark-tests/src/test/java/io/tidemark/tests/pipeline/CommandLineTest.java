package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program as a user starts it: exit codes, messages without stack traces, formats. */
class CommandLineTest {
    @TempDir
    Path folder;

    private Program tidemark(String... arguments) {
        return Program.start(folder, List.of(), arguments);
    }

    @Test
    void aNewPipelineRunsAndCanBeQueried() {
        assertThat(tidemark("init", "mine").exitCode()).isZero();
        Program run = tidemark("run", "mine/pipeline.sql", "--format", "json");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.text()).contains("\"num_upserted_rows\":4");
        Program query = tidemark(
                "sql", "--format", "csv", "-e", "SELECT id, name, city FROM customers_history WHERE __END_AT IS NULL");
        assertThat(query.exitCode()).as(query.text()).isZero();
        assertThat(query.text().lines()).containsExactly("id,name,city", "1,Ada,Paris");
        Program refresh = tidemark("run", "--full-refresh", "mine/pipeline.sql");
        assertThat(refresh.exitCode()).as(refresh.text()).isZero();
        assertThat(refresh.text()).contains("full refresh");
    }

    @Test
    void changesOfATableArePrinted() {
        Program made = tidemark(
                "sql",
                "-e",
                "CREATE TABLE t (id INT) TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');"
                        + " INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);");
        assertThat(made.exitCode()).as(made.text()).isZero();
        Program all = tidemark("changes", "t", "--format", "csv");
        assertThat(all.exitCode()).as(all.text()).isZero();
        assertThat(all.text().lines().toList())
                .hasSize(3)
                .first()
                .isEqualTo("id,_change_type,_commit_version,_commit_timestamp");
        Program last = tidemark("changes", "default.t", "--from", "2", "--to", "2100-01-01", "--format", "json");
        assertThat(last.exitCode()).as(last.text()).isZero();
        assertThat(last.text()).startsWith("{\"id\":2,\"_change_type\":\"insert\",\"_commit_version\":2");
        Program beyond = tidemark("changes", "t", "--from", "7");
        assertThat(beyond.exitCode()).isEqualTo(1);
        assertThat(beyond.text()).contains("CHANGE_RANGE_INVALID", "hint").doesNotContain("\tat ");
        assertThat(tidemark("changes", "t", "--from", "soon").exitCode()).isEqualTo(2);
        assertThat(tidemark("changes").exitCode()).isEqualTo(2);
    }

    @Test
    void wrongUseEndsWithTwoAndFailuresWithOne() throws IOException {
        assertThat(tidemark("run").exitCode()).isEqualTo(2);
        assertThat(tidemark("fly").exitCode()).isEqualTo(2);
        Program missing = tidemark("run", "nowhere.sql");
        assertThat(missing.exitCode()).isEqualTo(2);
        assertThat(missing.text()).contains("USAGE", "nowhere.sql").doesNotContain("\tat ");
        Program folderGiven = tidemark("run", ".");
        assertThat(folderGiven.exitCode()).isEqualTo(2);
        assertThat(folderGiven.text()).contains("is a folder");
        assertThat(tidemark("sql", "-e", "SELECT 1", "--threads", "0").exitCode())
                .isEqualTo(2);
        assertThat(tidemark("sql", "-e", "SELECT 1", "--memory", "1KB").exitCode())
                .isEqualTo(2);
        Program foo = tidemark("foo");
        assertThat(foo.exitCode()).isEqualTo(2);
        assertThat(foo.text()).startsWith("error USAGE:").doesNotContain("did you mean", "Usage:");
        Program rum = tidemark("rum");
        assertThat(rum.exitCode()).isEqualTo(2);
        assertThat(rum.text()).contains("did you mean run?");
        Files.writeString(
                folder.resolve("bad.sql"),
                "CREATE STREAMING TABLE t;\nCREATE FLOW f AS AUTO CDC INTO t FROM STREAM(x) KEYS (id) SEQUENCE BY s;\n");
        Program bad = tidemark("run", "bad.sql");
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.text()).contains("bad.sql:2:", "UNKNOWN_TABLE", "^").doesNotContain("\tat ");
    }

    @Test
    void anEngineIsAskedForByItsName() {
        Program unknown = tidemark("sql", "-e", "SELECT 1", "--engine", "sparc");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.text()).contains("there is no engine 'sparc'", "duckdb and spark");
        assertThat(tidemark("sql", "-e", "SELECT 1", "--master", "local[2]").exitCode())
                .isEqualTo(2);
        assertThat(tidemark("sql", "-e", "SELECT 1", "--engine", "spark", "--memory", "1GB")
                        .exitCode())
                .isEqualTo(2);
        assertThat(tidemark("sql", "-e", "SELECT 1", "--engine=spark", "--master=local", "--threads=2")
                        .exitCode())
                .isEqualTo(2);
    }

    /** One pipeline on two engines: what Spark wrote is read and continued by the embedded one. */
    @Test
    void aPipelineRunsOnSpark() {
        assertThat(tidemark("init", "mine").exitCode()).isZero();
        Program run = Program.startForSpark(
                folder, "run", "mine/pipeline.sql", "--format", "json", "--engine", "spark", "--master", "local[2]");
        assertThat(run.exitCode()).as(run.text()).isZero();
        assertThat(run.text()).contains("\"num_upserted_rows\":4").doesNotContain("ERROR", "WARN", "\tat ");
        Program query = tidemark(
                "sql", "--format", "csv", "-e", "SELECT id, name, city FROM customers_history WHERE __END_AT IS NULL");
        assertThat(query.exitCode()).as(query.text()).isZero();
        assertThat(query.text().lines()).containsExactly("id,name,city", "1,Ada,Paris");
        Program again = tidemark("run", "mine/pipeline.sql", "--format", "json");
        assertThat(again.exitCode()).as(again.text()).isZero();
        assertThat(again.text()).doesNotContain("num_upserted_rows\":4");
    }

    @Test
    void longValuesAreCutAndFailuresPrintNoHeader() {
        String query = "SELECT repeat('x', 100) AS x, 1 AS a, 2 AS a";
        Program cut = tidemark("sql", "-e", query);
        assertThat(cut.exitCode()).as(cut.text()).isZero();
        assertThat(cut.text()).contains("x".repeat(59) + "…").doesNotContain("x".repeat(61));
        Program whole = tidemark("sql", "--full-width", "-e", query);
        assertThat(whole.exitCode()).isZero();
        assertThat(whole.text()).contains("x".repeat(100));
        Program json = tidemark("sql", "--format", "json", "-e", query);
        assertThat(json.exitCode()).isZero();
        assertThat(json.text()).contains("\"a\":1,\"a_2\":2");
        Program failed = tidemark("sql", "--format", "csv", "-e", "SELECT 1 / id AS b FROM range(1) AS r(id)");
        assertThat(failed.exitCode()).isEqualTo(1);
        assertThat(failed.text()).contains("QUERY_FAILED").doesNotStartWith("b");
    }

    @Test
    void aWarehouseThatWasNamedMustExist() {
        Program typo = tidemark("sql", "--warehouse", "typo", "-e", "SHOW TABLES");
        assertThat(typo.exitCode()).isEqualTo(1);
        assertThat(typo.text()).contains("FILE_NOT_FOUND", "typo");
        Program unknown = tidemark("sql", "-e", "SELECT * FROM nothing_like_it");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.text())
                .contains("UNKNOWN_TABLE", folder.resolve("warehouse").toString());
        Program made = tidemark("sql", "--warehouse", "typo", "-e", "CREATE TABLE t (a INT)");
        assertThat(made.exitCode()).as(made.text()).isZero();
    }

    @Test
    void aDryRunReportsAllFaults() throws IOException {
        Files.writeString(
                folder.resolve("p.sql"),
                "CREATE STREAMING TABLE t AS\nSELECT a FROM STREAM(nope);\nCREATE MATERIALIZED VIEW m AS\nSELECT * FROM none;\n");
        Program dry = tidemark("run", "p.sql", "--dry-run");
        assertThat(dry.exitCode()).isEqualTo(1);
        assertThat(dry.text()).contains("p.sql:2:15", "p.sql:4:15", "2 errors", "^");
        Files.writeString(folder.resolve("q.sql"), "CREATE STREAMING TABLE t (a INT);\n");
        Program refresh = tidemark("run", "q.sql", "--full-refresh=nope");
        assertThat(refresh.exitCode()).isEqualTo(2);
    }

    @Test
    void aDryRunChangesNothing() {
        assertThat(tidemark("init", ".").exitCode()).isZero();
        Program dry = tidemark("run", "pipeline.sql", "--dry-run");
        assertThat(dry.exitCode()).as(dry.text()).isZero();
        assertThat(dry.text()).contains("flow customers -> customers");
        assertThat(folder.resolve("warehouse")).doesNotExist();
    }
}
