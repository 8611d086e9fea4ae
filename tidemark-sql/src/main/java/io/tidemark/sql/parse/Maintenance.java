package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** A statement that looks after a table's files or brings back an earlier version. */
public sealed interface Maintenance extends SessionStatement {
    /** The table. */
    TableName name();

    @Override
    default <T> T handle(Handler<T> handler) {
        return handler.maintain(this);
    }

    /**
     * {@code OPTIMIZE name [WHERE condition]}.
     *
     * @param name the table
     * @param where which partitions; all if absent
     * @param location where it begins
     */
    record Optimize(TableName name, Optional<QueryText> where, TextLocation location) implements Maintenance {}

    /**
     * {@code VACUUM name [RETAIN n HOURS] [DRY RUN]}.
     *
     * @param name the table
     * @param retention how long files are kept; the table's own if absent
     * @param dryRun whether files are only named
     * @param location where it begins
     */
    record Vacuum(TableName name, Optional<Duration> retention, boolean dryRun, TextLocation location)
            implements Maintenance {}

    /**
     * {@code RESTORE [TABLE] name TO VERSION AS OF n} or {@code TO TIMESTAMP AS OF t}.
     *
     * @param name the table
     * @param version the version to bring back; absent if it is told by a time
     * @param time the time as written; empty if the version is told by its number
     * @param location where it begins
     */
    record Restore(TableName name, OptionalLong version, String time, TextLocation location) implements Maintenance {}
}
