package io.tidemark.delta.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.delta.kernel.Scan;
import io.delta.kernel.Snapshot;
import io.delta.kernel.TableManager;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.defaults.internal.data.DefaultColumnarBatch;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.data.ScanStateRow;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.DataFileStatus;
import io.delta.kernel.utils.FileStatus;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.TableDefinition;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.RowPositions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernel itself, without any of our handlers, reads the rows of tables that we commit. */
class KernelReadBackTest {
    private static final int RECORDS = 10;

    @TempDir
    Path folder;

    private final Storage storage = new LocalStorage();
    private final Engine engine = DefaultEngine.create(new StorageFileIO(storage));

    @Test
    void seesRowsWithoutDeletedOnesAtEveryVersion() throws Exception {
        String location = folder.resolve("t").toString();
        DeltaTable table = DeltaTable.at(storage, location);
        table.create(TableDefinition.of(io.tidemark.core.type.StructType.of(StructField.of("id", ScalarType.LONG)))
                        .with("delta.enableDeletionVectors", "true")
                        .with("delta.enableInCommitTimestamps", "true")
                        .with("delta.checkpointInterval", "3"))
                .commit()
                .version();
        for (int i = 0; i < 2; i++) {
            Path file = writeFile(location, (long) i * RECORDS);
            table.snapshot()
                    .begin("WRITE")
                    .add(
                            file.getFileName().toString(),
                            Map.of(),
                            storage.info(file.toString()).orElseThrow().size(),
                            "{\"numRecords\":" + RECORDS + "}")
                    .commit()
                    .version();
        }
        delete(table, 2, 5);
        delete(table, 0);
        assertThat(read(location, 2))
                .containsExactlyElementsOf(LongStream.range(0, 20).boxed().toList());
        assertThat(read(location, 3)).hasSize(16).doesNotContain(2L, 5L, 12L, 15L);
        assertThat(read(location, 4)).hasSize(14).doesNotContain(0L, 2L, 5L, 10L, 12L, 15L);
    }

    private static void delete(DeltaTable table, long... rows) {
        io.tidemark.delta.Snapshot snapshot = table.snapshot();
        io.tidemark.delta.Transaction transaction = snapshot.begin("DELETE").readWholeTable();
        for (DataFile file : snapshot.files()) {
            transaction.deleteRows(file, RowPositions.of(rows));
        }
        transaction.commit().version();
    }

    private Path writeFile(String location, long firstId) throws Exception {
        StructType schema = new StructType().add("id", LongType.LONG);
        FilteredColumnarBatch batch = new FilteredColumnarBatch(
                new DefaultColumnarBatch(RECORDS, schema, new ColumnVector[] {new Ids(firstId)}), Optional.empty());
        try (CloseableIterator<DataFileStatus> written = engine.getParquetHandler()
                .writeParquetFiles(location, Utils.singletonCloseableIterator(batch), List.of())) {
            return Path.of(written.next().getPath());
        }
    }

    private List<Long> read(String location, long version) throws Exception {
        Snapshot snapshot =
                TableManager.loadSnapshot(location).atVersion(version).build(engine);
        Scan scan = snapshot.getScanBuilder().build();
        Row state = scan.getScanState(engine);
        StructType physical = ScanStateRow.getPhysicalDataReadSchema(state);
        List<Long> ids = new ArrayList<>();
        try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine)) {
            while (batches.hasNext()) {
                try (CloseableIterator<Row> files = batches.next().getRows()) {
                    while (files.hasNext()) {
                        readFile(files.next(), state, physical, ids);
                    }
                }
            }
        }
        ids.sort(null);
        return ids;
    }

    private void readFile(Row file, Row state, StructType physical, List<Long> ids) throws Exception {
        FileStatus status = InternalScanFileUtils.getAddFileStatus(file);
        var data = engine.getParquetHandler()
                .readParquetFiles(Utils.singletonCloseableIterator(status), physical, Optional.empty());
        try (CloseableIterator<FilteredColumnarBatch> logical =
                Scan.transformPhysicalData(engine, state, file, data.map(result -> result.getData()))) {
            while (logical.hasNext()) {
                try (CloseableIterator<Row> rows = logical.next().getRows()) {
                    while (rows.hasNext()) {
                        ids.add(rows.next().getLong(0));
                    }
                }
            }
        }
    }

    /** Ascending numbers. */
    private record Ids(long first) implements ColumnVector {
        @Override
        public DataType getDataType() {
            return LongType.LONG;
        }

        @Override
        public int getSize() {
            return RECORDS;
        }

        @Override
        public void close() {}

        @Override
        public boolean isNullAt(int row) {
            return false;
        }

        @Override
        public long getLong(int row) {
            return first + row;
        }
    }
}
