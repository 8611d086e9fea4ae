package io.tidemark.spark.engine.scan;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.DataFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetInputFormat;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.Batch;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.Statistics;
import org.apache.spark.sql.connector.read.SupportsReportStatistics;
import org.apache.spark.sql.execution.datasources.parquet.ParquetOptions;
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport;
import org.apache.spark.sql.execution.datasources.parquet.ParquetWriteSupport;
import org.apache.spark.sql.execution.datasources.v2.parquet.ParquetPartitionReaderFactory;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.sources.Filter;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.util.SerializableConfiguration;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

/** A scan of files: cuts them into parts for tasks, and tells tasks how to read them. */
final class FilesScan implements Batch, SupportsReportStatistics {
    private final SparkSession session;
    private final FileScan scan;
    private final StructType required;
    private final Filter[] filters;
    private final ReadColumns columns;

    FilesScan(SparkSession session, FileScan scan, StructType required, Filter[] filters) {
        this.session = session;
        this.scan = scan;
        this.required = required;
        this.filters = filters.clone();
        this.columns = ReadColumns.of(scan, required);
    }

    @Override
    public StructType readSchema() {
        return required;
    }

    @Override
    public String description() {
        return scan.files().size() + " data files, columns " + String.join(", ", required.fieldNames());
    }

    @Override
    public Batch toBatch() {
        return this;
    }

    @Override
    public Statistics estimateStatistics() {
        long bytes = 0;
        long rows = 0;
        for (DataFile file : scan.files()) {
            bytes += file.sizeBytes();
            rows += file.keptRows().map(kept -> kept.cardinality()).orElse(0L);
        }
        // Columns that are not read cost nothing; a file has about as many bytes for each.
        long share = bytes
                * Math.max(1, required.fields().length)
                / Math.max(1, scan.schema().fields().size());
        boolean few = scan.readsPositions();
        long size = few ? Math.min(share, rows * required.defaultSize()) : share;
        OptionalLong known = few ? OptionalLong.of(rows) : OptionalLong.empty();
        return new Statistics() {
            @Override
            public OptionalLong sizeInBytes() {
                return OptionalLong.of(Math.max(1, size));
            }

            @Override
            public OptionalLong numRows() {
                return known;
            }
        };
    }

    @Override
    public InputPartition[] planInputPartitions() {
        SQLConf conf = session.sessionState().conf();
        Configuration hadoop = session.sessionState().newHadoopConf();
        PartitionValues values = new PartitionValues(scan);
        long openCost = conf.filesOpenCostInBytes();
        long total = 0;
        List<FileSlice> whole = new ArrayList<>();
        for (int i = 0; i < scan.files().size(); i++) {
            FileSlice slice = slice(i, scan.files().get(i), values, hadoop);
            whole.add(slice);
            total += slice.fileBytes() + openCost;
        }
        long cores = Math.max(1, session.sparkContext().defaultParallelism());
        long target = Math.min(conf.filesMaxPartitionBytes(), Math.max(openCost, total / cores));
        List<InputPartition> partitions = new ArrayList<>();
        List<FileSlice> slices = new ArrayList<>();
        long bytes = 0;
        for (FileSlice file : whole) {
            for (long start = 0; start < file.fileBytes(); start += target) {
                FileSlice part = file.part(start, Math.min(target, file.fileBytes() - start), false);
                if (bytes + part.length() > target && !slices.isEmpty()) {
                    partitions.add(new Slices(List.copyOf(slices)));
                    slices.clear();
                    bytes = 0;
                }
                slices.add(part);
                bytes += part.length() + openCost;
            }
        }
        if (!slices.isEmpty()) {
            partitions.add(new Slices(List.copyOf(slices)));
        }
        return partitions.toArray(new InputPartition[0]);
    }

    private static FileSlice slice(int index, DataFile file, PartitionValues values, Configuration hadoop) {
        String uri = FileLocations.uri(file.location());
        long bytes = file.sizeBytes() > 0 ? file.sizeBytes() : FileLocations.size(new Path(uri), hadoop);
        return new FileSlice(
                index,
                uri,
                bytes,
                0,
                bytes,
                file.deletedRows().isEmpty() ? null : Positions.of(file.deletedRows()),
                file.keptRows().map(Positions::of).orElse(null),
                values.of(file),
                false);
    }

    /** Delta's files count days by the calendar of today, whatever the session of a reader says. */
    private static scala.collection.immutable.Map<String, String> calendar() {
        return scala.collection.immutable.Map.from(CollectionConverters.asScala(
                Map.of("datetimeRebaseMode", "CORRECTED", "int96RebaseMode", "CORRECTED")));
    }

    @Override
    public PartitionReaderFactory createReaderFactory() {
        SQLConf conf = session.sessionState().conf();
        boolean filtered = scan.readsPositions()
                || scan.files().stream().anyMatch(file -> !file.deletedRows().isEmpty());
        ReadColumns read = filtered ? columns.withPositions() : columns;
        Configuration hadoop = session.sessionState().newHadoopConf();
        hadoop.set(ParquetInputFormat.READ_SUPPORT_CLASS, ParquetReadSupport.class.getName());
        hadoop.set(
                ParquetReadSupport.SPARK_ROW_REQUESTED_SCHEMA(), read.inFiles().json());
        hadoop.set(ParquetWriteSupport.SPARK_ROW_SCHEMA(), read.inFiles().json());
        hadoop.set(SQLConf.SESSION_LOCAL_TIMEZONE().key(), conf.sessionLocalTimeZone());
        hadoop.setBoolean(SQLConf.NESTED_SCHEMA_PRUNING_ENABLED().key(), conf.nestedSchemaPruningEnabled());
        hadoop.setBoolean(SQLConf.CASE_SENSITIVE().key(), false);
        hadoop.setBoolean(SQLConf.PARQUET_BINARY_AS_STRING().key(), false);
        hadoop.setBoolean(SQLConf.PARQUET_INT96_AS_TIMESTAMP().key(), true);
        hadoop.setBoolean(SQLConf.PARQUET_INFER_TIMESTAMP_NTZ_ENABLED().key(), true);
        hadoop.setBoolean(SQLConf.LEGACY_PARQUET_NANOS_AS_LONG().key(), false);
        hadoop.setBoolean(
                SQLConf.PARQUET_FIELD_ID_READ_ENABLED().key(), scan.columnMapping() == FileScan.ColumnMapping.ID);
        hadoop.setBoolean(SQLConf.IGNORE_MISSING_PARQUET_FIELD_ID().key(), true);
        hadoop.setBoolean(SQLConf.VARIANT_ALLOW_READING_SHREDDED().key(), true);
        Broadcast<SerializableConfiguration> shared =
                SerializableConfiguration.broadcast(session.sparkContext(), hadoop);
        ParquetPartitionReaderFactory parquet = new ParquetPartitionReaderFactory(
                conf,
                shared,
                read.inFiles(),
                read.inFiles(),
                new StructType(),
                filters,
                Option.empty(),
                new ParquetOptions(calendar(), conf));
        return new FilesReaderFactory(parquet, read);
    }
}
