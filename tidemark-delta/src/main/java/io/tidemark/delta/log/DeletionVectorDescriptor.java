package io.tidemark.delta.log;

import org.jspecify.annotations.Nullable;

/**
 * Where the deleted row positions of a data file are stored.
 *
 * @param storageType {@code u}: a file named by a UUID beside the data, {@code p}: a file by absolute path,
 *     {@code i}: in the log itself
 * @param pathOrInlineDv encoded UUID with an optional prefix, absolute path, or encoded bytes, by storage type
 * @param offset where the vector begins in its file, in bytes; absent for vectors in the log
 * @param sizeInBytes length of the vector without its size field and checksum
 * @param cardinality how many rows are deleted
 */
public record DeletionVectorDescriptor(
        String storageType, String pathOrInlineDv, @Nullable Integer offset, int sizeInBytes, long cardinality) {
    /** In a file named by a UUID, relative to the table. */
    public static final String UUID_RELATIVE = "u";

    /** In the log itself. */
    public static final String INLINE = "i";

    /** In a file given by its absolute path. */
    public static final String ABSOLUTE = "p";

    /** The identity of the vector in replay, as the protocol derives it. */
    public String uniqueId() {
        return offset == null ? storageType + pathOrInlineDv : storageType + pathOrInlineDv + "@" + offset;
    }
}
