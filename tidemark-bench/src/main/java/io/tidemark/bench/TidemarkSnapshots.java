package io.tidemark.bench;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.dbt.SnapshotRunner;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.ProjectOptions;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.warehouse.Warehouse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** The product on a dbt project, an engine opened for each run. */
final class TidemarkSnapshots implements SnapshotContestant {
    private final SnapshotInput input;
    private final SnapshotScenario scenario;
    private final long memoryBytes;
    private Path folder = Path.of("");

    TidemarkSnapshots(SnapshotInput input, SnapshotScenario scenario, long memoryBytes) {
        this.input = input;
        this.scenario = scenario;
        this.memoryBytes = memoryBytes;
    }

    @Override
    public void begin(Path place, int history) throws IOException {
        folder = place;
        Files.createDirectories(place.resolve("snapshots"));
        Files.createDirectories(place.resolve("models"));
        Files.writeString(place.resolve("dbt_project.yml"), "name: shop\nprofile: shop\n");
        Files.writeString(
                place.resolve("models/sources.yml"),
                "sources: [{name: " + SnapshotInput.SOURCE_SCHEMA + ", tables: [{name: " + SnapshotInput.SOURCE
                        + "}]}]\n");
        Files.writeString(
                place.resolve("snapshots/customers.sql"),
                "{% snapshot " + SnapshotInput.TARGET + " %}\n{{ config(unique_key='id', target_schema='"
                        + SnapshotInput.TARGET_SCHEMA + "', "
                        + (scenario.check()
                                ? "strategy='check', check_cols='all'"
                                : "strategy='timestamp', updated_at='updated_at'")
                        + (scenario.deletes() ? ", hard_deletes='invalidate'" : "") + ") }}\nselect * from {{ source('"
                        + SnapshotInput.SOURCE_SCHEMA + "', '" + SnapshotInput.SOURCE + "') }}\n{% endsnapshot %}\n");
        if (history > 0) {
            profile(input.history(history));
            try (Engine engine = open()) {
                Project project = project();
                finish(new SnapshotRunner(project, engine, warehouse())
                        .importTables(project.snapshots(), true, SnapshotRunner.Listener.NONE));
            }
        }
    }

    private void profile(Path database) throws IOException {
        Files.writeString(
                folder.resolve("profiles.yml"),
                "shop: {target: dev, outputs: {dev: {type: duckdb, path: '" + database + "'}}}\n");
    }

    private Project project() {
        return Project.read(ProjectOptions.of(folder));
    }

    private Engine open() {
        return DuckDbEngine.open(
                DuckDbSettings.defaults(folder.resolve("temporary")).withMemoryLimitBytes(memoryBytes));
    }

    private Warehouse warehouse() {
        return Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
    }

    private static void finish(SnapshotRunner.Report report) {
        if (!report.errors().isEmpty()) {
            throw TidemarkException.together(report.errors());
        }
    }

    @Override
    public void run(int round) throws IOException {
        profile(input.source(round));
        Project project = project();
        try (Engine engine = open()) {
            finish(new SnapshotRunner(project, engine, warehouse())
                    .run(
                            project.snapshots(),
                            LocalDateTime.parse(SnapshotInput.time(round).replace(' ', 'T'))
                                    .toInstant(ZoneOffset.UTC),
                            true,
                            SnapshotRunner.Listener.NONE));
        }
    }

    @Override
    public String digest() {
        try (Engine engine = open()) {
            engine.registerFiles(
                    "digested_rows",
                    EngineFiles.scan(warehouse()
                            .table(new TableName(SnapshotInput.TARGET_SCHEMA, SnapshotInput.TARGET))
                            .snapshot()));
            StringBuilder digest = new StringBuilder();
            engine.stream(SnapshotContestant.digestOf("digested_rows"), row -> {
                digest.append(row.get(0));
                return true;
            });
            return digest.toString();
        }
    }
}
