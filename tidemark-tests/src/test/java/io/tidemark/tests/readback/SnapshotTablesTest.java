package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.dbt.SnapshotRunner;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.ProjectOptions;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.tests.spark.SparkSessions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of dbt snapshots that Spark and Tidemark write in turns, Spark by statements in the form of dbt-spark's. */
class SnapshotTablesTest {
    private static final String COLUMNS =
            "id, name, updated_at, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to";

    @TempDir
    Path folder;

    private Warehouse warehouse;

    @BeforeEach
    void open() {
        warehouse = Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
    }

    private void project(String config, String profile, String query) throws IOException {
        write("dbt_project.yml", "name: shop\nprofile: shop\n");
        write("profiles.yml", "shop: {target: dev, outputs: {dev: " + profile + "}}\n");
        write("models/sources.yml", "sources: [{name: raw, tables: [{name: people}]}]\n");
        write(
                "snapshots/people.sql",
                "{% snapshot people_snapshot %}\n{{ config(target_schema='h', unique_key='id', " + config + ") }}\n"
                        + query + "\n{% endsnapshot %}\n");
    }

    private void write(String name, String text) throws IOException {
        Path file = folder.resolve("project").resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    private DuckDbEngine engine() {
        return DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")).withThreads(1));
    }

    private SnapshotResult tidemark(String time) {
        Project project = Project.read(ProjectOptions.of(folder.resolve("project")));
        try (DuckDbEngine engine = engine()) {
            SnapshotRunner.Report report = new SnapshotRunner(project, engine, warehouse)
                    .run(project.snapshots(), Instant.parse(time), true, SnapshotRunner.Listener.NONE);
            if (!report.errors().isEmpty()) {
                throw TidemarkException.together(report.errors());
            }
            assertThat(report.results()).hasSize(1);
            return report.results().get(0);
        }
    }

    private String path(String table) {
        return "delta.`" + folder.resolve("warehouse").resolve(table) + "`";
    }

    private List<String> spark(String statement) {
        return SparkSessions.get().sql(statement).collectAsList().stream()
                .map(row -> row.mkString("|"))
                .sorted()
                .toList();
    }

    /** The table's rows as a reader sees them, with times as texts. */
    private static String rows(String from, String columns) {
        List<String> texts = new ArrayList<>();
        for (String column : columns.split(", ")) {
            texts.add("coalesce(cast(" + column + " as string), '-')");
        }
        return "SELECT " + String.join(", ", texts) + " FROM " + from;
    }

    private List<String> readBySpark(String columns) {
        return spark(rows(path("h/people_snapshot"), columns));
    }

    private List<String> readByTidemark(String columns) {
        List<String> found = new ArrayList<>();
        try (DuckDbEngine engine = engine()) {
            new Session(warehouse, engine, folder)
                    .execute(new SourceText("statement.sql", rows("h.people_snapshot", columns)), result -> {
                        if (result instanceof StatementResult.Rows rows) {
                            rows.rows()
                                    .forEach(values -> found.add(String.join(
                                            "|",
                                            values.stream().map(String::valueOf).toList())));
                        }
                    });
        }
        return found.stream().sorted().toList();
    }

    /** What dbt-spark makes of the source's rows, with the time of a row as the start of its version. */
    private static String versions(String source) {
        return "SELECT *, md5(coalesce(cast(id AS string), '') || '|' || coalesce(cast(updated_at AS string), ''))"
                + " AS dbt_scd_id, updated_at AS dbt_updated_at, updated_at AS dbt_valid_from,"
                + " nullif(updated_at, updated_at) AS dbt_valid_to FROM " + source;
    }

    /** A later run of dbt-spark: a view of what changes, and a MERGE by the ids of versions. */
    private void runOfDbtSpark() {
        String source = path("raw/people");
        String target = path("h/people_snapshot");
        String changed = " ON c.id = n.id AND c.dbt_valid_to IS NULL WHERE c.dbt_valid_from < n.updated_at";
        spark("CREATE OR REPLACE TEMPORARY VIEW people_snapshot__dbt_tmp AS"
                + " SELECT 'insert' AS dbt_change_type, n.*, n.id AS dbt_unique_key FROM (" + versions(source)
                + ") AS n LEFT JOIN " + target + " AS c" + changed + " OR c.id IS NULL"
                + " UNION ALL SELECT 'update', n.id, n.name, n.updated_at, c.dbt_scd_id, n.updated_at, n.updated_at,"
                + " n.updated_at, n.id FROM " + source + " AS n JOIN " + target + " AS c" + changed);
        spark("MERGE INTO " + target + " AS t USING people_snapshot__dbt_tmp AS s ON s.dbt_scd_id = t.dbt_scd_id"
                + " WHEN MATCHED AND t.dbt_valid_to IS NULL AND s.dbt_change_type IN ('update', 'delete')"
                + " THEN UPDATE SET dbt_valid_to = s.dbt_valid_to"
                + " WHEN NOT MATCHED AND s.dbt_change_type = 'insert' THEN INSERT *");
    }

    private String id(String text) {
        return spark("SELECT md5('" + text + "')").get(0);
    }

    @Test
    void aTableThatSparkBeganIsContinuedAndGivenBack() throws IOException {
        project(
                "strategy='timestamp', updated_at='updated_at', hard_deletes='invalidate', file_format='delta'",
                "{type: spark, method: session, schema: h}",
                "select * from {{ source('raw', 'people') }}");
        spark("CREATE TABLE " + path("raw/people") + " USING delta AS SELECT * FROM VALUES"
                + " (1, 'Ada', TIMESTAMP '2024-01-01 08:00:00'), (2, 'Bob', TIMESTAMP '2024-01-02 00:00:00.25')"
                + " AS v(id, name, updated_at)");
        spark("CREATE TABLE " + path("h/people_snapshot") + " USING delta AS " + versions(path("raw/people")));
        spark("UPDATE " + path("raw/people") + " SET name = 'Ada L.', updated_at = TIMESTAMP '2024-01-05 09:00:00'"
                + " WHERE id = 1");
        runOfDbtSpark();
        long version = warehouse.table(new TableName("h", "people_snapshot")).latestVersion();

        SnapshotResult unchanged = tidemark("2024-01-10T00:00:00Z");
        assertThat(unchanged.status()).isEqualTo(Status.UNCHANGED);
        assertThat(unchanged.counts()).isEqualTo(new Counts(2, 0, 0, 0, 0, 0));
        assertThat(warehouse.table(new TableName("h", "people_snapshot")).latestVersion())
                .isEqualTo(version);

        spark("UPDATE " + path("raw/people") + " SET name = 'Robert', updated_at = TIMESTAMP '2024-01-08 00:00:00'"
                + " WHERE id = 2");
        spark("INSERT INTO " + path("raw/people") + " VALUES (3, 'Cyd', TIMESTAMP '2024-01-09 00:00:00')");
        assertThat(tidemark("2024-01-11T00:00:00Z").counts()).isEqualTo(new Counts(3, 1, 1, 0, 0, 0));

        // dbt-spark goes on: one more version, and what Tidemark wrote stands.
        spark("UPDATE " + path("raw/people") + " SET name = 'Cyd C.', updated_at = TIMESTAMP '2024-01-12 00:00:00'"
                + " WHERE id = 3");
        runOfDbtSpark();
        assertThat(tidemark("2024-01-13T00:00:00Z").status()).isEqualTo(Status.UNCHANGED);
        spark("DELETE FROM " + path("raw/people") + " WHERE id = 1");
        assertThat(tidemark("2024-01-14T00:00:00Z").counts()).isEqualTo(new Counts(2, 0, 0, 1, 0, 0));

        assertThat(readBySpark("id, name, dbt_valid_from, dbt_valid_to, dbt_scd_id"))
                .containsExactly(
                        "1|Ada L.|2024-01-05 09:00:00|2024-01-14 00:00:00|" + id("1|2024-01-05 09:00:00"),
                        "1|Ada|2024-01-01 08:00:00|2024-01-05 09:00:00|" + id("1|2024-01-01 08:00:00"),
                        "2|Bob|2024-01-02 00:00:00.25|2024-01-08 00:00:00|" + id("2|2024-01-02 00:00:00.25"),
                        "2|Robert|2024-01-08 00:00:00|-|" + id("2|2024-01-08 00:00:00"),
                        "3|Cyd C.|2024-01-12 00:00:00|-|" + id("3|2024-01-12 00:00:00"),
                        "3|Cyd|2024-01-09 00:00:00|2024-01-12 00:00:00|" + id("3|2024-01-09 00:00:00"));
        assertThat(readByTidemark(COLUMNS)).isEqualTo(readBySpark(COLUMNS));
    }

    @Test
    void sparkReadsATableThatTidemarkWrote() throws IOException {
        project(
                "strategy='check', check_cols='all', hard_deletes='new_record'",
                "{type: duckdb, path: ':memory:', schema: main}",
                "select * from {{ source('raw', 'people') }}");
        String columns = "id, name, dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to, dbt_is_deleted";
        spark("CREATE TABLE " + path("raw/people") + " USING delta AS SELECT id, concat('n', id) AS name"
                + " FROM range(1, 9) AS v(id)");
        tidemark("2024-01-10T00:00:00Z");
        spark("UPDATE " + path("raw/people") + " SET name = 'changed' WHERE id = 2");
        spark("DELETE FROM " + path("raw/people") + " WHERE id = 3");
        assertThat(tidemark("2024-01-11T12:00:00.5Z").counts()).isEqualTo(new Counts(7, 0, 1, 1, 0, 0));
        assertThat(readBySpark("id, name, dbt_valid_from, dbt_valid_to, dbt_is_deleted"))
                .contains(
                        "2|n2|2024-01-10 00:00:00|2024-01-11 12:00:00.5|False",
                        "2|changed|2024-01-11 12:00:00.5|-|False",
                        "3|n3|2024-01-10 00:00:00|2024-01-11 12:00:00.5|False",
                        "3|n3|2024-01-11 12:00:00.5|-|True",
                        "8|n8|2024-01-10 00:00:00|-|False")
                .hasSize(8 + 2);
        assertThat(readBySpark(columns)).isEqualTo(readByTidemark(columns));
    }
}
