package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a layer is.
 *
 * @param id its id: letters, digits, {@code -}, {@code _} and {@code .}, beginning with a letter or digit
 * @param partitioning which names its partitions may have
 * @param digest how its payloads are told apart
 * @param formerDigests digests that it had before, which rows of the catalog may still have
 * @param contentType media type of its payloads, for example {@code application/json}; not checked
 * @param inlineLimitBytes payloads up to this size stand in the table's rows, larger ones in files of their own
 * @param allowsEmptyPayloads whether a payload may have zero bytes
 */
public record LayerDefinition(
        String id,
        Partitioning partitioning,
        Digest digest,
        List<Digest> formerDigests,
        String contentType,
        long inlineLimitBytes,
        boolean allowsEmptyPayloads) {
    /** Default of {@link #inlineLimitBytes}. */
    public static final long INLINE_LIMIT_BYTES_DEFAULT = 64L * 1024;
    /** Greatest {@link #inlineLimitBytes}: engines hold some thousand rows at once in memory. */
    public static final long INLINE_LIMIT_BYTES_MAX = 1024L * 1024;

    private static final String ID = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}";
    private static final String CONTENT_TYPE_DEFAULT = "application/octet-stream";

    /**
     * Checks the parts.
     *
     * @throws TidemarkException {@code LAYER_INVALID}
     */
    public LayerDefinition {
        formerDigests = List.copyOf(formerDigests);
        if (!id.matches(ID)) {
            throw TidemarkException.of(ErrorCode.LAYER_INVALID, "'" + id + "' cannot be the id of a layer")
                    .hint("use up to 100 letters, digits, '-', '_' and '.', beginning with a letter or digit")
                    .build();
        }
        if (inlineLimitBytes < 0 || inlineLimitBytes > INLINE_LIMIT_BYTES_MAX) {
            throw TidemarkException.of(
                            ErrorCode.LAYER_INVALID,
                            "layer " + id + " cannot have payloads of " + inlineLimitBytes + " bytes in its rows")
                    .hint("the limit is 0 to " + INLINE_LIMIT_BYTES_MAX + " bytes")
                    .build();
        }
    }

    /** A layer of partitions with names of any kind, and the usual settings. */
    public static LayerDefinition generic(String id) {
        return of(id, new Partitioning.Generic());
    }

    /** A layer with the usual settings. */
    public static LayerDefinition of(String id, Partitioning partitioning) {
        return new LayerDefinition(
                id, partitioning, Digest.SHA_256, List.of(), CONTENT_TYPE_DEFAULT, INLINE_LIMIT_BYTES_DEFAULT, false);
    }

    /** This with another digest; the one that it has becomes a former one. */
    public LayerDefinition withDigest(Digest other) {
        if (other == digest) {
            return this;
        }
        Set<Digest> former = new LinkedHashSet<>(formerDigests);
        former.add(digest);
        former.remove(other);
        return new LayerDefinition(
                id, partitioning, other, List.copyOf(former), contentType, inlineLimitBytes, allowsEmptyPayloads);
    }

    /**
     * This layer as another definition has it, which keeps the digests that this had.
     *
     * @throws TidemarkException {@code LAYER_INVALID} if names that this allows would not be allowed any more
     */
    LayerDefinition changedTo(LayerDefinition other) {
        if (!other.partitioning.allowsAllOf(partitioning)) {
            throw TidemarkException.of(
                            ErrorCode.LAYER_INVALID, "layer " + id + " has partitions that could not stay in it")
                    .detail("It is partitioned by " + partitioning + " and would be by " + other.partitioning + ".")
                    .hint("levels of tiles can be added; for anything else make another layer")
                    .build();
        }
        LayerDefinition digested = withDigest(other.digest);
        return new LayerDefinition(
                id,
                other.partitioning,
                digested.digest,
                digested.formerDigests,
                other.contentType,
                other.inlineLimitBytes,
                other.allowsEmptyPayloads);
    }

    /** This with a digest that no partition of the layer was published without. */
    public LayerDefinition withFirstDigest(Digest other) {
        return new LayerDefinition(
                id, partitioning, other, List.of(), contentType, inlineLimitBytes, allowsEmptyPayloads);
    }

    /** This with another partitioning. */
    public LayerDefinition withPartitioning(Partitioning other) {
        return new LayerDefinition(
                id, other, digest, formerDigests, contentType, inlineLimitBytes, allowsEmptyPayloads);
    }

    /** This with another limit for payloads in rows. */
    public LayerDefinition withInlineLimit(long bytes) {
        return new LayerDefinition(id, partitioning, digest, formerDigests, contentType, bytes, allowsEmptyPayloads);
    }

    /** This with another content type. */
    public LayerDefinition withContentType(String type) {
        return new LayerDefinition(
                id, partitioning, digest, formerDigests, type, inlineLimitBytes, allowsEmptyPayloads);
    }

    /** This, with payloads of zero bytes allowed. */
    public LayerDefinition allowingEmptyPayloads() {
        return new LayerDefinition(id, partitioning, digest, formerDigests, contentType, inlineLimitBytes, true);
    }

    /**
     * Checks that a partition may have a name.
     *
     * @throws TidemarkException {@code INVALID_PARTITION_NAME}
     */
    public void checkName(String partition) {
        partitioning.objection(partition).ifPresent(objection -> {
            throw TidemarkException.of(
                            ErrorCode.INVALID_PARTITION_NAME,
                            "the partition name '" + partition + "' of layer " + id + " " + objection)
                    .build();
        });
    }
}
