package io.tidemark.compile.catalog;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a catalog knows of a partition without its payload.
 *
 * @param layer id of the layer
 * @param partition name of the partition
 * @param version the catalog version that last wrote it
 * @param digest how {@code checksum} was computed; the layer's, or one that it had before
 * @param checksum digest of the payload, lower-case hexadecimal
 * @param size length of the payload in bytes
 * @param crc32c CRC-32C of the payload
 * @param handle path of the payload's file within the catalog; null if the payload stands in the row
 */
public record PartitionMeta(
        String layer,
        String partition,
        long version,
        Digest digest,
        String checksum,
        long size,
        long crc32c,
        @Nullable String handle) {
    /** The payload's file, if it has one of its own. */
    public Optional<String> file() {
        return Optional.ofNullable(handle);
    }
}
