package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The sources of the snapshot benchmark: one DuckDB file for each round with a table of twelve columns, of which one row
 * in a hundred is another one than in the round before; and files with tables of snapshots that have a closed history.
 */
final class SnapshotInput {
    /** Rounds behind the first one. That which comes first of them warms up and is not counted. */
    static final int ROUNDS = 4;
    /** The schema of the source. */
    static final String SOURCE_SCHEMA = "shop";
    /** The schema of the snapshot's table. */
    static final String TARGET_SCHEMA = "history";
    /** The name of the source's table. */
    static final String SOURCE = "customers";
    /** The name of the snapshot's table. */
    static final String TARGET = "customers_snapshot";

    static final List<String> COLUMNS = List.of(
            "id",
            "name",
            "email",
            "city",
            "tier",
            "balance",
            "score",
            "active",
            "phone",
            "note",
            "created_on",
            "updated_at");

    private final Path folder;
    private final long keys;

    SnapshotInput(Path folder, long keys) {
        this.folder = folder;
        this.keys = keys;
    }

    /** The DuckDB file of a round; 0 is the first load. */
    Path source(int round) {
        return folder.resolve("round-" + round + ".duckdb");
    }

    /** Makes the file of a round look as if it had been written anew, with the same rows, a while ago. */
    void touch(int round) throws IOException {
        FileTime before = Files.getLastModifiedTime(source(round));
        Files.setLastModifiedTime(
                source(round), FileTime.from(before.toInstant().minusSeconds(1)));
    }

    /** A DuckDB file with the snapshot's table: current rows of round 0, and so many closed ones for each. */
    Path history(int versions) {
        return folder.resolve("history-" + versions + ".duckdb");
    }

    /** The time of a round's run, as text. */
    static String time(int round) {
        return "2026-01-" + String.format("%02d", round + 1) + " 00:00:00";
    }

    /** Makes the files that are not there yet. */
    void make(List<Integer> histories) throws SQLException, IOException {
        Files.createDirectories(folder);
        for (int round = 0; round <= ROUNDS; round++) {
            String select = round == 0 ? base() : changed(round);
            make(source(round), SOURCE_SCHEMA, SOURCE, round == 0 ? List.of() : List.of(source(round - 1)), select);
        }
        for (int versions : histories) {
            if (versions > 0) {
                make(history(versions), TARGET_SCHEMA, TARGET, List.of(source(0)), history("a", versions));
            }
        }
    }

    private static void make(Path file, String schema, String table, List<Path> before, String select)
            throws SQLException, IOException {
        if (Files.exists(file)) {
            return;
        }
        Path half = file.resolveSibling(file.getFileName() + ".half");
        Files.deleteIfExists(half);
        try (Database database = new Database(half.toString(), "2GB")) {
            for (Path each : before) {
                database.run("ATTACH '" + each + "' AS a (READ_ONLY)");
            }
            database.run("CREATE SCHEMA " + schema);
            database.run("CREATE TABLE " + schema + "." + table + " AS " + select);
        }
        Files.move(half, file);
    }

    private String base() {
        return "SELECT i::BIGINT AS id, 'user_' || (hash(i) % 1000003)::VARCHAR AS name,"
                + " substr(md5(i::VARCHAR), 1, 12) || '@mail' || (hash(i + 7) % 50)::VARCHAR || '.example.com' AS email,"
                + " ['Lisbon', 'Oslo', 'Turin', 'Gdansk', 'Porto', 'Leeds', 'Brno', 'Ghent'][1 + (hash(i + 1) % 8)::INT]"
                + " AS city, (hash(i + 2) % 5)::INTEGER AS tier,"
                + " ((hash(i + 3) % 10000000)::DECIMAL(18,2) / 100)::DECIMAL(18,2) AS balance,"
                + " (hash(i + 4) % 1000000) / 1000.0::DOUBLE AS score, hash(i + 5) % 2 = 0 AS active,"
                + " CASE WHEN i % 7 > 0 THEN '+351 9' || (hash(i + 8) % 100000000)::VARCHAR END AS phone,"
                + " 'prefers ' || ['mail', 'letters', 'calls'][1 + (hash(i + 9) % 3)::INT] || ' since '"
                + " || (2000 + hash(i + 10) % 25)::VARCHAR AS note,"
                + " DATE '2000-01-01' + (hash(i + 11) % 9000)::INTEGER AS created_on,"
                + " TIMESTAMP '2024-01-01 00:00:00' + INTERVAL (hash(i + 6) % 31536000) SECOND AS updated_at"
                + " FROM range(1, " + (keys + 1) + ") AS t(i) ORDER BY i";
    }

    private static String changed(int round) {
        String differs = "hash(id * 31 + " + round + ") % 100 = 0";
        return "SELECT * REPLACE (CASE WHEN " + differs
                + " THEN balance + 1 ELSE balance END::DECIMAL(18,2) AS balance,"
                + " CASE WHEN " + differs + " THEN 'moved ' || city ELSE city END AS city,"
                + " CASE WHEN " + differs + " THEN TIMESTAMP '" + time(round) + "' - INTERVAL (1 + id % 3600) SECOND"
                + " ELSE updated_at END AS updated_at) FROM a." + SOURCE_SCHEMA + "." + SOURCE + " ORDER BY id";
    }

    /** Closed versions lie one day each before the current one. */
    private static String history(String source, int versions) {
        String from = source + "." + SOURCE_SCHEMA + "." + SOURCE;
        String columns = COLUMNS.stream()
                .map(column -> column.equals("updated_at") ? "updated_at - to_days(v::INT) AS updated_at" : column)
                .collect(Collectors.joining(", "));
        String time = "(updated_at - to_days(v::INT))";
        return "SELECT " + columns + ", " + DbtStatements.id(time) + " AS dbt_scd_id, " + time + " AS dbt_updated_at, "
                + time + " AS dbt_valid_from, CASE WHEN v > 0 THEN updated_at - to_days(v::INT - 1) END AS dbt_valid_to"
                + " FROM " + from + ", (SELECT unnest(["
                + IntStream.rangeClosed(0, versions).mapToObj(Integer::toString).collect(Collectors.joining(", "))
                + "]) AS v) AS versions";
    }
}
