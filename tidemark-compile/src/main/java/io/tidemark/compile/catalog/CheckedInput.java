package io.tidemark.compile.catalog;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/** A payload's bytes, which fail at their end, or before, if they are not those that were published. */
final class CheckedInput extends FilterInputStream {
    private static final int SKIP_BYTES = 8192;

    private final PartitionMeta meta;
    private final MessageDigest digest;
    private final CRC32C crc = new CRC32C();
    private long bytes;

    CheckedInput(InputStream input, PartitionMeta meta) {
        super(input);
        this.meta = meta;
        this.digest = meta.digest().begin();
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        int count = super.read(buffer, offset, length);
        if (count < 0) {
            checkWhole();
            return count;
        }
        crc.update(buffer, offset, count);
        digest.update(buffer, offset, count);
        bytes += count;
        if (bytes > meta.size()) {
            throw PayloadFiles.corrupt(meta, "it has more than the " + meta.size() + " bytes that were published");
        }
        return count;
    }

    private void checkWhole() {
        if (bytes != meta.size()) {
            throw PayloadFiles.corrupt(meta, "it has " + bytes + " bytes instead of " + meta.size());
        }
        if (crc.getValue() != meta.crc32c()) {
            throw PayloadFiles.corrupt(meta, "its CRC-32C differs");
        }
        if (!HexFormat.of().formatHex(finished()).equals(meta.checksum())) {
            throw PayloadFiles.corrupt(meta, "its " + meta.digest().algorithm() + " digest differs");
        }
    }

    /** The digest so far; taken from a copy, since the end may be read again. */
    private byte[] finished() {
        try {
            return ((MessageDigest) digest.clone()).digest();
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("the digests of the JDK can be cloned", e);
        }
    }

    /** Bytes that are skipped are part of the check. */
    @Override
    public long skip(long count) throws IOException {
        byte[] buffer = new byte[(int) Math.min(Math.max(count, 1), SKIP_BYTES)];
        long left = count;
        while (left > 0) {
            int read = read(buffer, 0, (int) Math.min(left, buffer.length));
            if (read < 0) {
                break;
            }
            left -= read;
        }
        return count - left;
    }

    @Override
    public boolean markSupported() {
        return false;
    }
}
