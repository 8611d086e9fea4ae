package io.tidemark.hadoop;

import io.tidemark.delta.storage.SeekableInput;
import java.io.EOFException;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;

/** A file as a stream. */
final class HadoopInput extends SeekableInput {
    private final FSDataInputStream stream;
    private final long length;
    /** Set when a reader jumped behind the end, which the stream refuses. */
    private boolean behindEnd;

    private long positionBehindEnd;

    HadoopInput(FSDataInputStream stream, long length) {
        this.stream = stream;
        this.length = length;
    }

    @Override
    public long position() throws IOException {
        return behindEnd ? positionBehindEnd : stream.getPos();
    }

    @Override
    public void seek(long position) throws IOException {
        if (position < 0) {
            throw new EOFException("negative position " + position);
        }
        behindEnd = position > length;
        positionBehindEnd = position;
        if (!behindEnd) {
            stream.seek(position);
        }
    }

    @Override
    public long length() {
        return length;
    }

    @Override
    public int read() throws IOException {
        return behindEnd ? -1 : stream.read();
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        if (count == 0) {
            return 0;
        }
        return behindEnd ? -1 : stream.read(target, offset, count);
    }

    @Override
    public int available() throws IOException {
        return behindEnd ? 0 : stream.available();
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
