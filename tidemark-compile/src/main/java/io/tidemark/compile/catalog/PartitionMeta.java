package io.tidemark.compile.catalog;

import java.util.List;
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
    /**
     * What a row says.
     *
     * @param row values of the columns {@link Catalog#META_COLUMNS} in their order; more may follow
     */
    public static PartitionMeta of(List<@Nullable Object> row) {
        return new PartitionMeta(
                String.valueOf(row.get(0)),
                String.valueOf(row.get(1)),
                number(row.get(2)),
                Digest.of(String.valueOf(row.get(3))),
                String.valueOf(row.get(4)),
                number(row.get(5)),
                number(row.get(6)),
                row.get(7) instanceof String file ? file : null);
    }

    private static long number(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalArgumentException("a row of a catalog lacks a number");
    }

    /** The payload's file, if it has one of its own. */
    public Optional<String> file() {
        return Optional.ofNullable(handle);
    }
}
