package io.tidemark.compile.fingerprint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A SHA-256 over parts, each behind its length, so that no two lists of parts look alike. */
public final class Hasher {
    private final MessageDigest digest;

    /** Nothing hashed yet. */
    public Hasher() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Adds a text. */
    public Hasher text(String text) {
        return bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Adds bytes. */
    public Hasher bytes(byte[] bytes) {
        number(bytes.length);
        digest.update(bytes);
        return this;
    }

    /** Adds a number. */
    public Hasher number(long number) {
        digest.update(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        return this;
    }

    /** The hash of what was added; nothing can be added any more. */
    public byte[] hash() {
        return digest.digest();
    }

    /** The hash in lower-case hexadecimal. */
    public String hex() {
        return HexFormat.of().formatHex(hash());
    }

    /** The SHA-256 of bytes alone. */
    public static byte[] hash(byte[] bytes) {
        Hasher hasher = new Hasher();
        hasher.digest.update(bytes);
        return hasher.hash();
    }
}
