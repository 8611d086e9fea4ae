package io.tidemark.delta.log;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Takes a data file out of the table.
 *
 * @param path percent-encoded path as in the action that added it
 * @param deletionTimestamp when it was removed, in milliseconds since 1970
 * @param dataChange false if the rows are only rearranged
 * @param extendedFileMetadata whether partition values, size and tags are given
 * @param partitionValues text value, or null, of each partition column; empty if not given
 * @param size length of the file in bytes
 * @param tags free-form marks
 * @param deletionVector the deletion vector that the removed file had
 * @param baseRowId first row id of the file
 * @param defaultRowCommitVersion version that added the file's rows
 * @param stats statistics as JSON text
 */
public record RemoveFile(
        String path,
        @Nullable Long deletionTimestamp,
        boolean dataChange,
        boolean extendedFileMetadata,
        Map<String, @Nullable String> partitionValues,
        @Nullable Long size,
        Map<String, @Nullable String> tags,
        @Nullable DeletionVectorDescriptor deletionVector,
        @Nullable Long baseRowId,
        @Nullable Long defaultRowCommitVersion,
        @Nullable String stats)
        implements Action {
    /** Copies the maps. */
    public RemoveFile {
        partitionValues = Copies.of(partitionValues);
        tags = Copies.of(tags);
    }

    /** What identifies the file in replay. */
    public FileKey key() {
        return FileKey.of(path, deletionVector);
    }
}
