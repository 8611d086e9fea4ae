package io.tidemark.bench;

import java.util.stream.Collectors;

/** The statements that users write by hand. DuckDB and Spark both understand them, and the short ones Tidemark too. */
final class Statements {
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

    /** Changes one row. */
    static String updateOne(String target, long key) {
        return "UPDATE " + target + " SET city = 'Basel' WHERE id = " + key;
    }

    /** Counts the changes since a version. */
    static String changes(String target, long version) {
        return "SELECT count(*) AS n, count(DISTINCT id) AS k, sum(balance) AS b FROM table_changes('" + target + "', "
                + version + ")";
    }
}
