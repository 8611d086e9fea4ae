package io.tidemark.compile.catalog;

import java.io.InputStream;

/**
 * Makes payloads ready to be published: computes their digests while they are written, and puts large ones into files of
 * the catalog, named by their content, so that writing one twice leaves one file. Safe for use by many threads.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class PayloadStager implements AutoCloseable {
    PayloadStager() {}

    /** As {@link #open}, for bytes that are in memory. */
    public StagedPayload stage(String layer, String partition, byte[] payload) {
        throw new UnsupportedOperationException();
    }

    /** As {@link #open}, for the rest of a stream, which is not closed. */
    public StagedPayload stage(String layer, String partition, InputStream payload) {
        throw new UnsupportedOperationException();
    }

    /**
     * Begins a payload. At most the layer's limit for payloads in rows is held in memory.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code UNKNOWN_LAYER}, {@code INVALID_PARTITION_NAME}
     */
    public PayloadOutput open(String layer, String partition) {
        throw new UnsupportedOperationException();
    }

    /** Deletes what is left of payloads that were begun and never finished. */
    @Override
    public void close() {}
}
