package io.tidemark.delta.kernel;

import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.defaults.engine.DefaultParquetHandler;
import io.delta.kernel.defaults.internal.parquet.ParquetFileReader.BatchReadSupport;
import io.delta.kernel.engine.FileReadResult;
import io.delta.kernel.engine.ParquetHandler;
import io.delta.kernel.expressions.Column;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import io.delta.kernel.utils.FileStatus;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.storage.Storage;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.conf.ParquetConfiguration;
import org.apache.parquet.conf.PlainParquetConfiguration;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.api.ReadSupport;
import org.apache.parquet.io.api.RecordMaterializer;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/**
 * Reads checkpoints. Unlike Kernel's own handler it verifies the checksums of pages where the file has them, names the
 * file in every failure, and does not make Hadoop search its settings for each file. It reads all rows: the filter
 * that Kernel offers is a hint.
 */
final class StorageParquetHandler implements ParquetHandler {
    private static final int BATCH_ROWS = 1024;

    private final Storage storage;
    private final ParquetHandler defaults;

    StorageParquetHandler(Storage storage, ParquetHandler defaults) {
        this.storage = storage;
        this.defaults = defaults;
    }

    @Override
    public CloseableIterator<FileReadResult> readParquetFiles(
            CloseableIterator<FileStatus> files, StructType schema, Optional<Predicate> predicate) {
        return new Batches(files, schema);
    }

    @Override
    public CloseableIterator<DataFileStatus> writeParquetFiles(
            String folder, CloseableIterator<FilteredColumnarBatch> data, List<Column> statsColumns)
            throws IOException {
        return defaults.writeParquetFiles(folder, data, statsColumns);
    }

    @Override
    public void writeParquetFileAtomically(String path, CloseableIterator<FilteredColumnarBatch> data)
            throws IOException {
        WholeData whole = new WholeData(new LiveFilesOnly(data));
        ParquetHandler writer = new DefaultParquetHandler(new StorageFileIO(storage, whole::isExhausted));
        writer.writeParquetFileAtomically(path, whole);
        if (!whole.isExhausted()) {
            throw new IOException("not all rows of " + path + " were written");
        }
    }

    /**
     * Rows that remember whether all of them were taken. Kernel closes its file also when reading the next row fails,
     * which must not publish a checkpoint that lacks the rest.
     */
    private static final class WholeData implements CloseableIterator<FilteredColumnarBatch> {
        private final CloseableIterator<FilteredColumnarBatch> data;
        private boolean exhausted;

        WholeData(CloseableIterator<FilteredColumnarBatch> data) {
            this.data = data;
        }

        boolean isExhausted() {
            return exhausted;
        }

        @Override
        public boolean hasNext() {
            boolean more = data.hasNext();
            exhausted = !more;
            return more;
        }

        @Override
        public FilteredColumnarBatch next() {
            return data.next();
        }

        @Override
        public void close() throws IOException {
            data.close();
        }
    }

    private final class Batches implements CloseableIterator<FileReadResult> {
        private final CloseableIterator<FileStatus> files;
        private final StructType schema;
        private String path = "";
        private @Nullable ParquetReader<Object> reader;
        private BatchReadSupport support;
        private @Nullable FileReadResult next;

        Batches(CloseableIterator<FileStatus> files, StructType schema) {
            this.files = files;
            this.schema = schema;
            this.support = new Support(schema);
        }

        @Override
        public boolean hasNext() {
            while (next == null) {
                ParquetReader<Object> current = reader;
                if (current == null) {
                    if (!files.hasNext()) {
                        return false;
                    }
                    open(files.next().getPath());
                } else {
                    next = readBatch(current);
                }
            }
            return true;
        }

        @Override
        public FileReadResult next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            FileReadResult result = Objects.requireNonNull(next);
            next = null;
            return result;
        }

        @Override
        public void close() {
            Utils.closeCloseables(reader, files);
            reader = null;
        }

        private void open(String file) {
            path = file;
            support = new Support(schema);
            try {
                reader = new Builder(new StorageParquetInput(storage, file), support)
                        .useRecordFilter(false)
                        .usePageChecksumVerification(true)
                        .withCodecFactory(new PlainCodecs())
                        .build();
            } catch (FileNotFoundException e) {
                throw new UncheckedIOException(e);
            } catch (IOException | RuntimeException e) {
                throw broken(e);
            }
        }

        private @Nullable FileReadResult readBatch(ParquetReader<Object> current) {
            int rows = 0;
            try {
                while (rows < BATCH_ROWS && current.read() != null) {
                    support.finalizeCurrentRow(-1);
                    rows++;
                }
                if (rows == 0) {
                    current.close();
                    reader = null;
                    return null;
                }
            } catch (IOException | RuntimeException e) {
                throw broken(e);
            }
            ColumnarBatch batch = support.getDataAsColumnarBatch(rows);
            return new FileReadResult(batch, path);
        }

        private RuntimeException broken(Exception e) {
            if (e instanceof TidemarkException storageFailure) {
                return storageFailure;
            }
            return new LogFileException(path, String.valueOf(e.getMessage()), e);
        }
    }

    private static final class Builder extends ParquetReader.Builder<Object> {
        private final ReadSupport<Object> support;

        Builder(StorageParquetInput input, ReadSupport<Object> support) {
            super(input, new PlainParquetConfiguration());
            this.support = support;
        }

        @Override
        protected ReadSupport<Object> getReadSupport() {
            return support;
        }
    }

    /** Kernel's row collector, spared the conversion of settings that it does not look at. */
    private static final class Support extends BatchReadSupport {
        Support(StructType schema) {
            super(BATCH_ROWS, schema);
        }

        @Override
        @SuppressWarnings("NullAway") // The collector does not look at Hadoop's settings, so none are made.
        public RecordMaterializer<Object> prepareForRead(
                ParquetConfiguration settings,
                Map<String, String> fileMetadata,
                MessageType fileSchema,
                ReadContext context) {
            return prepareForRead((Configuration) null, fileMetadata, fileSchema, context);
        }
    }
}
