package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
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

    /** The hand-written statements, which DuckDB and Spark both understand. */
    static final class Statements {
        private Statements() {}

        /** MERGE of the newest event of each key; forgets deletes, so late events bring rows back. */
        static String mergeLatest(String target, String events) {
            String set = Workload.COLUMNS.stream()
                    .filter(column -> !column.equals("id"))
                    .map(column -> column + " = s." + column)
                    .collect(Collectors.joining(", "));
            return "MERGE INTO " + target + " AS t USING (SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY id"
                    + " ORDER BY seq DESC) AS latest FROM " + events + ") AS r WHERE latest = 1) AS s ON t.id = s.id"
                    + " WHEN MATCHED AND s.op = 'D' AND s.seq > t.seq THEN DELETE"
                    + " WHEN MATCHED AND s.seq > t.seq THEN UPDATE SET " + set
                    + " WHEN NOT MATCHED AND s.op <> 'D' THEN INSERT (" + String.join(", ", Workload.COLUMNS)
                    + ") VALUES (s." + String.join(", s.", Workload.COLUMNS) + ")";
        }

        /** All versions of touched keys from old rows and new events; the form that late events do not break. */
        static String changedVersions(String target, String events, String distinct) {
            String rows = Workload.COLUMNS.stream()
                    .filter(column -> !column.equals("seq"))
                    .collect(Collectors.joining(", "));
            String there = "(SELECT h.* FROM " + target + " AS h LEFT SEMI JOIN (SELECT DISTINCT id FROM " + events
                    + ") AS k ON h.id = k.id)";
            if (distinct.equals("IS DISTINCT FROM")) {
                there = there.replace("LEFT SEMI", "SEMI");
            }
            String differs =
                    distinct.equals("IS DISTINCT FROM") ? "next IS DISTINCT FROM old_end" : "NOT (next <=> old_end)";
            return "SELECT * FROM (SELECT *, lead(seq) OVER (PARTITION BY id ORDER BY seq) AS next FROM (SELECT *,"
                    + " row_number() OVER (PARTITION BY id, seq ORDER BY op DESC, is_new) AS choice FROM (SELECT "
                    + rows + ", starts AS seq, 'U' AS op, 0 AS is_new, ends AS old_end FROM " + there
                    + " AS h UNION ALL SELECT " + rows + ", ends, 'D', 0, NULL FROM " + there
                    + " AS h WHERE ends IS NOT NULL UNION ALL SELECT " + rows + ", seq, op, 1, NULL FROM " + events
                    + ") AS p) AS q WHERE choice = 1) AS r WHERE op <> 'D' AND (is_new = 1 OR " + differs + ")";
        }

        /** Writes the changed versions. */
        static String mergeVersions(String target, String changed) {
            return "MERGE INTO " + target + " AS t USING " + changed + " AS s ON t.id = s.id AND t.starts = s.seq"
                    + " WHEN MATCHED THEN UPDATE SET ends = s.next WHEN NOT MATCHED THEN INSERT ("
                    + String.join(", ", Workload.COLUMNS) + ", starts, ends) VALUES (s."
                    + String.join(", s.", Workload.COLUMNS) + ", s.seq, s.next)";
        }
    }
}
