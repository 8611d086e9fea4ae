package io.tidemark.delta.kernel;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.ReportingInput;
import io.tidemark.delta.storage.SeekableInput;
import io.tidemark.delta.storage.Storage;
import java.io.FileNotFoundException;
import java.io.IOException;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A file of our storage as the Parquet library reads it. */
final class StorageParquetInput implements InputFile {
    private final Storage storage;
    private final String path;

    StorageParquetInput(Storage storage, String path) {
        this.storage = storage;
        this.path = path;
    }

    @Override
    public long getLength() throws IOException {
        return storage.info(path)
                .orElseThrow(() -> new FileNotFoundException(path))
                .size();
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        SeekableInput input;
        try {
            input = ReportingInput.open(storage, path);
        } catch (TidemarkException e) {
            throw StorageFileIO.asKernelExpects(e, path);
        }
        return new DelegatingSeekableInputStream(input) {
            @Override
            public long getPos() throws IOException {
                return input.position();
            }

            @Override
            public void seek(long position) throws IOException {
                input.seek(position);
            }
        };
    }

    @Override
    public String toString() {
        return path;
    }
}
