package io.tidemark.delta.feed;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Metadata;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * The versions that two bounds mean.
 *
 * @param first the first version
 * @param last the last version, not before the first
 */
record FeedRange(long first, long last) {
    /**
     * Resolves bounds.
     *
     * @param latest the greatest version that is to be seen
     */
    static FeedRange of(DeltaTable table, Bound from, Bound to, long latest) {
        long first = start(table, from, latest);
        long last = end(table, to, latest);
        if (last < first) {
            throw TidemarkException.of(
                            ErrorCode.CHANGE_RANGE_INVALID,
                            "the range of changes of table " + table + " ends before its start")
                    .detail("It would start with version " + first + " and end with version " + last + ".")
                    .hint("both bounds are part of the range; leave out the end to read up to the latest version")
                    .build();
        }
        return new FeedRange(first, last);
    }

    private static long start(DeltaTable table, Bound from, long latest) {
        if (from instanceof Bound.AtVersion number) {
            return known(table, number.version(), "start", latest);
        }
        if (!(from instanceof Bound.AtTime bound)) {
            return beginning(table, latest);
        }
        Instant time = bound.time();
        OptionalLong version = table.firstVersionFrom(time);
        if (version.isEmpty() || version.getAsLong() > latest) {
            throw outside(table, time, "no commit at or after", "start earlier");
        }
        return version.getAsLong();
    }

    /** The first version since which changes are recorded without a gap, as far as the log still tells it. */
    private static long beginning(DeltaTable table, long latest) {
        long first = table.firstVersionFrom(Instant.EPOCH).orElse(latest);
        OptionalLong[] since = {OptionalLong.empty()};
        if (Recording.isOn(snapshot(table, first).metadata())) {
            since[0] = OptionalLong.of(first);
        }
        table.commits(
                first,
                latest,
                commit -> commit.actions().forEach(action -> {
                    if (action instanceof Metadata metadata && Recording.isOn(metadata) != since[0].isPresent()) {
                        since[0] = Recording.isOn(metadata) ? OptionalLong.of(commit.version()) : OptionalLong.empty();
                    }
                }));
        return since[0].orElseThrow(() -> Recording.off(table.location(), latest, Recording.TURN_ON));
    }

    private static long end(DeltaTable table, Bound to, long latest) {
        if (to instanceof Bound.AtVersion number) {
            return known(table, number.version(), "end", latest);
        }
        if (!(to instanceof Bound.AtTime bound)) {
            return beginning(table, latest);
        }
        Instant time = bound.time();
        OptionalLong version = table.lastVersionUpTo(time);
        if (version.isEmpty()) {
            throw outside(table, time, "no commit at or before", "end later");
        }
        return Math.min(version.getAsLong(), latest);
    }

    private static long known(DeltaTable table, long version, String what, long latest) {
        if (version > latest) {
            throw TidemarkException.of(
                            ErrorCode.CHANGE_RANGE_INVALID,
                            "the " + what + " of the range of changes, version " + version + ", is beyond table "
                                    + table)
                    .detail("Its latest version is " + latest + ".")
                    .hint("DESCRIBE HISTORY shows the versions")
                    .build();
        }
        return version;
    }

    private static TidemarkException outside(DeltaTable table, Instant time, String primary, String hint) {
        return TidemarkException.of(ErrorCode.TIMESTAMP_OUT_OF_RANGE, "table " + table + " has " + primary + " " + time)
                .hint(hint + "; DESCRIBE HISTORY shows the times of the versions")
                .build();
    }

    static Snapshot snapshot(DeltaTable table, long version) {
        try {
            return table.at(version);
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.VERSION_NOT_FOUND) {
                throw logGone(table, version);
            }
            throw e;
        }
    }

    static TidemarkException logGone(DeltaTable table, long version) {
        OptionalLong held = table.firstVersionFrom(Instant.EPOCH);
        return TidemarkException.of(
                        ErrorCode.CHANGE_LOG_GONE,
                        "the log of table " + table + " no longer holds the changes of version " + version)
                .detail(
                        held.isPresent()
                                ? "Its first entry is that of version " + held.getAsLong() + "."
                                : "It is empty.")
                .hint("start with a later version; delta.logRetentionDuration says how long the log is kept")
                .build();
    }
}
