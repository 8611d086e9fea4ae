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
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.text()).contains("FILE_NOT_FOUND", "nowhere.sql").doesNotContain("\tat ");
        Files.writeString(
                folder.resolve("bad.sql"),
                "CREATE STREAMING TABLE t;\nCREATE FLOW f AS AUTO CDC INTO t FROM STREAM(x) KEYS (id) SEQUENCE BY s;\n");
        Program bad = tidemark("run", "bad.sql");
        assertThat(bad.exitCode()).isEqualTo(1);
        assertThat(bad.text()).contains("bad.sql:2:", "UNKNOWN_TABLE", "^").doesNotContain("\tat ");
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
