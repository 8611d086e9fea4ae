package io.tidemark.delta.log;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file that holds the row changes of a version.
 *
 * @param path percent-encoded path, under {@code _change_data/}
 * @param partitionValues text value, or null, of each partition column
 * @param size length of the file in bytes
 * @param tags free-form marks
 */
public record CdcFile(
        String path, Map<String, @Nullable String> partitionValues, long size, Map<String, @Nullable String> tags)
        implements Action {
    /** Copies the maps. */
    public CdcFile {
        partitionValues = Copies.of(partitionValues);
        tags = Copies.of(tags);
    }
}
