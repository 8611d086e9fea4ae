package io.tidemark.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * The limit: DuckDB does the reads and writes that cannot be avoided, and nothing else. Events are folded, the keys
 * (or, where old values are needed, the rows) of the table are read once, the rows that change are sorted and written
 * to one Parquet file, and the positions of those that they replace to another. There is no log, no state, no statistics,
 * no look at late deletes: the result is not a table, and could not be continued.
 */
final class DuckDbLimit implements Contestant {
    private static final String WRITTEN = " (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)";
    private static final String ROWS = String.join(", ", Workload.COLUMNS);

    private final String memory;
    private final List<Path> files = new ArrayList<>();
    private final List<Path> replaced = new ArrayList<>();
    private Path folder = Path.of("");
    private Scenario scenario = Scenario.SCD1;

    DuckDbLimit(String memory) {
        this.memory = memory;
    }

    @Override
    public List<Scenario> scenarios() {
        return List.of(Scenario.SCD1, Scenario.SCD2, Scenario.PARTIAL, Scenario.BITEMPORAL);
    }

    @Override
    public List<Step> steps() {
        return List.of(Step.LOAD, Step.BIG, Step.SMALL, Step.LOCAL);
    }

    @Override
    public void begin(Scenario scenario, Path folder) throws java.io.IOException {
        this.scenario = scenario;
        this.folder = folder;
        files.clear();
        replaced.clear();
        Files.createDirectories(folder);
    }

    @Override
    public void apply(Step step, Path events) throws SQLException {
        Path written = folder.resolve("part-" + files.size() + ".parquet");
        Path positions = folder.resolve("positions-" + files.size() + ".parquet");
        try (Database database = new Database("", memory)) {
            database.run("SET temp_directory = '" + folder.resolve("temporary") + "'");
            if (step == Step.LOAD) {
                String columns = switch (scenario) {
                    case SCD1, PARTIAL -> ROWS;
                    case SCD2, SCD2_TRACKED -> ROWS + ", seq AS starts, NULL::BIGINT AS ends";
                    case BITEMPORAL ->
                        ROWS + ", seq AS starts, NULL::BIGINT AS ends, seq AS known_since, NULL::BIGINT AS known_until";
                };
                copy(database, "SELECT " + columns + " FROM '" + events + "' ORDER BY id, seq", written);
            } else {
                database.run("CREATE VIEW target AS " + target());
                switch (scenario) {
                    case SCD1 -> latest(database, events, written, positions);
                    case PARTIAL -> partial(database, events, written, positions);
                    case SCD2, SCD2_TRACKED -> history(database, events, written, positions);
                    case BITEMPORAL -> beliefs(database, events, written, positions);
                }
                if (Files.exists(positions)) {
                    replaced.add(positions);
                }
            }
        }
        files.add(written);
    }

    private String target() {
        StringBuilder list = new StringBuilder();
        for (Path file : files) {
            list.append(list.isEmpty() ? "" : ", ").append("'").append(file).append("'");
        }
        String all =
                "SELECT *, (file_index::BIGINT << 40) | file_row_number AS place FROM read_parquet([" + list + "])";
        if (replaced.isEmpty()) {
            return all;
        }
        StringBuilder gone = new StringBuilder();
        for (Path file : replaced) {
            gone.append(gone.isEmpty() ? "" : " UNION ALL ")
                    .append("SELECT place FROM '")
                    .append(file)
                    .append("'");
        }
        return "SELECT t.* FROM (" + all + ") AS t ANTI JOIN (" + gone + ") AS g ON t.place = g.place";
    }

    private static void latest(Database database, Path events, Path written, Path positions) throws SQLException {
        database.run("CREATE TEMP TABLE winners AS SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY id"
                + " ORDER BY seq DESC) AS latest FROM '" + events + "') WHERE latest = 1");
        database.run("CREATE TEMP TABLE there AS SELECT t.id, t.seq, t.place FROM target AS t"
                + " JOIN (SELECT id FROM winners) AS w ON t.id = w.id");
        copy(
                database,
                "SELECT " + prefixed("w", Workload.COLUMNS) + " FROM winners AS w LEFT JOIN there AS t ON w.id = t.id"
                        + " WHERE w.op <> 'D' AND (t.seq IS NULL OR w.seq > t.seq) ORDER BY w.id",
                written);
        copy(
                database,
                "SELECT t.place FROM there AS t JOIN winners AS w ON t.id = w.id WHERE w.seq > t.seq",
                positions);
    }

    private static void partial(Database database, Path events, Path written, Path positions) throws SQLException {
        StringBuilder last = new StringBuilder("id, max(seq) AS seq, last(op ORDER BY seq) AS op");
        StringBuilder merged = new StringBuilder("w.id, w.seq");
        for (String column : Workload.COLUMNS) {
            if (!column.equals("id") && !column.equals("seq")) {
                last.append(", last(")
                        .append(column)
                        .append(" ORDER BY seq) FILTER (")
                        .append(column);
                last.append(" IS NOT NULL) AS ").append(column);
                merged.append(", coalesce(w.")
                        .append(column)
                        .append(", t.")
                        .append(column)
                        .append(") AS ")
                        .append(column);
            }
        }
        database.run("CREATE TEMP TABLE winners AS SELECT " + last + " FROM '" + events + "' GROUP BY id");
        database.run("CREATE TEMP TABLE there AS SELECT t.* FROM target AS t JOIN (SELECT id FROM winners) AS w"
                + " ON t.id = w.id");
        copy(
                database,
                "SELECT " + merged + " FROM winners AS w LEFT JOIN there AS t ON w.id = t.id WHERE w.op <> 'D'"
                        + " ORDER BY w.id",
                written);
        copy(database, "SELECT place FROM there", positions);
    }

    private static void history(Database database, Path events, Path written, Path positions) throws SQLException {
        database.run("CREATE TEMP TABLE news AS SELECT * FROM '" + events + "'");
        database.run("CREATE TEMP TABLE there AS SELECT t.* FROM target AS t JOIN (SELECT DISTINCT id FROM news) AS n"
                + " ON t.id = n.id");
        database.run(
                "CREATE TEMP TABLE changed AS SELECT * FROM (SELECT *, lead(since) OVER (PARTITION BY id ORDER BY since)"
                        + " AS next FROM (SELECT " + ROWS
                        + ", starts AS since, 'U' AS op, place, ends AS old_end FROM there"
                        + " UNION ALL SELECT " + ROWS + ", seq AS since, op, NULL AS place, NULL AS old_end FROM news))"
                        + " WHERE op <> 'D' AND (place IS NULL OR next IS DISTINCT FROM old_end)");
        copy(database, "SELECT " + ROWS + ", since AS starts, next AS ends FROM changed ORDER BY id, since", written);
        copy(database, "SELECT place FROM changed WHERE place IS NOT NULL", positions);
    }

    /**
     * The rows that really change if events come in order: each event ends the belief in the row before it, which is told
     * anew with its end, and begins a row of its own.
     */
    private static void beliefs(Database database, Path events, Path written, Path positions) throws SQLException {
        database.run("CREATE TEMP TABLE news AS SELECT * FROM '" + events + "'");
        database.run("CREATE TEMP TABLE there AS SELECT t.* FROM target AS t JOIN (SELECT DISTINCT id FROM news) AS n"
                + " ON t.id = n.id WHERE t.known_until IS NULL");
        database.run(
                "CREATE TEMP TABLE facts AS SELECT *, lead(since) OVER (PARTITION BY id ORDER BY since) AS next, lead(known)"
                        + " OVER (PARTITION BY id ORDER BY since) AS next_known FROM (SELECT " + ROWS
                        + ", starts AS since, known_since AS known, 'U' AS op, place FROM there UNION ALL SELECT "
                        + ROWS + ", seq AS since, seq AS known, op, NULL AS place FROM news)");
        copy(
                database,
                "SELECT " + ROWS
                        + ", since AS starts, NULL::BIGINT AS ends, known AS known_since, next_known AS known_until"
                        + " FROM facts WHERE op <> 'D' AND (place IS NULL OR next IS NOT NULL) UNION ALL SELECT " + ROWS
                        + ", since, next, next_known, NULL FROM facts WHERE op <> 'D' AND next IS NOT NULL"
                        + " ORDER BY id, starts",
                written);
        copy(database, "SELECT place FROM facts WHERE place IS NOT NULL AND next IS NOT NULL", positions);
    }

    private static void copy(Database database, String select, Path file) throws SQLException {
        database.run("COPY (" + select + ") TO '" + file + "'" + WRITTEN);
    }

    private static String prefixed(String alias, List<String> columns) {
        return alias + "." + String.join(", " + alias + ".", columns);
    }

    @Override
    public String digest() {
        return "";
    }

    @Override
    public void close() {
        // Each step has a database of its own.
    }
}
