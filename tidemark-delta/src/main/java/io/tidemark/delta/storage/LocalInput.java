package io.tidemark.delta.storage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A buffered file of the local disk. */
final class LocalInput extends SeekableInput {
    private static final int BUFFER_BYTES = 64 * 1024;

    private final FileChannel channel;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
    /** Where the channel stands, which is the end of what the buffer holds. */
    private long channelPosition;

    LocalInput(Path path) throws IOException {
        if (Files.isDirectory(path)) {
            throw new IOException("it is a folder");
        }
        channel = FileChannel.open(path, StandardOpenOption.READ);
    }

    @Override
    public long position() {
        return channelPosition - buffer.remaining();
    }

    @Override
    public void seek(long position) throws IOException {
        if (position < 0) {
            throw new IOException("negative position " + position);
        }
        long bufferStart = channelPosition - buffer.limit();
        if (position >= bufferStart && position <= channelPosition) {
            buffer.position((int) (position - bufferStart));
            return;
        }
        channel.position(position);
        channelPosition = position;
        buffer.limit(0);
    }

    @Override
    public long length() throws IOException {
        return channel.size();
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer.get() & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        if (length == 0) {
            return 0;
        }
        if (!fill()) {
            return -1;
        }
        int count = Math.min(length, buffer.remaining());
        buffer.get(target, offset, count);
        return count;
    }

    @Override
    public int available() {
        return buffer.remaining();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    private boolean fill() throws IOException {
        if (buffer.hasRemaining()) {
            return true;
        }
        buffer.clear();
        int count = channel.read(buffer);
        buffer.flip();
        channelPosition += Math.max(count, 0);
        return count > 0;
    }
}
