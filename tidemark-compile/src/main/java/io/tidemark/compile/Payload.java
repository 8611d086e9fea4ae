package io.tidemark.compile;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The bytes of a partition, in memory or as a stream that can be opened. */
public final class Payload {
    private final Source source;

    private Payload(Source source) {
        this.source = source;
    }

    /** Opens a stream of bytes, from the start each time. */
    @FunctionalInterface
    public interface Source {
        /** Opens the stream; whoever calls it closes it. */
        InputStream open() throws IOException;
    }

    /** Bytes in memory; the array must not be changed afterwards. */
    public static Payload of(byte[] bytes) {
        return new Payload(new Bytes(bytes));
    }

    /** A text, as UTF-8. */
    public static Payload of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Bytes that need not fit into memory. */
    public static Payload of(Source source) {
        return new Payload(source);
    }

    /** No payload: the partition shall not be there. */
    public static Optional<Payload> none() {
        return Optional.empty();
    }

    /** A payload of bytes in memory. */
    public static Optional<Payload> some(byte[] bytes) {
        return Optional.of(of(bytes));
    }

    /** A payload of a text, as UTF-8. */
    public static Optional<Payload> some(String text) {
        return Optional.of(of(text));
    }

    /**
     * All bytes. Those of a published partition are checked against its digest.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code CORRUPT_PAYLOAD}
     */
    public byte[] bytes() {
        if (source instanceof Bytes known) {
            return known.bytes;
        }
        try (InputStream stream = source.open()) {
            return stream.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** All bytes as UTF-8 text. */
    public String text() {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    /** A stream of the bytes; whoever calls this closes it. */
    public InputStream open() throws IOException {
        return source.open();
    }

    /** Whether the bytes are in memory anyway. */
    boolean isInMemory() {
        return source instanceof Bytes;
    }

    private record Bytes(
            @SuppressWarnings("ArrayRecordComponent") byte[] bytes) implements Source {
        @Override
        public InputStream open() {
            return new ByteArrayInputStream(bytes);
        }
    }
}
