package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/** The statements of dbt-duckdb on tables of DuckDB. */
final class DbtDuckDb implements SnapshotContestant {
    private final SnapshotInput input;
    private final SnapshotScenario scenario;
    private final String memory;
    private Path folder = Path.of("");

    DbtDuckDb(SnapshotInput input, SnapshotScenario scenario, String memory) {
        this.input = input;
        this.scenario = scenario;
        this.memory = memory;
    }

    private static String target() {
        return SnapshotInput.TARGET_SCHEMA + "." + SnapshotInput.TARGET;
    }

    @Override
    public void begin(Path place, int history) throws IOException, SQLException {
        folder = place;
        if (history > 0) {
            Files.copy(input.history(history), file());
            return;
        }
        try (Database database = open()) {
            database.run("CREATE SCHEMA " + SnapshotInput.TARGET_SCHEMA);
        }
    }

    private Path file() {
        return folder.resolve("dbt.duckdb");
    }

    private Database open() throws SQLException {
        Database database = new Database(file().toString(), memory);
        database.run("SET temp_directory = '" + folder.resolve("temporary") + "'");
        return database;
    }

    @Override
    public void run(int round) throws SQLException {
        try (Database database = open()) {
            database.run("ATTACH '" + input.source(round) + "' AS a (READ_ONLY)");
            DbtStatements statements = new DbtStatements(
                    scenario.check(),
                    scenario.deletes(),
                    "a." + SnapshotInput.SOURCE_SCHEMA + "." + SnapshotInput.SOURCE,
                    target(),
                    SnapshotInput.time(round));
            if (database.value("SELECT count(*)::VARCHAR FROM duckdb_tables() WHERE table_name = '"
                            + SnapshotInput.TARGET + "'")
                    .equals("0")) {
                database.run(statements.create());
            } else {
                for (String statement : statements.update()) {
                    database.run(statement);
                }
            }
            database.run("CHECKPOINT");
        }
    }

    @Override
    public String digest() throws SQLException {
        try (Database database = open()) {
            return database.value(SnapshotContestant.digestOf(target()));
        }
    }
}
