package io.tidemark.dbt;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.delta.Snapshot;
import io.tidemark.duckdb.DuckDbEngine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotRunnerTest {
    private static final String CHECK =
            "{{ config(strategy='check', unique_key='id', check_cols='all', target_schema='h') }}";

    @TempDir
    private Path folder;

    private DbtLake lake;

    @BeforeEach
    void open() {
        lake = new DbtLake(folder);
    }

    private void snapshot(String name, String config, String query) {
        lake.project()
                .file("snapshots/" + name + ".sql", "{% snapshot " + name + " %}", config, query, "{% endsnapshot %}");
    }

    private void source(String... lines) {
        lake.project().file("models/sources.yml", lines);
    }

    private static SnapshotResult only(List<SnapshotResult> results) {
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    private void fails(ErrorCode code, String file, int line, String text) {
        SnapshotRunner.Report report = lake.run(10);
        assertThat(report.errors()).hasSize(1);
        TidemarkException error = report.errors().get(0);
        assertThat(error.code()).as(error.render()).isEqualTo(code);
        assertThat(error.render()).contains(text);
        assertThat(error.location()).isPresent();
        assertThat(error.location().get().file()).endsWith(file);
        assertThat(error.location().get().line()).as(error.render()).isEqualTo(line);
    }

    @Test
    void tablesOfTheWarehouseAreSources() {
        lake.sql(
                "CREATE TABLE raw.orders (id INT, status STRING); INSERT INTO raw.orders VALUES (1, 'new'), (2, 'new')");
        source("sources:", "  - name: raw", "    tables: [{name: orders}]");
        snapshot("orders_history", CHECK, "select orders.id, orders.status from {{ source('raw', 'orders') }}");
        SnapshotResult first = only(lake.succeed(10));
        assertThat(first.status()).isEqualTo(Status.CREATED);
        assertThat(first.table()).isEqualTo("h.orders_history");
        assertThat(first.counts().newKeys()).isEqualTo(2);
        lake.sql("UPDATE raw.orders SET status = 'paid' WHERE id = 2");
        SnapshotResult second = only(lake.succeed(11));
        assertThat(second.status()).isEqualTo(Status.UPDATED);
        assertThat(second.counts().changedKeys()).isEqualTo(1);
        assertThat(lake.sorted("SELECT id, status, dbt_valid_from, dbt_valid_to FROM h.orders_history"))
                .containsExactly(
                        "1|new|2024-01-10T00:00|null",
                        "2|new|2024-01-10T00:00|2024-01-11T00:00",
                        "2|paid|2024-01-11T00:00|null");
    }

    @Test
    void anUnchangedSourceIsNotReadAndCommitsNothing() {
        lake.sql("CREATE TABLE raw.t (id INT, v INT); INSERT INTO raw.t VALUES (1, 1)");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        lake.succeed(10);
        long version = lake.table("h", "s").latestVersion();
        SnapshotResult again = only(lake.succeed(11));
        assertThat(again.status()).isEqualTo(Status.UNCHANGED);
        assertThat(again.counts().sourceRows()).as("not read").isZero();
        assertThat(lake.table("h", "s").latestVersion()).isEqualTo(version);
        // A changed query, and a table that somebody changed by hand, are looked at again.
        snapshot("s", CHECK, "select id, v + 1 as v from {{ source('raw', 't') }}");
        assertThat(only(lake.succeed(12)).counts().changedKeys()).isEqualTo(1);
        lake.sql("DELETE FROM h.s WHERE dbt_valid_to IS NULL");
        assertThat(only(lake.succeed(13)).counts().newKeys()).isEqualTo(1);
        // So is a query whose text does not tell all.
        snapshot("s", CHECK, "select id, v + 1 as v from {{ source('raw', 't') }} where now() is not null");
        assertThat(only(lake.succeed(14)).counts().sourceRows()).isEqualTo(1);
        assertThat(only(lake.succeed(15)).counts().sourceRows()).isEqualTo(1);
    }

    /** Long ago, so that nothing depends on how fast the test runs; and no whole second. */
    private void modifiedAt(String file, String time) throws IOException {
        Files.setLastModifiedTime(lake.project().folder().resolve(file), FileTime.from(Instant.parse(time)));
    }

    @Test
    void unchangedFilesAreNotReadAndCommitNothing() throws IOException {
        lake.project().file("data/a.csv", "id,v", "1,x");
        lake.project().file("data/b1.csv", "id,w", "1,5");
        lake.project().file("data/b2.csv", "id,w", "2,6");
        source(
                "sources:",
                "  - name: files",
                "    tables:",
                "      - name: a",
                "        config: {external_location: data/a.csv}",
                "      - name: b",
                "        config: {external_location: \"read_csv('data/b*.csv', header = true)\"}");
        snapshot(
                "s",
                CHECK,
                "select b.id, a.v, b.w from {{ source('files', 'b') }} b left join {{ source('files', 'a') }} a on a.id ="
                        + " b.id");
        for (String file : List.of("data/a.csv", "data/b1.csv", "data/b2.csv")) {
            modifiedAt(file, "2024-01-01T00:00:00.25Z");
        }
        lake.succeed(10);
        SnapshotResult again = only(lake.succeed(11));
        assertThat(again.status()).isEqualTo(Status.UNCHANGED);
        assertThat(again.counts().sourceRows()).as("not read").isZero();
        assertThat(lake.table("h", "s").latestVersion()).isZero();
        // Another file that the pattern finds.
        lake.project().file("data/b3.csv", "id,w", "3,7");
        modifiedAt("data/b3.csv", "2024-01-01T00:00:00.25Z");
        assertThat(only(lake.succeed(12)).counts().newKeys()).isEqualTo(1);
        assertThat(only(lake.succeed(13)).counts().sourceRows()).isZero();
        // Another content of the same size and, as some tools leave it, of the same time of modification.
        lake.project().file("data/a.csv", "id,v", "1,y");
        modifiedAt("data/a.csv", "2024-01-01T00:00:00.25Z");
        assertThat(only(lake.succeed(14)).counts().changedKeys()).isEqualTo(1);
        // A file that is being written, as its time says, is read each time.
        lake.project().file("data/a.csv", "id,v", "1,z");
        modifiedAt("data/a.csv", "2124-01-01T00:00:00.25Z");
        assertThat(only(lake.succeed(15)).counts().changedKeys()).isEqualTo(1);
        assertThat(only(lake.succeed(16)).counts().sourceRows()).isEqualTo(3);
    }

    @Test
    void anUnchangedDatabaseFileIsNotReadAndCommitsNothing() throws SQLException, IOException {
        Path file = lake.project().folder().resolve("shop.duckdb");
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev: {type: duckdb, path: shop.duckdb, schema: main}");
        execute(file, "CREATE SCHEMA raw; CREATE TABLE raw.t AS SELECT 1 AS id, 'a' AS v");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        modifiedAt("shop.duckdb", "2024-01-01T00:00:00.25Z");
        lake.succeed(10);
        assertThat(only(lake.succeed(11)).counts().sourceRows()).as("not read").isZero();
        assertThat(lake.table("h", "s").latestVersion()).isZero();
        // Other options are another snapshot of the same rows.
        snapshot("s", CHECK.replace("'all'", "['v']"), "select * from {{ source('raw', 't') }}");
        assertThat(only(lake.succeed(12)).counts().sourceRows()).isEqualTo(1);
        execute(file, "UPDATE raw.t SET v = 'b'");
        modifiedAt("shop.duckdb", "2024-01-01T00:00:00.25Z");
        assertThat(only(lake.succeed(13)).counts().changedKeys()).isEqualTo(1);
        assertThat(only(lake.succeed(14)).counts().sourceRows()).isZero();
    }

    @Test
    void descriptionsBecomeCommentsWhereTheyAreToBePersisted() {
        lake.sql("CREATE TABLE raw.t (id INT, v INT); INSERT INTO raw.t VALUES (1, 1)");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        String[] properties = {
            "snapshots:",
            "  - name: s",
            "    description: 'all of {{ target.name }}'",
            "    columns:",
            "      - {name: V, description: 'the value'}",
            "      - {name: id, description: ''}",
            "      - {name: gone, description: 'was here'}",
            "      - {name: dbt_valid_to, description: 'end'}"
        };
        lake.project().file("snapshots/s.yml", properties);
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        lake.succeed(10);
        assertThat(comments()).as("dbt persists nothing by itself").containsExactly("-");
        snapshot(
                "s",
                CHECK.replace("target_schema", "persist_docs={'relation': true, 'columns': true}, target_schema"),
                "select * from {{ source('raw', 't') }}");
        SnapshotResult commented = only(lake.succeed(11));
        assertThat(commented.status()).isEqualTo(Status.UPDATED);
        assertThat(commented.warnings())
                .containsExactly("the table has no column gone to describe, as persist_docs wants");
        assertThat(comments()).containsExactly("all of dev", "v: the value", "dbt_valid_to: end");
        assertThat(only(lake.succeed(12)).status()).isEqualTo(Status.UNCHANGED);
        assertThat(lake.table("h", "s").latestVersion()).isEqualTo(1);
        // What is no longer said stays; what is said anew comes with the next commit, beside its rows.
        properties[2] = "    description: ''";
        properties[4] = "      - {name: v, description: 'another text'}";
        lake.project().file("snapshots/s.yml", properties);
        lake.sql("INSERT INTO raw.t VALUES (2, 2)");
        assertThat(only(lake.succeed(13)).counts().newKeys()).isEqualTo(1);
        assertThat(comments()).containsExactly("all of dev", "v: another text", "dbt_valid_to: end");
    }

    private List<String> comments() {
        Snapshot latest = lake.table("h", "s").snapshot();
        List<String> comments = new ArrayList<>(List.of(latest.description().orElse("-")));
        latest.schema()
                .fields()
                .forEach(field -> field.comment().ifPresent(text -> comments.add(field.name() + ": " + text)));
        return comments;
    }

    @Test
    void aNewTableHasItsComments() {
        lake.project()
                .file(
                        "snapshots/s.yml",
                        "snapshots:",
                        "  - name: s",
                        "    description: people",
                        "    config: {persist_docs: {relation: true, columns: false}}",
                        "    columns: [{name: id, description: 'not asked for'}]");
        snapshot("s", CHECK, "select 1 as id");
        lake.succeed(10);
        assertThat(comments()).containsExactly("people");
    }

    @Test
    void grantsAreLeftOutAndThatIsSaidAtEachRun() {
        snapshot(
                "s",
                CHECK.replace("target_schema", "grants={'select': ['reporter']}, target_schema"),
                "select 1 as id");
        assertThat(only(lake.succeed(10)).warnings()).singleElement().asString().startsWith("grants are not applied");
        assertThat(only(lake.succeed(11)).warnings()).singleElement().asString().startsWith("grants are not applied");
    }

    @Test
    void filesAreSources() {
        lake.project().file("data/a.csv", "id,v", "1,x", "2,y");
        source(
                "sources:",
                "  - name: files",
                "    meta: {external_location: 'data/{name}.csv'}",
                "    tables:",
                "      - name: a",
                "      - name: b",
                "        config: {external_location: \"read_csv('data/a*.csv', header = true, delim = ',')\"}");
        snapshot(
                "s",
                CHECK,
                "with a as (select * from {{ source('files', 'a') }}) select a.id, b.v from a"
                        + " join {{ source('files', 'b') }} on a.id = b.id");
        lake.succeed(10);
        assertThat(lake.sorted("SELECT id, v FROM h.s")).containsExactly("1|x", "2|y");
        lake.project().file("data/a.csv", "id,v", "1,x", "2,z");
        assertThat(only(lake.succeed(11)).counts().changedKeys()).isEqualTo(1);
    }

    @Test
    void modelsThatAreQueriesBecomePartOfTheSnapshotsQuery() {
        lake.sql(
                "CREATE TABLE raw.t (id INT, v INT); INSERT INTO raw.t VALUES (1, 1), (2, 2);"
                        + "CREATE TABLE analytics.m (id INT, name STRING); INSERT INTO analytics.m VALUES (1, 'one'), (2, 'two')");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        lake.project()
                .file("models/base.sql", "select * from {{ source('raw', 't') }} where v > {{ var('least', 1) }}");
        lake.project().file("models/m.sql", "{{ config(materialized='table') }} select 1 as id, 'x' as name");
        lake.project()
                .file(
                        "models/joined.sql",
                        "{{ config(materialized='ephemeral') }}",
                        "select b.id, m.name from {{ ref('base') }} as b join {{ ref('m') }} as m using (id)");
        snapshot("s", CHECK, "select joined.* from {{ ref('joined') }}");
        lake.succeed(10);
        assertThat(lake.sorted("SELECT id, name FROM h.s")).containsExactly("2|two");
    }

    @Test
    void aDatabaseFileOfTheProfileHoldsSources() throws SQLException {
        Path file = lake.project().folder().resolve("shop.duckdb");
        Path other = lake.project().folder().resolve("other.duckdb");
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev:",
                        "      type: duckdb",
                        "      path: shop.duckdb",
                        "      schema: main",
                        "      attach: [{path: other.duckdb, alias: more}]");
        execute(
                file,
                "CREATE SCHEMA raw; CREATE TABLE raw.t AS SELECT 1 AS id, 'a' AS v; CREATE TABLE main.m AS SELECT 5 AS w");
        execute(other, "CREATE SCHEMA raw; CREATE TABLE raw.t AS SELECT 1 AS id, 'from the other' AS x");
        source(
                "sources:",
                "  - name: raw",
                "    tables: [{name: t}]",
                "  - name: raw_more",
                "    database: more",
                "    schema: raw",
                "    tables: [{name: t}]");
        lake.project().file("models/m.sql", "{{ config(materialized='table') }} select 1");
        snapshot(
                "s",
                CHECK,
                "select a.*, b.x, w from {{ source('raw', 't') }} a join {{ source('raw_more', 't') }} b"
                        + " using (id), {{ ref('m') }}");
        lake.succeed(10);
        assertThat(lake.sorted("SELECT id, v, x, w FROM h.s")).containsExactly("1|a|from the other|5");
        execute(file, "UPDATE raw.t SET v = 'b'");
        assertThat(only(lake.succeed(11)).counts().changedKeys()).isEqualTo(1);
    }

    @Test
    void aTableOfDbtInTheDatabaseFileIsImportedAndContinued() throws SQLException {
        Path file = lake.project().folder().resolve("shop.duckdb");
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev: {type: duckdb, path: shop.duckdb, schema: main}");
        execute(
                file,
                "CREATE SCHEMA h; CREATE SCHEMA raw; CREATE TABLE raw.t AS SELECT 2 AS id, 'y' AS v;"
                        + "CREATE TABLE h.s AS SELECT * FROM (VALUES"
                        + " (1, 'a', 'i1', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-03', 'False'),"
                        + " (1, 'a', 'i2', TIMESTAMP '2024-01-03', TIMESTAMP '2024-01-03', TIMESTAMP '9999-12-31', 'True'),"
                        + " (2, 'x', 'i3', TIMESTAMP '2024-01-02', TIMESTAMP '2024-01-02', TIMESTAMP '9999-12-31', 'False'))"
                        + " AS t(id, v, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to, dbt_is_deleted)");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        snapshot(
                "s",
                "{{ config(strategy='check', unique_key='id', check_cols=['v'], target_schema='h',"
                        + " hard_deletes='new_record', dbt_valid_to_current=\"timestamp '9999-12-31'\") }}",
                "select * from {{ source('raw', 't') }}");
        Project read = lake.project().read();
        try (DuckDbEngine engine = lake.engine()) {
            SnapshotRunner runner = new SnapshotRunner(read, engine, lake.warehouse());
            assertThat(only(runner.importTables(read.snapshots(), false, SnapshotRunner.Listener.NONE)
                                    .results())
                            .counts()
                            .sourceRows())
                    .isEqualTo(3);
            assertThat(lake.table("h", "s").exists()).isFalse();
            assertThat(runner.importTables(read.snapshots(), true, SnapshotRunner.Listener.NONE)
                            .errors())
                    .isEmpty();
        }
        SnapshotResult.Counts counts = only(lake.succeed(10)).counts();
        assertThat(counts.changedKeys()).isEqualTo(1);
        assertThat(counts.deletedKeys()).as("the key is marked already").isZero();
        assertThat(lake.sorted("SELECT id, v, dbt_valid_from, dbt_valid_to, dbt_is_deleted FROM h.s"))
                .containsExactly(
                        "1|a|2024-01-01T00:00|2024-01-03T00:00|False",
                        "1|a|2024-01-03T00:00|9999-12-31T00:00|True",
                        "2|x|2024-01-02T00:00|2024-01-10T00:00|False",
                        "2|y|2024-01-10T00:00|9999-12-31T00:00|False");
        lake.project()
                .file("snapshots/s.sql", "{% snapshot nothing_there %}", CHECK, "select 1 as id", "{% endsnapshot %}");
        Project other = lake.project().read();
        try (DuckDbEngine engine = lake.engine()) {
            TidemarkException missing = new SnapshotRunner(other, engine, lake.warehouse())
                    .importTables(other.snapshots(), true, SnapshotRunner.Listener.NONE)
                    .errors()
                    .get(0);
            assertThat(missing.code()).isEqualTo(ErrorCode.UNKNOWN_TABLE);
        }
    }

    private static void execute(Path file, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:duckdb:" + file);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void anyDatabaseWithADriverIsASource() throws SQLException {
        Path file = lake.project().folder().resolve("elsewhere.duckdb");
        execute(
                file,
                "CREATE SCHEMA raw; CREATE TABLE raw.t AS SELECT 1 AS id, 'a' AS v, 1.50::DECIMAL(9,2) AS d,"
                        + " TIMESTAMP '2024-01-01 10:00:00.123456' AS ts, DATE '2024-02-03' AS day, NULL::DOUBLE AS f,"
                        + " TRUE AS b, 7::BIGINT AS n");
        source(
                "sources:",
                "  - name: raw",
                "    meta: {jdbc_url: 'jdbc:duckdb:" + file + "'}",
                "    tables: [{name: t}]");
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        lake.succeed(10);
        assertThat(lake.sql("SELECT id, v, d, ts, day, f, b, n FROM h.s"))
                .containsExactly("1|a|1.50|2024-01-01T10:00:00.123456|2024-02-03|null|true|7");
        assertThat(only(lake.succeed(11)).status()).isEqualTo(Status.UNCHANGED);
        source(
                "sources:",
                "  - name: raw",
                "    meta: {jdbc_url: 'jdbc:nothing://host/x?password=secret'}",
                "    tables:",
                "      - name: t");
        fails(ErrorCode.DATABASE_FAILED, "models/sources.yml", 5, "put the driver's jar on the class path");
    }

    @Test
    void aSnapshotOfASnapshotRunsBehindItAndNotIfItFails() {
        lake.sql("CREATE TABLE raw.t (id INT, v INT); INSERT INTO raw.t VALUES (1, 1)");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        snapshot("z_first", CHECK, "select * from {{ source('raw', 't') }}");
        snapshot("a_second", CHECK, "select id, v from {{ ref('z_first') }} where dbt_valid_to is null");
        assertThat(lake.succeed(10).stream().map(SnapshotResult::snapshot)).containsExactly("z_first", "a_second");
        lake.sql("INSERT INTO raw.t VALUES (1, 2)");
        SnapshotRunner.Report report = lake.run(11);
        assertThat(report.results().stream().map(SnapshotResult::status))
                .containsExactly(Status.FAILED, Status.SKIPPED);
        assertThat(report.errors().get(0).code()).isEqualTo(ErrorCode.DUPLICATE_SNAPSHOT_KEY);
        assertThat(report.errors().get(0).render()).contains("z_first");
    }

    @Test
    void aDryRunChangesNothing() {
        lake.sql("CREATE TABLE raw.t (id INT, v INT); INSERT INTO raw.t VALUES (1, 1)");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        SnapshotRunner.Report report = lake.run(10, lake.project().read(), false);
        assertThat(only(report.results()).status()).isEqualTo(Status.CREATED);
        assertThat(lake.table("h", "s").exists()).isFalse();
        lake.succeed(10);
        lake.sql("INSERT INTO raw.t VALUES (2, 2)");
        assertThat(only(lake.run(11, lake.project().read(), false).results())
                        .counts()
                        .newKeys())
                .isEqualTo(1);
        assertThat(lake.table("h", "s").latestVersion()).isZero();
    }

    @Test
    void thisIsTheSnapshotsOwnTable() {
        snapshot(
                "s",
                CHECK,
                "select 1 as id, 1 as v {% if var('later', false) %} union all select count(*) + 1, 2"
                        + " from {{ this }} where {{ this.identifier }}.dbt_valid_to is null{% endif %}");
        lake.succeed(10);
        lake.project().file("dbt_project.yml", "name: shop", "profile: shop", "vars: {later: true}");
        lake.succeed(11);
        assertThat(lake.sorted("SELECT id, v FROM h.s")).containsExactly("1|1", "2|2");
    }

    @Test
    void sqlOfSparkIsTranslated() {
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev: {type: spark, method: session, schema: analytics}");
        lake.sql("CREATE TABLE raw.t (id INT, v STRING, at TIMESTAMP);"
                + "INSERT INTO raw.t VALUES (1, 'a,b', TIMESTAMP '2024-01-01 00:00:00')");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        snapshot(
                "s",
                "{{ config(strategy='timestamp', unique_key=\"concat(id, '-', `first`)\", updated_at='at',"
                        + " target_schema='h', file_format='delta', dbt_valid_to_current=\"to_timestamp('9999-12-31')\") }}",
                "select id, split(v, ',')[0] as `first`, at from {{ source('raw', 't') }}");
        lake.succeed(10);
        assertThat(lake.sql("SELECT id, first, dbt_valid_from, dbt_valid_to, dbt_scd_id FROM h.s"))
                .containsExactly("1|a|2024-01-01T00:00:00Z|9999-12-31T00:00:00Z|" + md5("1-a|2024-01-01 00:00:00"));
        lake.sql("UPDATE raw.t SET v = 'a,c', at = TIMESTAMP '2024-01-05 00:00:00'");
        assertThat(only(lake.succeed(11)).counts().changedKeys()).isEqualTo(1);
    }

    private static String md5(String text) {
        try {
            return java.util.HexFormat.of()
                    .formatHex(java.security.MessageDigest.getInstance("MD5")
                            .digest(text.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatProfilesAndSourcesAskForBeyondIsRefused() {
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        source("sources:", "  - name: raw", "    tables:", "      - name: t", "        config: {plugin: excel}");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "models/sources.yml", 4, "plugin excel");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev:",
                        "      type: duckdb",
                        "      attach:",
                        "        - path: 'postgres:dbname=x'",
                        "          type: postgres");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "profiles.yml", 7, "type postgres");
        lake.project()
                .file(
                        "profiles.yml",
                        "shop:",
                        "  target: dev",
                        "  outputs:",
                        "    dev:",
                        "      type: duckdb",
                        "      settings:",
                        "        TimeZone: Europe/Oslo");
        fails(ErrorCode.UNSUPPORTED_FEATURE, "profiles.yml", 7, "time zone Europe/Oslo");
    }

    @Test
    void faultsOfQueriesNameFileAndLine() {
        snapshot("s", CHECK, "select * from {{ source('raw', 't') }}");
        source("sources:", "  - name: raw", "    tables: [{name: t}]");
        fails(ErrorCode.UNKNOWN_TABLE, "snapshots/s.sql", 3, "raw.t");
        snapshot("s", CHECK, "select nothing from (select 1 as id)");
        fails(ErrorCode.QUERY_INVALID, "snapshots/s.sql", 1, "nothing");
        snapshot("s", CHECK.replace("'id'", "'ident'"), "select 1 as id");
        fails(ErrorCode.UNKNOWN_COLUMN, "snapshots/s.sql", 1, "ident");
        snapshot("s", CHECK, "select 1 as id, 'x'::int as v");
        fails(ErrorCode.QUERY_FAILED, "snapshots/s.sql", 1, "could not convert string 'x'");
        lake.project().file("models/broken.sql", "select 1 as id from nowhere");
        snapshot("s", CHECK, "select * from {{ ref('broken') }}");
        fails(ErrorCode.QUERY_INVALID, "models/broken.sql", 1, "nowhere");
    }
}
