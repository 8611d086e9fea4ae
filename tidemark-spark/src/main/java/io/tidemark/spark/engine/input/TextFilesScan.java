package io.tidemark.spark.engine.input;

import io.tidemark.files.FileRows;
import io.tidemark.files.SourceFile;
import io.tidemark.spark.engine.value.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsPushDownRequiredColumns;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A scan of source files of text: shares the files out among tasks, each of which reads neighbours. */
final class TextFilesScan implements ScanBuilder, SupportsPushDownRequiredColumns, Batch, SupportsReportStatistics {
    private final SparkSession session;
    private final FileRows rows;
    private final StructType all;
    private int[] columns;

    TextFilesScan(SparkSession session, FileRows rows) {
        this.session = session;
        this.rows = rows;
        this.all = SparkTypes.spark(FileRows.withMetadata(rows.columns()));
        this.columns = new int[all.length()];
        for (int i = 0; i < columns.length; i++) {
            columns[i] = i;
        }
    }

    /** Columns that nobody asks for are still parsed, because their errors count, but not made into values of Spark. */
    @Override
    public void pruneColumns(StructType required) {
        int[] places = new int[required.length()];
        for (int i = 0; i < places.length; i++) {
            places[i] = all.fieldIndex(required.fields()[i].name());
        }
        columns = places;
    }

    @Override
    public Scan build() {
        return this;
    }

    @Override
    public StructType readSchema() {
        StructType schema = new StructType();
        for (int column : columns) {
            StructField field = all.fields()[column];
            schema = schema.add(field);
        }
        return schema;
    }

    @Override
    public String description() {
        return rows.files().size() + " source files, columns "
                + String.join(", ", readSchema().fieldNames());
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public Statistics estimateStatistics() {
        long bytes = rows.files().stream().mapToLong(SourceFile::sizeBytes).sum();
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(Math.max(1, bytes));
            }

            @Override
            public OptionalLong numRows() {
                return OptionalLong.empty();
            }
        };
    }

    /** Files are not cut: where a record of text begins is known only by reading what stands before it. */
    @Override
    public InputPartition[] planInputPartitions() {
        SQLConf conf = session.sessionState().conf();
        long openCost = conf.filesOpenCostInBytes();
        long total = rows.files().stream()
                .mapToLong(file -> file.sizeBytes() + openCost)
                .sum();
        long cores = Math.max(1, session.sparkContext().defaultParallelism());
        long target = Math.min(conf.filesMaxPartitionBytes(), Math.max(openCost, total / cores));
        List<InputPartition> partitions = new ArrayList<>();
        int first = 0;
        long bytes = 0;
        for (int i = 0; i < rows.files().size(); i++) {
            long size = rows.files().get(i).sizeBytes();
            if (i > first && bytes + size > target) {
                partitions.add(new FileRange(first, i));
                first = i;
                bytes = 0;
            }
            bytes += size + openCost;
        }
        if (first < rows.files().size()) {
            partitions.add(new FileRange(first, rows.files().size()));
        }
        return partitions.toArray(new InputPartition[0]);
    }

    /**
     * The files that one task reads.
     *
     * @param first index of the first
     * @param end index behind the last
     */
    record FileRange(int first, int end) implements InputPartition {}

    @Override
    public PartitionReaderFactory createReaderFactory() {
        int[] read = columns.clone();
        FileRows files = rows;
        return partition -> new TextFilesReader(files, (FileRange) partition, read);
    }
}
