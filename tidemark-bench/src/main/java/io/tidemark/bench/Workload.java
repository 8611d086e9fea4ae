package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/**
 * The input of all contestants: files of change events, made from the number of keys alone, so that every run has the
 * same. Keys of updates and deletes are Zipf-like: ranks are log-uniform and scattered over the keys. One event in
 * twenty is late: its sequence lies up to a twentieth of a big batch back.
 *
 * <p>Columns: {@code id, name, email, city, tier, balance, score, active, updated_at, seq, op}; {@code op} is I, U or
 * D; {@code seq} is unique. All files are Parquet with zstd, like the targets.
 */
final class Workload {
    /** Big batches have a key count divided by this many events. */
    private static final long BIG_DIVISOR = 5;

    private static final long SMALL_DIVISOR = 500;
    private static final String OPTIONS = " (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 122880)";
    /** The columns that targets keep. */
    static final List<String> COLUMNS =
            List.of("id", "name", "email", "city", "tier", "balance", "score", "active", "updated_at", "seq");

    private final Path folder;
    private final long keys;
    private final int smallBatches;

    /**
     * The workload of a number of keys.
     *
     * @param folder where its files are or will be
     * @param smallBatches how many further small batches there are for the series
     */
    Workload(Path folder, long keys, int smallBatches) {
        this.folder = folder;
        this.keys = keys;
        this.smallBatches = smallBatches;
    }

    long keys() {
        return keys;
    }

    /** A key of the load that no later event names. */
    long quietKey() throws SQLException {
        try (Database database = new Database("", "1GB")) {
            return Long.parseLong(database.value("SELECT min(id)::VARCHAR FROM '" + file(Scenario.SCD1, Step.LOAD)
                    + "' WHERE id NOT IN (SELECT id FROM read_parquet(['" + file(Scenario.SCD1, Step.BIG) + "', '"
                    + file(Scenario.SCD1, Step.SMALL) + "', '" + file(Scenario.SCD1, Step.LOCAL) + "']))"));
        }
    }

    /** The file of a step's events; with partial events for {@link Scenario#PARTIAL}. */
    Path file(Scenario scenario, Step step) {
        boolean partial = scenario == Scenario.PARTIAL && step != Step.LOAD;
        return folder.resolve(step.label() + (partial ? "-partial" : "") + ".parquet");
    }

    /** One of the further small batches, from 0. */
    Path series(int number) {
        return folder.resolve("series-" + number + ".parquet");
    }

    int smallBatches() {
        return smallBatches;
    }

    /** Makes the files that are missing. */
    void make() throws IOException, SQLException {
        Path done = folder.resolve("complete-" + keys + "-" + smallBatches);
        if (Files.exists(done)) {
            return;
        }
        Files.createDirectories(folder);
        try (Database database = new Database("", "2GB")) {
            long big = keys / BIG_DIVISOR;
            long small = Math.max(1, keys / SMALL_DIVISOR);
            database.script(macros(big));
            copy(database, base(), file(Scenario.SCD1, Step.LOAD));
            database.run("CREATE TABLE happenings AS " + happenings(big + small * (2L + smallBatches)));
            database.run("CREATE TABLE events AS " + events(small, big + small));
            batch(database, Step.BIG, 0, big);
            batch(database, Step.SMALL, big, big + small);
            batch(database, Step.LOCAL, big + small, big + 2 * small);
            for (int i = 0; i < smallBatches; i++) {
                long from = big + small * (2L + i);
                copy(database, select("*", from, from + small), series(i));
            }
        }
        Files.writeString(done, "");
    }

    private void batch(Database database, Step step, long from, long to) throws SQLException {
        copy(database, select("*", from, to), file(Scenario.SCD1, step));
        StringBuilder columns = new StringBuilder("id, op, seq, updated_at");
        for (String column : COLUMNS) {
            if (!List.of("id", "seq", "updated_at").contains(column)) {
                columns.append(", CASE WHEN op <> 'U' OR hash(seq, '")
                        .append(column)
                        .append("') % 2 = 0 THEN ");
                columns.append(column).append(" END AS ").append(column);
            }
        }
        copy(database, select(columns.toString(), from, to), file(Scenario.PARTIAL, step));
    }

    private static String select(String columns, long from, long to) {
        return "SELECT " + (columns.equals("*") ? "* EXCLUDE (arrival)" : columns) + " FROM events WHERE arrival > "
                + from + " AND arrival <= " + to + " ORDER BY arrival";
    }

    private static void copy(Database database, String select, Path file) throws SQLException {
        database.run("COPY (" + select + ") TO '" + file + "'" + OPTIONS);
    }

    private String macros(long big) {
        return """
                CREATE MACRO uniform(i, k) AS (hash(i * 31 + k) % 1000000007) / 1000000007.0::DOUBLE;
                CREATE MACRO late(i) AS (hash(i * 31 + 3) % %d)::BIGINT;
                CREATE MACRO city(i) AS
                  ['Lisbon', 'Oslo', 'Turin', 'Gdansk', 'Porto', 'Leeds', 'Brno', 'Ghent', 'Cork', 'Malmo']
                  [1 + (hash(i + 1) %% 10)::INT];
                CREATE MACRO balance(i) AS ((hash(i + 3) %% 10000000)::DECIMAL(18,2) / 100)::DECIMAL(18,2);
                CREATE MACRO email(a, b) AS
                  substr(md5(a::VARCHAR), 1, 12) || '@mail' || (hash(b) %% 50)::VARCHAR || '.example.com';
                CREATE MACRO username(i) AS 'user_' || (hash(i) %% 1000003)::VARCHAR || '_' || i::VARCHAR;
                """.replace("% 1000000007) /", "%% 1000000007) /")
                .replace("3) % %d", "3) %% %d")
                .formatted(Math.max(1, big / 20));
    }

    private String base() {
        return "SELECT i::BIGINT AS id, username(i) AS name, email(i, i + 7) AS email, city(i) AS city,"
                + " (hash(i + 2) % 5)::INTEGER AS tier, balance(i) AS balance,"
                + " (hash(i + 4) % 1000000) / 1000.0::DOUBLE AS score, hash(i + 5) % 2 = 0 AS active,"
                + " TIMESTAMP '2024-01-01 00:00:00' + INTERVAL (hash(i + 6) % 31536000) SECOND AS updated_at,"
                + " 0::BIGINT AS seq, 'I' AS op FROM range(1, " + (keys + 1) + ") AS t(i) ORDER BY i";
    }

    /** What happens to which rank of key, in order of arrival. */
    private static String happenings(long count) {
        return "SELECT i, CASE WHEN uniform(i, 1) < 0.8 THEN 'U' WHEN uniform(i, 1) < 0.9 THEN 'I' ELSE 'D' END AS op,"
                + " greatest(1, CASE WHEN uniform(i, 2) < 0.05 THEN i - late(i) ELSE i END) AS moment"
                + " FROM range(1, " + (count + 1) + ") AS t(i)";
    }

    /** The events; those of the local step fall onto neighbouring keys in the middle of the table. */
    private String events(long small, long localFrom) {
        String scattered = "(floor(pow(" + keys + ".0, uniform(i, 4)))::BIGINT * 2654435761) % " + keys + " + 1";
        String local = (keys / 2) + " + floor(pow(" + small + ".0, uniform(i, 4)))::BIGINT";
        String placed = "SELECT i AS arrival, CASE WHEN op = 'I' THEN " + keys + " + i WHEN i > " + localFrom
                + " AND i <= " + (localFrom + small) + " THEN " + local + " ELSE " + scattered
                + " END::BIGINT AS id, op, moment * 2097152 + i AS seq FROM happenings";
        return "SELECT id, username(id) AS name, email(id + arrival, arrival) AS email, city(arrival) AS city,"
                + " (hash(arrival + 2) % 5)::INTEGER AS tier, balance(arrival) AS balance,"
                + " (hash(arrival + 4) % 1000000) / 1000.0::DOUBLE AS score, hash(arrival + 5) % 2 = 0 AS active,"
                + " TIMESTAMP '2025-01-01 00:00:00' + INTERVAL (arrival) SECOND AS updated_at, seq, op, arrival FROM ("
                + placed + ") AS p";
    }
}
