package io.tidemark.delta.vector;

import java.io.IOException;
import java.util.Arrays;

/** Bytes as text, five characters for four bytes, by the ZeroMQ alphabet. */
final class Z85 {
    private static final String ALPHABET =
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
    private static final int BASE = 85;
    private static final int BLOCK_BYTES = 4;
    private static final int BLOCK_CHARACTERS = 5;
    private static final long BLOCK_MAX = 0xffff_ffffL;

    private Z85() {}

    /** Encodes bytes; a last block that is not full is filled up with zeros. */
    static String encode(byte[] bytes) {
        int blocks = (bytes.length + BLOCK_BYTES - 1) / BLOCK_BYTES;
        byte[] padded = Arrays.copyOf(bytes, blocks * BLOCK_BYTES);
        char[] text = new char[blocks * BLOCK_CHARACTERS];
        for (int block = 0; block < blocks; block++) {
            long value = 0;
            for (int i = 0; i < BLOCK_BYTES; i++) {
                value = (value << Byte.SIZE) | (padded[block * BLOCK_BYTES + i] & 0xff);
            }
            for (int i = BLOCK_CHARACTERS - 1; i >= 0; i--) {
                text[block * BLOCK_CHARACTERS + i] = ALPHABET.charAt((int) (value % BASE));
                value /= BASE;
            }
        }
        return new String(text);
    }

    /** Decodes the first bytes of a text. */
    static byte[] decode(String text, int length) throws IOException {
        if (text.length() % BLOCK_CHARACTERS != 0) {
            throw new IOException("the length of an encoded text must be a multiple of five");
        }
        int blocks = text.length() / BLOCK_CHARACTERS;
        if (length < 0 || length > blocks * BLOCK_BYTES) {
            throw new IOException("the encoded text is too short for " + length + " bytes");
        }
        byte[] bytes = new byte[blocks * BLOCK_BYTES];
        for (int block = 0; block < blocks; block++) {
            long value = 0;
            for (int i = 0; i < BLOCK_CHARACTERS; i++) {
                int digit = ALPHABET.indexOf(text.charAt(block * BLOCK_CHARACTERS + i));
                if (digit < 0) {
                    throw new IOException("a character of the encoded text is not of its alphabet");
                }
                value = value * BASE + digit;
            }
            if (value > BLOCK_MAX) {
                throw new IOException("a block of the encoded text is too large");
            }
            for (int i = BLOCK_BYTES - 1; i >= 0; i--) {
                bytes[block * BLOCK_BYTES + i] = (byte) value;
                value >>>= Byte.SIZE;
            }
        }
        return Arrays.copyOf(bytes, length);
    }
}
