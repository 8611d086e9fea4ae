package io.tidemark.spark.engine.scan;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** Makes the readers of tasks, on executors. Files are read column by column, whatever a query does with them. */
final class FilesReaderFactory implements PartitionReaderFactory {
    private static final long serialVersionUID = 1;

    private final ParquetPartitionReaderFactory parquet;
    private final ReadColumns columns;

    FilesReaderFactory(ParquetPartitionReaderFactory parquet, ReadColumns columns) {
        this.parquet = parquet;
        this.columns = columns;
    }

    @Override
    public boolean supportColumnarReads(InputPartition partition) {
        return true;
    }

    @Override
    public PartitionReader<InternalRow> createReader(InputPartition partition) {
        throw new UnsupportedOperationException("files are read in batches");
    }

    @Override
    public PartitionReader<ColumnarBatch> createColumnarReader(InputPartition partition) {
        return new SlicesReader(parquet, columns, ((Slices) partition).slices());
    }
}
