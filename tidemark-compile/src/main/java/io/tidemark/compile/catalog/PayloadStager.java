package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes payloads ready to be published: computes their digests while they are written, and puts large ones into files of
 * the catalog, named by their content, so that writing one twice leaves one file. Safe for use by many threads.
 */
public final class PayloadStager implements AutoCloseable {
    private final PayloadFiles files;
    private final Map<String, LayerDefinition> layers;
    private final Path scratch;
    private final Set<PayloadOutput> open = ConcurrentHashMap.newKeySet();

    PayloadStager(PayloadFiles files, Map<String, LayerDefinition> layers, Path scratch) {
        this.files = files;
        this.layers = Map.copyOf(layers);
        this.scratch = scratch;
    }

    /** As {@link #open}, for bytes that are in memory; the array must not be changed afterwards. */
    public StagedPayload stage(String layer, String partition, byte[] payload) {
        try (PayloadOutput output = open(layer, partition)) {
            output.write(payload, 0, payload.length);
            return output.finish();
        } catch (IOException e) {
            throw failed(layer, partition, e);
        }
    }

    /** As {@link #open}, for the rest of a stream, which is not closed. */
    public StagedPayload stage(String layer, String partition, InputStream payload) {
        try (PayloadOutput output = open(layer, partition)) {
            payload.transferTo(output);
            return output.finish();
        } catch (IOException e) {
            throw failed(layer, partition, e);
        }
    }

    /**
     * Begins a payload. At most the layer's limit for payloads in rows is held in memory.
     *
     * @throws TidemarkException {@code UNKNOWN_LAYER}, {@code INVALID_PARTITION_NAME}
     */
    public PayloadOutput open(String layer, String partition) {
        LayerDefinition definition = layers.get(layer);
        if (definition == null) {
            throw Catalog.unknownLayer(layer, layers.keySet());
        }
        definition.checkName(partition);
        PayloadOutput output = new PayloadOutput(files, definition, partition, scratch, open::remove);
        open.add(output);
        return output;
    }

    private static TidemarkException failed(String layer, String partition, IOException cause) {
        return TidemarkException.of(
                        ErrorCode.IO_FAILED,
                        "the payload of partition " + layer + "/" + partition + " cannot be staged")
                .cause(cause)
                .build();
    }

    /** Deletes what is left of payloads that were begun and never finished. */
    @Override
    public void close() {
        for (PayloadOutput output : Set.copyOf(open)) {
            output.discard();
        }
    }

    /** Takes a scratch file away; one that cannot be deleted is in a folder that is the caller's to clean. */
    static void deleteQuietly(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            file.toFile().deleteOnExit();
        }
    }
}
