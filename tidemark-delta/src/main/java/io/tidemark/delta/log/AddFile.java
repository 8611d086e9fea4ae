package io.tidemark.delta.log;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes a data file part of the table.
 *
 * @param path percent-encoded path, relative to the table or an absolute URI
 * @param partitionValues text value, or null, of each partition column; physical names
 * @param size length of the file in bytes
 * @param modificationTime when the file was made, in milliseconds since 1970
 * @param dataChange false if the rows are only rearranged, as by compaction
 * @param stats statistics as JSON text
 * @param tags free-form marks
 * @param deletionVector which rows of the file are deleted
 * @param baseRowId first row id of the file, in tables with row tracking
 * @param defaultRowCommitVersion version that added the file's rows, in tables with row tracking
 * @param clusteringProvider who clustered the file
 */
public record AddFile(
        String path,
        Map<String, @Nullable String> partitionValues,
        long size,
        long modificationTime,
        boolean dataChange,
        @Nullable String stats,
        Map<String, @Nullable String> tags,
        @Nullable DeletionVectorDescriptor deletionVector,
        @Nullable Long baseRowId,
        @Nullable Long defaultRowCommitVersion,
        @Nullable String clusteringProvider)
        implements Action {
    /** Copies the maps. */
    public AddFile {
        partitionValues = Copies.of(partitionValues);
        tags = Copies.of(tags);
    }

    /** A new file that changes data, without tags and deletion vector. */
    public static AddFile of(
            String path,
            Map<String, @Nullable String> partitionValues,
            long size,
            long modificationTime,
            @Nullable String stats) {
        return new AddFile(
                path, partitionValues, size, modificationTime, true, stats, Map.of(), null, null, null, null);
    }

    /** What identifies the file in replay. */
    public FileKey key() {
        return FileKey.of(path, deletionVector);
    }

    /** The same file with other deleted rows and statistics. */
    public AddFile withDeletionVector(@Nullable DeletionVectorDescriptor vector, @Nullable String newStats) {
        return new AddFile(
                path,
                partitionValues,
                size,
                modificationTime,
                true,
                newStats,
                tags,
                vector,
                baseRowId,
                defaultRowCommitVersion,
                clusteringProvider);
    }

    /** The same file, said to change data or not. */
    public AddFile withDataChange(boolean changes) {
        return new AddFile(
                path,
                partitionValues,
                size,
                modificationTime,
                changes,
                stats,
                tags,
                deletionVector,
                baseRowId,
                defaultRowCommitVersion,
                clusteringProvider);
    }

    /** The action that takes this file, with its deletion vector, out of the table. */
    public RemoveFile toRemove(long deletionTimestamp, boolean changes) {
        return new RemoveFile(
                path,
                deletionTimestamp,
                changes,
                true,
                partitionValues,
                size,
                tags,
                deletionVector,
                baseRowId,
                defaultRowCommitVersion,
                stats);
    }
}
