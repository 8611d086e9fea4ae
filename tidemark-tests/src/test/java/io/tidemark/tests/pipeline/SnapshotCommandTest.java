package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code tidemark snapshot} as a user starts it, and killed in the middle. */
class SnapshotCommandTest {
    @TempDir
    Path folder;

    @BeforeEach
    void project() throws IOException {
        write("shop/dbt_project.yml", "name: shop", "profile: shop");
        write(
                "shop/profiles.yml",
                "shop:",
                "  target: dev",
                "  outputs:",
                "    dev: {type: duckdb, path: ':memory:', schema: main}");
        write(
                "shop/snapshots/sources.yml",
                "sources:",
                "  - name: raw",
                "    tables: [{name: items, meta: {external_location: items.csv}}]");
        write(
                "shop/snapshots/all.sql",
                "{% snapshot items %}",
                "{{ config(target_schema='h', strategy='check', unique_key='id', check_cols='all') }}",
                "select * from {{ source('raw', 'items') }} where id < {{ var('limit', 100) }}",
                "{% endsnapshot %}",
                "{% snapshot broken %}",
                "{{ config(target_schema='h', strategy='check', unique_key='id', check_cols='all', tags=['bad']) }}",
                "select 1 as id,",
                "  nothing as v",
                "{% endsnapshot %}");
        write("shop/items.csv", "id,v", "1,a", "2,b");
    }

    private void write(String name, String... lines) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, String.join("\n", lines) + "\n");
    }

    private Program tidemark(String... arguments) {
        return Program.start(folder, List.of(), arguments);
    }

    @Test
    void snapshotsAreRunAndCounted() throws IOException {
        Program dry = tidemark("snapshot", "shop", "--select", "items", "--dry-run", "--show-sql");
        assertThat(dry.exitCode()).as(dry.text()).isZero();
        assertThat(dry.text()).contains("would be created", "nothing was changed", "-- items", "where id < 100");
        Program first = tidemark("snapshot", "shop", "--select", "items", "--vars", "{limit: 2}", "--format", "csv");
        assertThat(first.exitCode()).as(first.text()).isZero();
        assertThat(first.text())
                .contains(
                        "snapshot,table,status,source_rows,new,changed,deleted,removed,missed,version,millis",
                        "items,h.items,created,1,1,0,0,0,0,0,");
        write("shop/items.csv", "id,v", "1,c", "2,b");
        Program second = tidemark("snapshot", "shop", "-s", "items", "--format", "json");
        assertThat(second.exitCode()).as(second.text()).isZero();
        assertThat(second.text()).contains("\"status\":\"updated\"", "\"new\":1,\"changed\":1");
        Program rows = tidemark(
                "sql", "--format", "csv", "-e", "SELECT id, v FROM h.items WHERE dbt_valid_to IS NULL ORDER BY id");
        assertThat(rows.exitCode()).as(rows.text()).isZero();
        assertThat(rows.text().lines()).containsExactly("id,v", "1,c", "2,b");
    }

    @Test
    void faultsNameFileAndLineAndTheOthersRun() {
        Program run = tidemark("snapshot", "shop");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.text())
                .contains("all.sql:5:1: error QUERY_INVALID", "nothing", "created", "failed")
                .doesNotContain("\tat ");
        Program unknown = tidemark("snapshot", "shop", "--select", "itens");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.text()).contains("UNKNOWN_NODE", "did you mean items?");
        Program nowhere = tidemark("snapshot", "nowhere");
        assertThat(nowhere.exitCode()).isEqualTo(1);
        assertThat(nowhere.text()).contains("there is no dbt project in nowhere");
        assertThat(tidemark("snapshot", "shop", "--vars", "7").exitCode()).isEqualTo(2);
    }

    @Test
    void aKilledRunIsRunAgain() throws IOException {
        assertThat(tidemark("snapshot", "shop", "-s", "items").exitCode()).isZero();
        write("shop/items.csv", "id,v", "1,c", "3,d");
        for (String point : List.of("snapshot.after-data-files", "delta.before-log-write", "snapshot.after-commit")) {
            Program killed =
                    Program.start(folder, List.of("tidemark.crashAt=" + point), "snapshot", "shop", "-s", "items");
            assertThat(killed.exitCode()).as(killed.text()).isEqualTo(137);
        }
        Program again = tidemark("snapshot", "shop", "-s", "items");
        assertThat(again.exitCode()).as(again.text()).isZero();
        assertThat(again.text()).contains("unchanged");
        Program rows = tidemark(
                "sql",
                "--format",
                "csv",
                "-e",
                "SELECT id, v, dbt_valid_to IS NULL AS current FROM h.items ORDER BY id, v");
        assertThat(rows.exitCode()).as(rows.text()).isZero();
        assertThat(rows.text().lines())
                .containsExactly("id,v,current", "1,a,false", "1,c,true", "2,b,true", "3,d,true");
    }
}
