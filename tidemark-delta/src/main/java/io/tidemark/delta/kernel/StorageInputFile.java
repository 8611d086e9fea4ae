package io.tidemark.delta.kernel;

import io.delta.kernel.defaults.engine.fileio.InputFile;
import io.delta.kernel.defaults.engine.fileio.SeekableInputStream;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.ReportingInput;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.Storage;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;

/** A file of our storage as Kernel reads it. */
final class StorageInputFile implements InputFile {
    private final Storage storage;
    private final String path;

    StorageInputFile(Storage storage, String path) {
        this.storage = storage;
        this.path = path;
    }

    @Override
    public long length() throws IOException {
        return storage.info(path)
                .orElseThrow(() -> new FileNotFoundException(path))
                .size();
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        try {
            return new Stream(ReportingInput.open(storage, path));
        } catch (TidemarkException e) {
            throw StorageFileIO.asKernelExpects(e, path);
        }
    }

    private static final class Stream extends SeekableInputStream {
        private final SeekableInput input;

        Stream(SeekableInput input) {
            this.input = input;
        }

        @Override
        public long getPos() throws IOException {
            return input.position();
        }

        @Override
        public void seek(long position) throws IOException {
            input.seek(position);
        }

        @Override
        public void readFully(byte[] target, int offset, int length) throws IOException {
            if (input.readNBytes(target, offset, length) != length) {
                throw new EOFException("the file ends too early");
            }
        }

        @Override
        public int read() throws IOException {
            return input.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return input.read(target, offset, length);
        }

        @Override
        public void close() throws IOException {
            input.close();
        }
    }
}
