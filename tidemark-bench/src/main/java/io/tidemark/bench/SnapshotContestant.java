package io.tidemark.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;

/** Somebody who keeps the table of a snapshot. Each run opens all that it needs, as a process of its own would. */
interface SnapshotContestant {
    /**
     * Begins anew.
     *
     * @param folder an empty folder to work in
     * @param history how many closed rows each key has at first; 0 for no table
     */
    void begin(Path folder, int history) throws IOException, SQLException;

    /** Runs the snapshot over the source of a round. */
    void run(int round) throws IOException, SQLException;

    /** A text over all rows of the table that is equal for equal rows. */
    String digest() throws SQLException;

    /** What a digest is computed by, over a relation. */
    static String digestOf(String relation) {
        return "SELECT count(*)::VARCHAR || ' rows, ' || sum(hash(" + String.join(", ", SnapshotInput.COLUMNS)
                + ", dbt_scd_id, dbt_updated_at, dbt_valid_from, dbt_valid_to)::HUGEINT)::VARCHAR AS v FROM "
                + relation;
    }
}
