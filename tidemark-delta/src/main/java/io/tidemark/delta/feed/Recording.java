package io.tidemark.delta.feed;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Metadata;
import java.util.OptionalLong;

/** Follows the metadata of a range of versions: whether each version recorded its changes, under a schema that fits. */
final class Recording {
    private static final String PROPERTY = "delta.enableChangeDataFeed";
    static final String TURN_ON =
            "turn it on for later versions: ALTER TABLE … SET TBLPROPERTIES ('" + PROPERTY + "' = 'true')";

    private final DeltaTable table;
    private final FeedSchema schema;
    private boolean on;
    private OptionalLong firstOff = OptionalLong.empty();
    private OptionalLong onSince = OptionalLong.empty();

    Recording(DeltaTable table, Snapshot end) {
        this.table = table;
        this.schema = new FeedSchema(table.location(), end.metadata(), end.version());
    }

    static boolean isOn(Metadata metadata) {
        return Boolean.parseBoolean(metadata.configuration().getOrDefault(PROPERTY, "false"));
    }

    /** The metadata that hold from a version on. */
    void saw(long version, Metadata metadata) {
        boolean now = isOn(metadata);
        if (!now && firstOff.isEmpty()) {
            firstOff = OptionalLong.of(version);
        }
        if (now && !on) {
            onSince = OptionalLong.of(version);
        }
        on = now;
        if (firstOff.isEmpty()) {
            schema.check(metadata, version);
        }
    }

    /** Whether changes are recorded at the version that was seen last. */
    boolean isOn() {
        return on;
    }

    void check(FeedRange range) {
        if (firstOff.isEmpty()) {
            return;
        }
        long version = firstOff.getAsLong();
        boolean whole = version == range.first() && !on && onSince.isEmpty();
        throw off(
                table.location(),
                version,
                on
                        ? "it is on from version " + onSince.orElse(range.last()) + " on: start there"
                        : (whole ? "" : "end with version " + (version - 1) + ", or ") + TURN_ON);
    }

    static TidemarkException off(String table, long version, String hint) {
        return TidemarkException.of(
                        ErrorCode.CHANGE_FEED_OFF,
                        "the change data feed of table " + table + " was off at version " + version)
                .detail("The changes of that version were not recorded.")
                .hint(hint)
                .build();
    }
}
