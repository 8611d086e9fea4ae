package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a user writes by hand for tables of DuckDB itself: MERGE, and recomputed versions of touched keys. */
final class DuckDbNative implements Contestant {
    private final String memory;
    private Scenario scenario = Scenario.SCD1;
    private @Nullable Database database;

    DuckDbNative(String memory) {
        this.memory = memory;
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(Scenario.SCD1, Scenario.SCD2);
    }

    @Override
    public void begin(Scenario scenario, Path folder) throws SQLException, IOException {
        close();
        Files.createDirectories(folder);
        this.scenario = scenario;
        database = new Database(folder.resolve("tables.duckdb").toString(), memory);
        database.run("SET temp_directory = '" + folder.resolve("temporary") + "'");
    }

    private Database open() {
        if (database == null) {
            throw new IllegalStateException("begin comes first");
        }
        return database;
    }

    @Override
    public void apply(Step step, Path events) throws SQLException {
        Database here = open();
        String rows = String.join(", ", Workload.COLUMNS);
        if (step == Step.LOAD) {
            here.run("CREATE TABLE target AS SELECT " + rows
                    + (scenario == Scenario.SCD2 ? ", seq AS starts, NULL::BIGINT AS ends" : "") + " FROM '" + events
                    + "'");
        } else if (scenario == Scenario.SCD1) {
            here.run(Statements.mergeLatest("target", "'" + events + "'"));
        } else {
            here.run("CREATE OR REPLACE TEMP TABLE changed AS "
                    + Statements.changedVersions("target", "'" + events + "'", "IS DISTINCT FROM"));
            here.run(Statements.mergeVersions("target", "changed"));
        }
        here.run("CHECKPOINT");
    }

    @Override
    public List<Step> furtherSteps() {
        return scenario == Scenario.SCD1 ? List.of(Step.UPDATE_ONE) : List.of();
    }

    @Override
    public void further(Step step, long key) throws SQLException {
        open().run(Statements.updateOne("target", key));
        open().run("CHECKPOINT");
        if (!open().value("SELECT count(*)::VARCHAR FROM target WHERE city = 'Basel'")
                .equals("1")) {
            throw new IllegalStateException("not one row was changed");
        }
    }

    @Override
    public String digest() throws SQLException {
        return open().value(FullReplay.digest(scenario, "target"));
    }

    @Override
    public void close() throws SQLException {
        if (database != null) {
            database.close();
            database = null;
        }
    }
}
