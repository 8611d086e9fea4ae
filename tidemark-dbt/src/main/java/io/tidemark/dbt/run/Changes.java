package io.tidemark.dbt.run;

import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;

/**
 * The conditions under which a key's current row gets a successor, over the values {@code new_time} of the source and
 * {@code stored_time}, {@code deleted} of the current row.
 *
 * @param differs whether a compared column differs
 */
record Changes(SnapshotSettings settings, String differs) {
    /**
     * Whether the row changed. That a key is back which a row says is gone is a change under every option.
     *
     * @param newCompared whether a column is compared that the table does not have yet
     */
    String changed(boolean newCompared) {
        if (settings.strategy() == Strategy.CHECK) {
            return newCompared ? "TRUE" : "(c.deleted OR " + differs + ")";
        }
        return "(c.deleted OR " + timeMoved() + (settings.detectByHash() ? " OR " + differs : "") + ")";
    }

    /**
     * The time is compared with the one that the current row's own columns give, and not with the row's start: a row may
     * start later than its time says. A time that appeared or got lost moved, too.
     */
    static String timeMoved() {
        return "(CASE WHEN s.new_time IS NULL THEN c.stored_time IS NOT NULL"
                + " ELSE c.stored_time IS NULL OR c.stored_time < s.new_time END)";
    }

    /** Which rows that did not change are counted: those whose data did, although their time says otherwise. */
    String noticed() {
        return settings.strategy() == Strategy.TIMESTAMP && !settings.detectByHash() ? differs : "FALSE";
    }
}
