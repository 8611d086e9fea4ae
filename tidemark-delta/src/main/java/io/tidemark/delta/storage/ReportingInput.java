package io.tidemark.delta.storage;

import java.io.IOException;

/**
 * A file whose failures to be read are the errors that {@link Storage} describes. Whoever parses a file reads it through
 * this: a disk that cannot be read must not be taken for a file that is broken.
 */
public final class ReportingInput extends SeekableInput {
    private final SeekableInput input;
    private final String path;

    private ReportingInput(SeekableInput input, String path) {
        this.input = input;
        this.path = path;
    }

    /** Opens a file for reading. */
    public static SeekableInput open(Storage storage, String path) {
        return new ReportingInput(storage.open(path), path);
    }

    private interface Work<T> {
        T run() throws IOException;
    }

    private <T> T reporting(Work<T> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw StorageErrors.translate(e, "read", path);
        }
    }

    @Override
    public int read() {
        return reporting(input::read);
    }

    @Override
    public int read(byte[] bytes, int offset, int length) {
        return reporting(() -> input.read(bytes, offset, length));
    }

    @Override
    public int available() {
        return reporting(input::available);
    }

    @Override
    public long position() {
        return reporting(input::position);
    }

    /** An impossible place comes from what the file says, and is for its parser to judge. */
    @Override
    public void seek(long position) throws IOException {
        input.seek(position);
    }

    @Override
    public long length() {
        return reporting(input::length);
    }

    @Override
    public void close() throws IOException {
        input.close();
    }
}
