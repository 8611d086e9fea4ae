package io.tidemark.delta.kernel;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.data.DefaultJsonRow;
import io.delta.kernel.defaults.internal.data.DefaultRowBasedColumnarBatch;
import io.delta.kernel.engine.JsonHandler;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.LogFiles;
import io.tidemark.delta.storage.ReportingInput;
import io.tidemark.delta.storage.Storage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads log entries and refuses what Kernel's own reader passes over: text after a line's object, empty log entries
 * and bytes that are no UTF-8. Each of them would lose actions without a word.
 */
final class StrictJsonHandler implements JsonHandler {
    /** Kernel waits for seconds for an empty hint to fill; our storages never show a file that is half written. */
    private static final String LAST_CHECKPOINT = "_last_checkpoint";

    private static final int BATCH_ROWS = 1024;
    private static final ObjectReader READER = new ObjectMapper()
            .reader()
            .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS, DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Storage storage;
    private final JsonHandler defaults;

    StrictJsonHandler(Storage storage, JsonHandler defaults) {
        this.storage = storage;
        this.defaults = defaults;
    }

    @Override
    public ColumnarBatch parseJson(ColumnVector texts, StructType schema, Optional<ColumnVector> selection) {
        return defaults.parseJson(texts, schema, selection);
    }

    @Override
    public CloseableIterator<ColumnarBatch> readJsonFiles(
            CloseableIterator<FileStatus> files, StructType schema, Optional<Predicate> predicate) throws IOException {
        Batches batches = new Batches(files, schema);
        batches.openFirst();
        return batches;
    }

    @Override
    public void writeJsonFileAtomically(String path, CloseableIterator<Row> data, boolean overwrite)
            throws IOException {
        defaults.writeJsonFileAtomically(path, data, overwrite);
    }

    private final class Batches implements CloseableIterator<ColumnarBatch> {
        private final CloseableIterator<FileStatus> files;
        private final StructType schema;
        private @Nullable BufferedReader reader;
        private String path = "";
        private long lineNumber;
        private @Nullable ColumnarBatch next;

        Batches(CloseableIterator<FileStatus> files, StructType schema) {
            this.files = files;
            this.schema = schema;
        }

        @Override
        public boolean hasNext() {
            while (next == null) {
                BufferedReader current = reader;
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
        public ColumnarBatch next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            ColumnarBatch batch = Objects.requireNonNull(next);
            next = null;
            return batch;
        }

        @Override
        public void close() {
            Utils.closeCloseables(reader, files);
            reader = null;
        }

        /**
         * Opens the first file at once. Kernel asks for the checkpoint hint without knowing whether it exists, and takes
         * only an exception that comes from here as a no; any other one makes it wait for seconds and ask again.
         */
        void openFirst() throws IOException {
            try {
                if (files.hasNext()) {
                    open(files.next().getPath());
                }
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
        }

        private void open(String file) {
            path = file;
            lineNumber = 0;
            try {
                reader = new BufferedReader(
                        new InputStreamReader(ReportingInput.open(storage, file), StandardCharsets.UTF_8.newDecoder()));
            } catch (TidemarkException e) {
                throw new UncheckedIOException(StorageFileIO.asKernelExpects(e, file));
            }
        }

        private @Nullable ColumnarBatch readBatch(BufferedReader current) {
            List<Row> rows = new ArrayList<>();
            try {
                while (rows.size() < BATCH_ROWS) {
                    String line = current.readLine();
                    if (line == null) {
                        finishFile(current);
                        break;
                    }
                    lineNumber++;
                    rows.add(row(line));
                }
            } catch (CharacterCodingException e) {
                throw new LogFileException(path, "it is not UTF-8 after line " + lineNumber, e);
            } catch (IOException | RuntimeException e) {
                if (e instanceof LogFileException broken) {
                    throw broken;
                }
                throw new LogFileException(path, "line " + lineNumber + " is broken: " + e.getMessage(), e);
            }
            return rows.isEmpty() ? null : new DefaultRowBasedColumnarBatch(schema, rows);
        }

        private void finishFile(BufferedReader current) throws IOException {
            current.close();
            reader = null;
            String name = path.substring(path.lastIndexOf('/') + 1);
            boolean needsLines = LogFiles.commitVersion(name).isPresent() || name.equals(LAST_CHECKPOINT);
            if (lineNumber == 0 && needsLines) {
                throw new LogFileException(path, "it is empty", new IOException("no line"));
            }
        }

        private Row row(String line) throws IOException {
            JsonNode node = READER.readTree(line);
            if (!(node instanceof ObjectNode object)) {
                throw new IOException("it is not a JSON object");
            }
            return new DefaultJsonRow(object, schema);
        }
    }
}
