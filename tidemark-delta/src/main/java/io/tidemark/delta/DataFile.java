package io.tidemark.delta;

import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.FileStatistics;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A data file that is part of a table at a version.
 *
 * @param add the action that the log holds for it
 * @param location where the file is, for engines to read
 */
public record DataFile(AddFile add, String location) {
    /** The path as in the log: percent-encoded, relative to the table or absolute. */
    public String path() {
        return add.path();
    }

    /** Length in bytes. */
    public long size() {
        return add.size();
    }

    /** Text value, or null, of each partition column, by physical name. */
    public Map<String, @Nullable String> partitionValues() {
        return add.partitionValues();
    }

    /** When the file was made. */
    public Instant modified() {
        return Instant.ofEpochMilli(add.modificationTime());
    }

    /** The statistics as JSON text, if the log has them. */
    public Optional<String> statsJson() {
        return Optional.ofNullable(add.stats());
    }

    /** The statistics; parsed at each call. */
    public FileStatistics statistics() {
        return FileStatistics.parse(add.stats());
    }

    /** Which rows of the file are deleted, if any. */
    public Optional<DeletionVectorDescriptor> deletionVector() {
        return Optional.ofNullable(add.deletionVector());
    }

    /** Number of rows that are not deleted, if the log says it. */
    public OptionalLong liveRecords() {
        OptionalLong physical = statistics().numRecords();
        if (physical.isEmpty()) {
            return physical;
        }
        DeletionVectorDescriptor vector = add.deletionVector();
        return OptionalLong.of(physical.getAsLong() - (vector == null ? 0 : vector.cardinality()));
    }

    /** Free-form marks. */
    public Map<String, @Nullable String> tags() {
        return add.tags();
    }

    /** First row id of the file, in tables with row tracking. */
    public OptionalLong baseRowId() {
        return optional(add.baseRowId());
    }

    /** Version that added the file's rows, in tables with row tracking. */
    public OptionalLong defaultRowCommitVersion() {
        return optional(add.defaultRowCommitVersion());
    }

    /** Who clustered the file, if known: {@link DeltaTable#actions} has it, replayed snapshots do not. */
    public Optional<String> clusteringProvider() {
        return Optional.ofNullable(add.clusteringProvider());
    }

    private static OptionalLong optional(@Nullable Long value) {
        return value == null ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
