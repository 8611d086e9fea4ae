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
