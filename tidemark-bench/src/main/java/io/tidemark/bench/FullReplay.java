package io.tidemark.bench;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What each table must hold in the end, computed from all events at once by queries that share nothing with Tidemark.
 * Tables are compared by count and a sum of hashes of their rows. Of bitemporal tables the present belief is compared.
 */
final class FullReplay {
    /** Names under which rows are digested in a history. */
    static final String START = "starts";

    static final String END = "ends";

    private FullReplay() {}

    /** The digest that a right result has. */
    static String expected(Workload workload, Scenario scenario, List<Step> steps) throws SQLException {
        List<String> parts = new ArrayList<>();
        for (Step step : steps) {
            if (step != Step.NOTHING) {
                Path file = workload.file(scenario, step);
                parts.add("SELECT " + String.join(", ", Workload.COLUMNS) + ", op FROM '" + file + "'");
            }
        }
        try (Database database = new Database("", "4GB")) {
            database.run("CREATE TABLE events AS " + String.join(" UNION ALL ", parts));
            return database.value(digest(scenario, "(" + replay(scenario) + ")"));
        }
    }

    /** SQL of the digest of a relation with the data columns and, in a history, {@link #START} and {@link #END}. */
    static String digest(Scenario scenario, String relation) {
        List<String> columns = new ArrayList<>(Workload.COLUMNS);
        if (scenario != Scenario.SCD1 && scenario != Scenario.PARTIAL) {
            columns.add(START);
            columns.add(END);
        }
        return "SELECT count(*)::VARCHAR || ' rows, ' || coalesce(sum(hash(" + String.join(", ", columns)
                + ")::HUGEINT), 0)::VARCHAR FROM " + relation + " AS digested";
    }

    private static String replay(Scenario scenario) {
        return switch (scenario) {
            case SCD1 ->
                "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY seq DESC) AS latest FROM events)"
                        + " WHERE latest = 1 AND op <> 'D'";
            case SCD2 ->
                "SELECT * FROM (SELECT *, seq AS starts, lead(seq) OVER (PARTITION BY id ORDER BY seq) AS ends"
                        + " FROM events) WHERE op <> 'D'";
            case SCD2_TRACKED -> tracked();
            case PARTIAL -> partial();
            case BITEMPORAL ->
                "SELECT * FROM (SELECT *, updated_at AS starts, lead(updated_at) OVER (PARTITION BY id ORDER BY"
                        + " updated_at) AS ends FROM (SELECT *, row_number() OVER (PARTITION BY id, updated_at ORDER BY"
                        + " seq DESC) AS latest FROM events) WHERE latest = 1) WHERE op <> 'D'";
        };
    }

    /** Islands of equal tracked values; the last event of an island gives the other columns. */
    private static String tracked() {
        String breaks = "SELECT *, CASE WHEN op = 'D' OR lag(op) OVER w IS NULL OR lag(op) OVER w = 'D'"
                + " OR lag(city) OVER w <> city OR lag(tier) OVER w <> tier THEN 1 ELSE 0 END AS breaks FROM events"
                + " WINDOW w AS (PARTITION BY id ORDER BY seq)";
        String islands = "SELECT *, sum(breaks) OVER (PARTITION BY id ORDER BY seq) AS island FROM (" + breaks + ")";
        String bounded = "SELECT *, min(seq) OVER i AS starts, row_number() OVER (PARTITION BY id, island ORDER BY seq"
                + " DESC) AS latest FROM (" + islands + ") WINDOW i AS (PARTITION BY id, island)";
        return "SELECT * FROM (SELECT *, lead(starts) OVER (PARTITION BY id ORDER BY starts) AS ends FROM (SELECT *"
                + " FROM (" + bounded + ") WHERE latest = 1)) WHERE op <> 'D'";
    }

    /** Each column's last value since the last delete; the sequence is authored by every event. */
    private static String partial() {
        String values = Workload.COLUMNS.stream()
                .filter(column -> !column.equals("id"))
                .map(column -> "last(" + column + " ORDER BY seq) FILTER (op <> 'D' AND " + column + " IS NOT NULL) AS "
                        + column)
                .collect(Collectors.joining(", "));
        return "SELECT * FROM (SELECT id, life, " + values + ", max(seq) AS newest, last(op ORDER BY seq) AS op,"
                + " max(life) OVER (PARTITION BY id) AS last_life FROM (SELECT *, sum(CASE WHEN op = 'D' THEN 1 ELSE 0"
                + " END) OVER (PARTITION BY id ORDER BY seq) AS life FROM events) GROUP BY id, life)"
                + " WHERE life = last_life AND op <> 'D'";
    }
}
