package io.tidemark.spark.engine.scan;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.apache.spark.paths.SparkPath;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory;
import org.apache.spark.sql.execution.vectorized.ColumnVectorUtils;
import org.apache.spark.sql.execution.vectorized.ConstantColumnVector;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import org.jspecify.annotations.Nullable;
import scala.collection.immutable.Map$;

/** Reads parts of files one after the other, and leaves out what is no row. */
final class SlicesReader implements PartitionReader<ColumnarBatch> {
    private final ParquetPartitionReaderFactory parquet;
    private final ReadColumns columns;
    private final Deque<FileSlice> rest;
    private @Nullable FileSlice slice;
    private @Nullable PartitionReader<ColumnarBatch> reader;
    private @Nullable ColumnarBatch current;

    SlicesReader(ParquetPartitionReaderFactory parquet, ReadColumns columns, List<FileSlice> slices) {
        this.parquet = parquet;
        this.columns = columns;
        this.rest = new ArrayDeque<>(slices);
    }

    @Override
    public boolean next() throws IOException {
        while (true) {
            FileSlice open = slice;
            PartitionReader<ColumnarBatch> batches = reader;
            if (open == null || batches == null) {
                if (rest.isEmpty()) {
                    return false;
                }
                open = rest.remove();
                if (open.kept() == null || open.isOneRowGroup()) {
                    slice = open;
                    reader = open(open);
                } else {
                    // Of a large file only the row groups are read in which there are wanted rows.
                    neededRowGroups(open).forEach(rest::addFirst);
                }
                continue;
            }
            if (!advance(open, batches)) {
                batches.close();
                reader = null;
                continue;
            }
            ColumnarBatch batch = rows(open, batches.get());
            if (batch.numRows() > 0) {
                current = batch;
                return true;
            }
        }
    }

    /** The row groups of a part of a file that hold wanted rows, the last one first. */
    private List<FileSlice> neededRowGroups(FileSlice file) {
        try {
            return RowGroups.needed(file, parquet.broadcastedConf().value().value());
        } catch (Exception e) {
            throw broken(file, e);
        }
    }

    private PartitionReader<ColumnarBatch> open(FileSlice file) {
        PartitionedFile part = new PartitionedFile(
                InternalRow.empty(),
                SparkPath.fromUrlString(file.location()),
                file.start(),
                file.length(),
                new String[0],
                0,
                file.fileBytes(),
                Map$.MODULE$.empty());
        try {
            return parquet.buildColumnarReader(part);
        } catch (Exception e) {
            throw broken(file, e);
        }
    }

    private static boolean advance(FileSlice file, PartitionReader<ColumnarBatch> batches) {
        try {
            return batches.next();
        } catch (Exception e) {
            throw broken(file, e);
        }
    }

    private static TidemarkException broken(FileSlice file, Exception failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof FileNotFoundException) {
                return TidemarkException.of(
                                ErrorCode.DATA_FILE_MISSING, "data file " + file.location() + " is not there")
                        .hint("The table's log names it: was the folder cleaned by hand, or the file vacuumed too"
                                + " early?")
                        .build();
            }
        }
        String message = failure.getMessage() == null ? failure.toString() : failure.getMessage();
        return TidemarkException.of(ErrorCode.FILE_UNREADABLE, "data file " + file.location() + " cannot be read")
                .detail(message.lines().findFirst().orElse(message))
                .hint("was it damaged after it was written? Restore it from a copy.")
                .build();
    }

    private ColumnarBatch rows(FileSlice file, ColumnarBatch read) {
        int[] kept = file.isFiltered() ? kept(file, read) : null;
        int count = kept == null ? read.numRows() : kept.length;
        ColumnVector[] vectors = new ColumnVector[columns.sources().size()];
        for (int i = 0; i < vectors.length; i++) {
            ReadColumns.Source source = columns.sources().get(i);
            vectors[i] = switch (source.kind()) {
                case FILE_COLUMN, POSITION -> selected(read.column(source.index()), kept);
                case FILE_INDEX -> {
                    ConstantColumnVector constant = new ConstantColumnVector(count, source.type());
                    constant.setLong(file.index());
                    yield constant;
                }
                case PARTITION_VALUE -> {
                    ConstantColumnVector constant = new ConstantColumnVector(count, source.type());
                    ColumnVectorUtils.populate(constant, file.partitionValues(), source.index());
                    yield constant;
                }
                case NULL -> {
                    ConstantColumnVector constant = new ConstantColumnVector(count, source.type());
                    constant.setNull();
                    yield constant;
                }
            };
        }
        return new ColumnarBatch(vectors, count);
    }

    private static ColumnVector selected(ColumnVector vector, int @Nullable [] kept) {
        return kept == null ? vector : new SelectedVector(vector, kept);
    }

    /** The rows of a batch that count; null if all do. */
    private int @Nullable [] kept(FileSlice file, ColumnarBatch read) {
        ColumnVector positions = read.column(columns.positionIndex());
        int[] kept = new int[read.numRows()];
        int count = 0;
        for (int i = 0; i < kept.length; i++) {
            if (file.isRow(positions.getLong(i))) {
                kept[count++] = i;
            }
        }
        return count == kept.length ? null : java.util.Arrays.copyOf(kept, count);
    }

    @Override
    public ColumnarBatch get() {
        ColumnarBatch batch = current;
        if (batch == null) {
            throw new IllegalStateException("there is no batch");
        }
        return batch;
    }

    @Override
    public void close() throws IOException {
        PartitionReader<ColumnarBatch> batches = reader;
        if (batches != null) {
            batches.close();
            reader = null;
        }
    }
}
