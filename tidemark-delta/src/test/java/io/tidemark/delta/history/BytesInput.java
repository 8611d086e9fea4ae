package io.tidemark.delta.history;

import io.tidemark.delta.storage.SeekableInput;

/** An input over bytes in memory. */
final class BytesInput extends SeekableInput {
    private final byte[] bytes;
    private int position;

    BytesInput(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public void seek(long place) {
        position = Math.toIntExact(place);
    }

    @Override
    public long length() {
        return bytes.length;
    }

    @Override
    public int read() {
        return position < bytes.length ? bytes[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
        if (position >= bytes.length) {
            return -1;
        }
        int count = Math.min(length, bytes.length - position);
        System.arraycopy(bytes, position, target, offset, count);
        position += count;
        return count;
    }
}
