package io.tidemark.compile.codec;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Collects bytes: numbers of eight bytes, counts of one to five, texts and byte arrays behind their length. */
final class ByteOutput {
    static final int COUNT_BITS = 7;
    static final int COUNT_MASK = 0x7f;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    void writeByte(int value) {
        bytes.write(value);
    }

    void writeLong(long value) {
        bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(value).array());
    }

    void writeCount(int count) {
        int rest = count;
        while (rest > COUNT_MASK) {
            bytes.write((rest & COUNT_MASK) | (COUNT_MASK + 1));
            rest >>>= COUNT_BITS;
        }
        bytes.write(rest);
    }

    void writeBytes(byte[] value) {
        writeCount(value.length);
        bytes.writeBytes(value);
    }

    /** Fails for half of a surrogate pair, which would come back as another text. */
    void writeText(String value) {
        try {
            ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
            writeCount(encoded.remaining());
            bytes.write(encoded.array(), encoded.arrayOffset(), encoded.remaining());
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException("a text holds half of a surrogate pair", e);
        }
    }

    byte[] toByteArray() {
        return bytes.toByteArray();
    }
}
