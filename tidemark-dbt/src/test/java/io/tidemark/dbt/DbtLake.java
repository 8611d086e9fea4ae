package io.tidemark.dbt;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.ProjectFolder;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.sql.parse.SourceText;
import io.tidemark.sql.session.Session;
import io.tidemark.sql.session.StatementResult;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A project, a warehouse, and runs of its snapshots, each with a fresh engine as by a process of its own. */
final class DbtLake {
    private final Path folder;
    private final ProjectFolder project;
    private final Warehouse warehouse;

    DbtLake(Path folder) {
        this.folder = folder;
        this.project = new ProjectFolder(folder.resolve("project"));
        this.warehouse =
                Warehouse.at(new LocalStorage(), folder.resolve("warehouse").toString());
    }

    ProjectFolder project() {
        return project;
    }

    Warehouse warehouse() {
        return warehouse;
    }

    DuckDbEngine engine() {
        return DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")).withThreads(1));
    }

    DeltaTable table(String schema, String name) {
        return warehouse.table(new TableName(schema, name));
    }

    /** Runs all snapshots at a day of January 2024. */
    SnapshotRunner.Report run(int day) {
        return run(day, project.read(), true);
    }

    SnapshotRunner.Report run(int day, Project read, boolean commit) {
        try (DuckDbEngine engine = engine()) {
            return new SnapshotRunner(read, engine, warehouse)
                    .run(read.snapshots(), time(day), commit, SnapshotRunner.Listener.NONE);
        }
    }

    static Instant time(int day) {
        return Instant.parse("2024-01-01T00:00:00Z").plusSeconds((day - 1) * 86_400L);
    }

    /** Runs all snapshots, none of which may fail. */
    List<SnapshotResult> succeed(int day) {
        SnapshotRunner.Report report = run(day);
        if (!report.errors().isEmpty()) {
            throw TidemarkException.together(report.errors());
        }
        return report.results();
    }

    /** Executes statements; rows come back as texts with values separated by bars, in their order. */
    List<String> sql(String text) {
        List<String> rows = new ArrayList<>();
        try (DuckDbEngine engine = engine()) {
            new Session(warehouse, engine, folder).execute(new SourceText("statement.sql", text), result -> {
                if (result instanceof StatementResult.Rows found) {
                    found.rows().forEach(values -> {
                        rows.add(String.join(
                                "|", values.stream().map(String::valueOf).toList()));
                        return true;
                    });
                }
            });
        }
        return rows;
    }

    /** Sorted rows of a query. */
    List<String> sorted(String text) {
        return sql(text).stream().sorted().toList();
    }
}
