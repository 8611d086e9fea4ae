package io.tidemark.delta.kernel;

import io.delta.kernel.defaults.engine.fileio.OutputFile;
import io.delta.kernel.defaults.engine.fileio.PositionOutputStream;
import io.delta.kernel.utils.CloseableIterator;
import io.tidemark.delta.storage.StagedFile;
import io.tidemark.delta.storage.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.util.function.BooleanSupplier;

/** A file of our storage as Kernel writes it. */
final class StorageOutputFile implements OutputFile {
    private final Storage storage;
    private final String path;
    private final BooleanSupplier mayPublish;

    StorageOutputFile(Storage storage, String path, BooleanSupplier mayPublish) {
        this.storage = storage;
        this.path = path;
        this.mayPublish = mayPublish;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public PositionOutputStream create(boolean atomicWrite) {
        return new Stream(storage.stage(path), atomicWrite);
    }

    @Override
    public void writeAtomically(CloseableIterator<String> lines, boolean overwrite) throws IOException {
        StringBuilder text = new StringBuilder();
        try (lines) {
            while (lines.hasNext()) {
                text.append(lines.next()).append('\n');
            }
        }
        byte[] content = text.toString().getBytes(StandardCharsets.UTF_8);
        if (overwrite) {
            storage.write(path, content);
        } else if (!storage.createIfAbsent(path, content)) {
            throw new FileAlreadyExistsException(path);
        }
    }

    private final class Stream extends PositionOutputStream {
        private final StagedFile file;
        private final boolean exclusive;
        private boolean closed;
        private boolean failed;

        Stream(StagedFile file, boolean exclusive) {
            this.file = file;
            this.exclusive = exclusive;
        }

        @Override
        public long getPos() {
            return file.position();
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            try {
                file.write(bytes, offset, length);
            } catch (IOException e) {
                // Kernel closes after a failure too, and must not publish half a file by that.
                failed = true;
                throw e;
            }
        }

        @Override
        public void flush() throws IOException {
            file.flush();
        }

        @Override
        public void close() throws IOException {
            if (closed) {
                return;
            }
            closed = true;
            try (file) {
                if (failed || !mayPublish.getAsBoolean()) {
                    return;
                }
                if (!exclusive) {
                    file.publish();
                } else if (!file.publishIfAbsent()) {
                    throw new FileAlreadyExistsException(path);
                }
            }
        }
    }
}
