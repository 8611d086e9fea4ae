package io.tidemark.compile.catalog;

import org.jspecify.annotations.Nullable;

/**
 * A payload that is ready to be published: in memory if it is small, else in a file of the catalog.
 *
 * @param inline the bytes; null if they are in a file
 * @param handle path of the file within the catalog; null if the bytes are here
 * @param size length in bytes
 * @param crc32c CRC-32C
 * @param checksum the layer's digest, lower-case hexadecimal
 * @param formerChecksums digests that the layer had before, each as {@code ALGORITHM:hexadecimal}, separated by blanks;
 *     null if it has had none
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares staged payloads, and copying them would cost
public record StagedPayload(
        byte @Nullable [] inline,
        @Nullable String handle,
        long size,
        long crc32c,
        String checksum,
        @Nullable String formerChecksums) {}
