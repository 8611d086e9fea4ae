package io.tidemark.delta.log;

import org.jspecify.annotations.Nullable;

/**
 * What identifies a logical file in replay: one data file may come and go with different deletion vectors.
 *
 * @param path path as in the log
 * @param vectorId identity of the deletion vector, if there is one
 */
public record FileKey(String path, @Nullable String vectorId) {
    static FileKey of(String path, @Nullable DeletionVectorDescriptor vector) {
        return new FileKey(path, vector == null ? null : vector.uniqueId());
    }
}
