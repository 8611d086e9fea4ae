package io.tidemark.tests.readback;

import io.delta.kernel.Scan;
import io.delta.kernel.TableManager;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.FileReadResult;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.data.ScanStateRow;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.utils.CloseableIterator;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.tests.spark.SparkSessions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** The readers of a Delta table that must agree. */
public final class Readers {
    private Readers() {}

    /** Tidemark's own reader. */
    public static RowBag engine(DuckDbEngine engine, Snapshot snapshot) {
        RowBag rows = new RowBag();
        StructType schema = snapshot.schema();
        engine.registerFiles("read_back", EngineFiles.scan(snapshot));
        engine.stream("SELECT * FROM read_back", row -> {
            rows.add(RowTexts.ofEngine(row, schema));
            return true;
        });
        engine.drop("read_back");
        return rows;
    }

    /** The reader of the Delta Lake project for Spark. */
    static RowBag spark(Path folder, StructType schema) {
        return spark(SparkSessions.get().read().format("delta").load(folder.toString()), schema);
    }

    /** The same reader at a version. */
    static RowBag spark(Path folder, long version, StructType schema) {
        return spark(
                SparkSessions.get()
                        .read()
                        .format("delta")
                        .option("versionAsOf", version)
                        .load(folder.toString()),
                schema);
    }

    private static RowBag spark(Dataset<Row> table, StructType schema) {
        List<String> names = List.of(table.schema().fieldNames());
        if (!names.equals(schema.names())) {
            throw new IllegalStateException("Spark sees the columns " + names + " instead of " + schema.names());
        }
        RowBag rows = new RowBag();
        Iterator<Row> iterator = table.toLocalIterator();
        while (iterator.hasNext()) {
            rows.add(RowTexts.ofSpark(iterator.next(), schema));
        }
        return rows;
    }

    /** The library for connectors of the Delta Lake project, with its own Parquet reader. */
    public static RowBag kernel(Path folder, StructType schema) {
        Engine engine = DefaultEngine.create(new Configuration());
        RowBag rows = new RowBag();
        Scan scan = TableManager.loadSnapshot(folder.toString())
                .build(engine)
                .getScanBuilder()
                .build();
        io.delta.kernel.data.Row state = scan.getScanState(engine);
        try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine)) {
            while (batches.hasNext()) {
                try (CloseableIterator<io.delta.kernel.data.Row> files =
                        batches.next().getRows()) {
                    while (files.hasNext()) {
                        file(engine, state, files.next(), schema, rows);
                    }
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    private static void file(
            Engine engine,
            io.delta.kernel.data.Row state,
            io.delta.kernel.data.Row file,
            StructType schema,
            RowBag rows)
            throws IOException {
        try (CloseableIterator<ColumnarBatch> physical = engine.getParquetHandler()
                        .readParquetFiles(
                                Utils.singletonCloseableIterator(InternalScanFileUtils.getAddFileStatus(file)),
                                ScanStateRow.getPhysicalDataReadSchema(state),
                                Optional.empty())
                        .map(FileReadResult::getData);
                CloseableIterator<FilteredColumnarBatch> logical =
                        Scan.transformPhysicalData(engine, state, file, physical)) {
            while (logical.hasNext()) {
                batch(logical.next(), schema, rows);
            }
        }
    }

    private static void batch(FilteredColumnarBatch batch, StructType schema, RowBag rows) {
        ColumnarBatch data = batch.getData();
        List<ColumnVector> columns = new ArrayList<>();
        for (int i = 0; i < data.getSchema().length(); i++) {
            columns.add(data.getColumnVector(i));
        }
        Optional<ColumnVector> selection = batch.getSelectionVector();
        for (int row = 0; row < data.getSize(); row++) {
            if (selection.isEmpty() || selection.get().getBoolean(row)) {
                rows.add(RowTexts.ofKernel(columns, row, schema));
            }
        }
    }
}
