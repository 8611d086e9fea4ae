package io.tidemark.delta.storage;

import java.io.IOException;
import java.io.InputStream;

/** A stream over a file that can jump. */
public abstract class SeekableInput extends InputStream {
    /** For implementations. */
    protected SeekableInput() {}

    /** Where the next byte is read from. */
    public abstract long position() throws IOException;

    /** Moves to a place from the start of the file. */
    public abstract void seek(long position) throws IOException;

    /** The length of the file in bytes. */
    public abstract long length() throws IOException;
}
