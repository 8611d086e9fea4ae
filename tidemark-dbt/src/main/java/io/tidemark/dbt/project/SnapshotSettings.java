package io.tidemark.dbt.project;

import io.tidemark.core.error.TextLocation;
import java.util.List;
import java.util.Optional;

/**
 * What a snapshot does, checked.
 *
 * @param strategy how changes are found
 * @param uniqueKey SQL of the parts of the key
 * @param updatedAt SQL of the time of a row; always there with {@link Strategy#TIMESTAMP}
 * @param checkColumns columns that are compared with {@link Strategy#CHECK}; empty = all
 * @param hardDeletes what happens to keys that vanish
 * @param validToCurrent SQL of the value of {@code dbt_valid_to} in current rows; NULL without it
 * @param columns names of the columns that a snapshot adds
 * @param allowEmptySource whether a source without rows may close all current rows
 * @param nullUpdatedAtIsRunTime whether a row without time counts as changed at the run's time, instead of failing the run
 * @param detectByHash whether changed rows whose time did not move forward get a version, too
 * @param docs descriptions that become comments of the table
 * @param warnings what of its options is left out, for people; said at each run
 * @param location where the snapshot is defined
 */
public record SnapshotSettings(
        Strategy strategy,
        List<String> uniqueKey,
        Optional<String> updatedAt,
        List<String> checkColumns,
        HardDeletes hardDeletes,
        Optional<String> validToCurrent,
        MetaColumns columns,
        boolean allowEmptySource,
        boolean nullUpdatedAtIsRunTime,
        boolean detectByHash,
        PersistedDocs docs,
        List<String> warnings,
        TextLocation location) {
    /** Copies the lists. */
    public SnapshotSettings {
        uniqueKey = List.copyOf(uniqueKey);
        checkColumns = List.copyOf(checkColumns);
        warnings = List.copyOf(warnings);
    }

    /** Settings without comments and warnings. */
    public SnapshotSettings(
            Strategy strategy,
            List<String> uniqueKey,
            Optional<String> updatedAt,
            List<String> checkColumns,
            HardDeletes hardDeletes,
            Optional<String> validToCurrent,
            MetaColumns columns,
            boolean allowEmptySource,
            boolean nullUpdatedAtIsRunTime,
            boolean detectByHash,
            TextLocation location) {
        this(
                strategy,
                uniqueKey,
                updatedAt,
                checkColumns,
                hardDeletes,
                validToCurrent,
                columns,
                allowEmptySource,
                nullUpdatedAtIsRunTime,
                detectByHash,
                PersistedDocs.NONE,
                List.of(),
                location);
    }

    /** How changes are found. */
    public enum Strategy {
        /** A row changed if its time is later. */
        TIMESTAMP,
        /** A row changed if a compared column did. */
        CHECK
    }

    /** What happens to keys that the source does not have any more. */
    public enum HardDeletes {
        /** Nothing: they stay current. */
        IGNORE,
        /** They are closed. */
        INVALIDATE,
        /** They are closed, and a row says since when they are gone. */
        NEW_RECORD
    }

    /**
     * Names of the columns that a snapshot adds.
     *
     * @param validFrom start of a version
     * @param validTo end of a version
     * @param scdId id of a version
     * @param updatedAt time of the source's row
     * @param isDeleted whether the version says that the key is gone
     */
    public record MetaColumns(String validFrom, String validTo, String scdId, String updatedAt, String isDeleted) {
        /** The usual names. */
        public static final MetaColumns DEFAULT =
                new MetaColumns("dbt_valid_from", "dbt_valid_to", "dbt_scd_id", "dbt_updated_at", "dbt_is_deleted");

        /** All names. */
        public List<String> all() {
            return List.of(scdId, updatedAt, validFrom, validTo, isDeleted);
        }
    }

    /** Settings of a snapshot with the given strategy and key, and nothing else. */
    public static SnapshotSettings of(Strategy strategy, List<String> uniqueKey) {
        return new SnapshotSettings(
                strategy,
                uniqueKey,
                Optional.empty(),
                List.of(),
                HardDeletes.IGNORE,
                Optional.empty(),
                MetaColumns.DEFAULT,
                false,
                false,
                false,
                TextLocation.NONE);
    }
}
