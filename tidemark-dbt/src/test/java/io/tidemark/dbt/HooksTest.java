package io.tidemark.dbt;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.run.SnapshotResult.Status;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Statements before and behind a snapshot. */
class HooksTest {
    private static final String CHECK =
            "{{ config(strategy='check', unique_key='id', check_cols='all', target_schema='h') }}";

    @TempDir
    private Path folder;

    private DbtLake lake;

    @BeforeEach
    void open() {
        lake = new DbtLake(folder);
        lake.sql("CREATE TABLE raw.t (id INT, v INT); INSERT INTO raw.t VALUES (1, 1);"
                + "CREATE TABLE audit.log (step STRING, n BIGINT)");
        lake.project().file("models/sources.yml", "sources:", "  - name: raw", "    tables: [{name: t}]");
    }

    private void snapshot(String... configs) {
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}",
                        String.join("\n", configs),
                        "select * from {{ source('raw', 't') }}",
                        "{% endsnapshot %}");
    }

    @Test
    void hooksOfAllPlacesRunInOrderAtEachRun() {
        lake.project()
                .file(
                        "dbt_project.yml",
                        "name: shop",
                        "profile: shop",
                        "snapshots:",
                        "  +post-hook: \"INSERT INTO audit.log SELECT 'project', count(*) FROM {{ this }}\"");
        lake.project()
                .file(
                        "snapshots/s.yml",
                        "snapshots:",
                        "  - name: s",
                        "    config:",
                        "      pre_hook: {sql: \"INSERT INTO audit.log SELECT 'yaml', count(*) FROM {{ source('raw', 't')"
                                + " }}\", transaction: false}");
        snapshot(
                CHECK,
                "{{ config(pre_hook=\"{% if target.name == 'elsewhere' %}grant all{% endif %}\","
                        + " post_hook=[\"INSERT INTO audit.log VALUES ('{{ this.identifier }}', 0); OPTIMIZE {{ ref('s') }}\"])"
                        + " }}");
        lake.succeed(10);
        assertThat(lake.sorted("SELECT * FROM audit.log")).containsExactly("project|1", "s|0", "yaml|1");
        lake.sql("INSERT INTO raw.t VALUES (2, 2)");
        lake.succeed(11);
        assertThat(lake.sorted("SELECT * FROM audit.log"))
                .containsExactly("project|1", "project|2", "s|0", "s|0", "yaml|1", "yaml|2");
        assertThat(lake.run(12, lake.project().read(), false).errors()).isEmpty();
        assertThat(lake.sql("SELECT count(*) FROM audit.log"))
                .as("a dry run runs no hooks")
                .containsExactly("6");
    }

    @Test
    void aHookThatFailsBeforeKeepsTheSnapshotFromRunning() {
        snapshot(CHECK, "{{ config(pre_hook='grant select on {{ this }} to reporter') }}");
        TidemarkException error = failed();
        assertThat(error.render())
                .contains("snapshots/s.sql:3", "pre_hook of snapshot s failed", "grant select on `h`.`s` to reporter")
                .contains("The snapshot was not run.");
        assertThat(lake.table("h", "s").exists()).isFalse();
    }

    @Test
    void aHookThatFailsBehindLeavesWhatWasCommitted() {
        snapshot(CHECK, "{{ config(post_hook='INSERT INTO audit.nowhere VALUES (1)') }}");
        TidemarkException error = failed();
        assertThat(error.code()).isIn(ErrorCode.UNKNOWN_TABLE, ErrorCode.TABLE_NOT_FOUND);
        assertThat(error.render()).contains("snapshots/s.sql:3", "what it committed stays");
        assertThat(lake.sql("SELECT id, v FROM h.s")).containsExactly("1|1");
    }

    private TidemarkException failed() {
        SnapshotRunner.Report report = lake.run(10);
        assertThat(report.results())
                .singleElement()
                .satisfies(result -> assertThat(result.status()).isEqualTo(Status.FAILED));
        assertThat(report.errors()).hasSize(1);
        return report.errors().get(0);
    }
}
