package io.tidemark.compile.codec;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads what {@link ByteOutput} wrote. Failures are {@link CorruptBytesException}s. */
final class ByteInput {
    private final ByteBuffer bytes;

    ByteInput(byte[] bytes) {
        this.bytes = ByteBuffer.wrap(bytes);
    }

    byte readByte() {
        try {
            return bytes.get();
        } catch (BufferUnderflowException e) {
            throw new CorruptBytesException("it ends early");
        }
    }

    long readLong() {
        try {
            return bytes.getLong();
        } catch (BufferUnderflowException e) {
            throw new CorruptBytesException("it ends early");
        }
    }

    /** A number of things that follow, each of at least one byte. */
    int readCount() {
        int count = 0;
        for (int shift = 0; shift < Integer.SIZE; shift += ByteOutput.COUNT_BITS) {
            byte part = readByte();
            count |= (part & ByteOutput.COUNT_MASK) << shift;
            if (part >= 0) {
                if (count < 0 || count > bytes.remaining()) {
                    throw new CorruptBytesException("it ends early");
                }
                return count;
            }
        }
        throw new CorruptBytesException("a count is too long");
    }

    byte[] readBytes() {
        byte[] part = new byte[readCount()];
        bytes.get(part);
        return part;
    }

    String readText() {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(readBytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new CorruptBytesException("a text is not UTF-8");
        }
    }

    boolean isAtEnd() {
        return !bytes.hasRemaining();
    }

    /** The bytes are not what they must be. */
    static final class CorruptBytesException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        CorruptBytesException(String message) {
            super(message);
        }
    }
}
