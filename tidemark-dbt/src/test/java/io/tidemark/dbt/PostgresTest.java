package io.tidemark.dbt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.duckdb.DuckDbEngine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Projects whose SQL runs in PostgreSQL; skipped where there is no server to start. */
class PostgresTest {
    private static @Nullable PostgresServer started;

    @TempDir
    private Path folder;

    private DbtLake lake;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        Optional<PostgresServer> server = PostgresServer.start();
        assumeTrue(server.isPresent(), "there is no PostgreSQL server on this machine");
        started = server.get();
    }

    @AfterAll
    static void stop() {
        if (started != null) {
            started.close();
        }
    }

    private static PostgresServer server() {
        return Objects.requireNonNull(started);
    }

    @BeforeEach
    void open() {
        lake = new DbtLake(folder);
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev:",
                        "      type: postgres",
                        "      host: 127.0.0.1",
                        "      port: " + server().port(),
                        "      user: " + server().user(),
                        "      password: ''",
                        "      dbname: postgres",
                        "      schema: analytics");
        server().execute(
                        "DROP SCHEMA IF EXISTS raw CASCADE; CREATE SCHEMA raw; DROP SCHEMA IF EXISTS snapshots CASCADE;"
                                + "CREATE SCHEMA snapshots");
    }

    private static SnapshotResult only(List<SnapshotResult> results) {
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    @Test
    void theQueryRunsInTheDatabase() {
        server().execute("CREATE TABLE raw.events (id int, seen timestamptz, payload jsonb, price numeric(10,2),"
                + " code uuid, tags text[], free numeric, ok boolean, day date, ts timestamp);"
                + "INSERT INTO raw.events VALUES"
                + " (1, '2024-01-01 02:00:00+02', '{\"v\": \"a\"}', 1.50, '00000000-0000-0000-0000-000000000001',"
                + " '{x,NULL}', 0.1, true, '2024-02-03', '2024-01-01 10:00:00.123456'),"
                + " (1, '2024-01-02 00:00:00+00', '{\"v\": \"b\"}', 2.50, NULL, NULL, NULL, NULL, NULL, NULL)");
        lake.project().file("models/sources.yml", "sources:", "  - name: raw", "    tables: [{name: events}]");
        lake.project()
                .file(
                        "models/latest.sql",
                        "{{ config(materialized='ephemeral') }}",
                        "select distinct on (id) * from {{ source('raw', 'events') }} order by id, seen desc");
        lake.project()
                .file(
                        "models/shaped.sql",
                        "with latest as (select * from {{ ref('latest') }}) select latest.*, payload->>'v' as v from latest");
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}",
                        "{{ config(target_schema='snapshots', strategy='timestamp', unique_key='id', updated_at='seen') }}",
                        "select id, v, seen, price, code, tags, free, ok, day, ts from {{ ref('shaped') }};",
                        "{% endsnapshot %}");
        assertThat(only(lake.succeed(10)).counts().sourceRows()).isEqualTo(1);
        server().execute("INSERT INTO raw.events (id, seen, payload) VALUES (1, '2024-01-05', '{\"v\": \"c\"}')");
        assertThat(only(lake.succeed(11)).counts().changedKeys()).isEqualTo(1);
        assertThat(lake.sorted("SELECT id, v, price, dbt_valid_from, dbt_valid_to FROM snapshots.s"))
                .containsExactly(
                        "1|b|2.50|2024-01-02T00:00:00Z|2024-01-05T00:00:00Z", "1|c|null|2024-01-05T00:00:00Z|null");
        server().execute("DELETE FROM raw.events WHERE id = 1 AND payload->>'v' <> 'a'");
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot t %}",
                        "{{ config(target_schema='snapshots', strategy='check', unique_key='id', check_cols='all') }}",
                        "select * from {{ ref('shaped') }}",
                        "{% endsnapshot %}");
        lake.succeed(12);
        assertThat(lake.sorted("SELECT id, seen, payload, price, code, tags, free, ok, day, ts FROM snapshots.t"))
                .containsExactly("1|2024-01-01T00:00:00Z|{\"v\": \"a\"}|1.50|00000000-0000-0000-0000-000000000001|"
                        + "[x, null]|0.100000000000000000|true|2024-02-03|2024-01-01T10:00:00.123456");
        assertThat(only(lake.succeed(13)).status()).isEqualTo(Status.UNCHANGED);
    }

    @Test
    void manyRowsAreStreamed() {
        server().execute(
                        "CREATE TABLE raw.many AS SELECT i AS id, 'v' || i AS v FROM generate_series(1, 50000) AS t(i)");
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}",
                        "{{ config(target_schema='snapshots', strategy='check', unique_key='id', check_cols='all',"
                                + " hard_deletes='invalidate') }}",
                        "select * from raw.many",
                        "{% endsnapshot %}");
        assertThat(only(lake.succeed(10)).counts().newKeys()).isEqualTo(50_000);
        server().execute("DELETE FROM raw.many WHERE id % 1000 = 0; UPDATE raw.many SET v = 'x' WHERE id % 1000 = 1");
        SnapshotResult.Counts counts = only(lake.succeed(11)).counts();
        assertThat(counts.deletedKeys()).isEqualTo(50);
        assertThat(counts.changedKeys()).isEqualTo(50);
    }

    @Test
    void aTableOfDbtIsImportedAndContinued() {
        server().execute("CREATE TABLE raw.t AS SELECT 1 AS id, 'b'::text AS v, TIMESTAMP '2024-01-05' AS upd;"
                + "CREATE TABLE snapshots.s (id int, v text, upd timestamp, dbt_scd_id text, dbt_updated_at timestamp,"
                + " dbt_valid_from timestamp, dbt_valid_to timestamp);"
                + "INSERT INTO snapshots.s VALUES"
                + " (1, 'a', '2024-01-01', md5('1|2024-01-01 00:00:00'), '2024-01-01', '2024-01-01', '2024-01-05'),"
                + " (1, 'b', '2024-01-05', md5('1|2024-01-05 00:00:00'), '2024-01-05', '2024-01-05', NULL)");
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}",
                        "{{ config(target_schema='snapshots', strategy='timestamp', unique_key='id', updated_at='upd') }}",
                        "select * from raw.t",
                        "{% endsnapshot %}");
        Project read = lake.project().read();
        try (DuckDbEngine engine = lake.engine()) {
            SnapshotRunner.Report report = new SnapshotRunner(read, engine, lake.warehouse())
                    .importTables(read.snapshots(), true, SnapshotRunner.Listener.NONE);
            assertThat(report.errors()).isEmpty();
            assertThat(only(report.results()).counts().sourceRows()).isEqualTo(2);
            TidemarkException twice = new SnapshotRunner(read, engine, lake.warehouse())
                    .importTables(read.snapshots(), true, SnapshotRunner.Listener.NONE)
                    .errors()
                    .get(0);
            assertThat(twice.code()).isEqualTo(ErrorCode.TABLE_EXISTS);
        }
        assertThat(lake.table("snapshots", "s").snapshot().files())
                .as("closed and current rows apart")
                .hasSize(2);
        assertThat(only(lake.succeed(10)).status()).isEqualTo(Status.UNCHANGED);
        server().execute("UPDATE raw.t SET v = 'c', upd = '2024-01-08'");
        lake.succeed(11);
        assertThat(lake.sorted("SELECT id, v, dbt_valid_from, dbt_valid_to FROM snapshots.s"))
                .containsExactly(
                        "1|a|2024-01-01T00:00|2024-01-05T00:00",
                        "1|b|2024-01-05T00:00|2024-01-08T00:00",
                        "1|c|2024-01-08T00:00|null");
    }

    @Test
    void faultsOfTheDatabaseNameFileAndLine() {
        lake.project()
                .file(
                        "snapshots/s.sql",
                        "{% snapshot s %}",
                        "{{ config(target_schema='snapshots', strategy='check', unique_key='id', check_cols='all') }}",
                        "select nothing from raw.nowhere",
                        "{% endsnapshot %}");
        TidemarkException error = lake.run(10).errors().get(0);
        assertThat(error.code()).isEqualTo(ErrorCode.DATABASE_FAILED);
        assertThat(error.render()).contains("snapshots/s.sql:1:1", "raw.nowhere", "does not exist");
        assertThat(error.render()).doesNotContain("password");
    }
}
