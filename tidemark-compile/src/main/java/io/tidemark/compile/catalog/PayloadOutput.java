package io.tidemark.compile.catalog;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A payload that is being written. Closing it without {@link #finish} discards it. Not safe for use by many threads. */
public final class PayloadOutput extends OutputStream {
    private final PayloadFiles files;
    private final LayerDefinition layer;
    private final String partition;
    private final Path scratch;
    private final Consumer<PayloadOutput> ended;
    private final Map<Digest, MessageDigest> digests = new LinkedHashMap<>();
    private final CRC32C crc = new CRC32C();
    private ByteArrayOutputStream memory = new ByteArrayOutputStream();
    private @Nullable Path spool;
    private @Nullable OutputStream spooled;
    private long size;

    PayloadOutput(
            PayloadFiles files, LayerDefinition layer, String partition, Path scratch, Consumer<PayloadOutput> ended) {
        this.files = files;
        this.layer = layer;
        this.partition = partition;
        this.scratch = scratch;
        this.ended = ended;
        digests.put(layer.digest(), layer.digest().begin());
        layer.formerDigests().forEach(digest -> digests.put(digest, digest.begin()));
        // Files are named by it, whatever tells the layer's payloads apart.
        digests.computeIfAbsent(Digest.SHA_256, Digest::begin);
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        size += length;
        crc.update(bytes, offset, length);
        digests.values().forEach(digest -> digest.update(bytes, offset, length));
        if (spooled == null && size > layer.inlineLimitBytes()) {
            // Not made as a temporary file, which nobody else might read once it has moved to its place.
            Path file = files.spoolFolder(scratch).resolve("payload-" + UUID.randomUUID() + ".tmp");
            spool = file;
            spooled = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            memory.writeTo(spooled);
            memory = new ByteArrayOutputStream(0);
        }
        (spooled == null ? memory : spooled).write(bytes, offset, length);
    }

    /**
     * Ends the payload.
     *
     * @throws TidemarkException {@code EMPTY_PAYLOAD} if it has no bytes and the layer forbids that
     * @throws IOException if the scratch file cannot be written
     */
    public StagedPayload finish() throws IOException {
        if (size == 0 && !layer.allowsEmptyPayloads()) {
            throw emptyPayload(layer.id(), List.of(partition));
        }
        Map<Digest, String> checksums = new LinkedHashMap<>();
        digests.forEach((digest, state) -> checksums.put(digest, HexFormat.of().formatHex(state.digest())));
        String handle = null;
        if (spooled != null && spool != null) {
            spooled.close();
            handle = PayloadFiles.handle(checksums.getOrDefault(Digest.SHA_256, ""));
            files.put(spool, handle, size);
        }
        String former = layer.formerDigests().stream()
                .map(digest -> digest.algorithm() + ":" + checksums.get(digest))
                .collect(Collectors.joining(" "));
        return new StagedPayload(
                handle == null ? memory.toByteArray() : null,
                handle,
                size,
                crc.getValue(),
                checksums.getOrDefault(layer.digest(), ""),
                former.isEmpty() ? null : former);
    }

    @Override
    public void close() throws IOException {
        discard();
    }

    /** Takes the scratch file away. */
    void discard() {
        ended.accept(this);
        OutputStream output = spooled;
        if (output != null) {
            try {
                output.close();
            } catch (IOException e) {
                // what could not be written is thrown away
                size = 0;
            }
        }
        Path file = spool;
        if (file != null) {
            PayloadStager.deleteQuietly(file);
        }
    }

    static TidemarkException emptyPayload(String layer, List<String> partitions) {
        return TidemarkException.of(
                        ErrorCode.EMPTY_PAYLOAD,
                        "the payload of partition " + layer + "/" + partitions.get(0) + " has no bytes")
                .detail(
                        partitions.size() == 1
                                ? "A partition without a payload is one that is deleted, which is said otherwise."
                                : "So have " + String.join(", ", partitions.subList(1, partitions.size())) + ".")
                .hint("give no payload to delete the partition, or let the layer allow payloads of zero bytes")
                .build();
    }
}
