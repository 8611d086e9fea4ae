package io.tidemark.spark.engine.write;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.spark.engine.rows.KeptRows;
import io.tidemark.spark.engine.scan.FileLocations;
import io.tidemark.spark.engine.value.SparkDialect;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.hadoop.ParquetOutputFormat;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.datasources.FileFormatWriter$;
import org.apache.spark.sql.execution.datasources.FileFormatWriter.OutputSpec;
import org.apache.spark.sql.execution.datasources.WriteJobStatsTracker;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.functions;
import scala.Option;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Writes a query to Parquet files. Rows are sorted and cut into as many files as their size asks for; as the size of the
 * result is not known before, the rows are computed and kept first, unless they are kept rows already.
 */
public final class FilesWriter {
    /** A row takes about this many times the bytes in memory that it takes in a compressed file. */
    private static final long MEMORY_PER_FILE_BYTE = 3;
    /** A file may have this many times its share of the rows before it is cut; many rows of one key stand in its way. */
    private static final long SHARE_TOLERANCE = 2;

    private final SparkSession session;
    private final WriteSpec spec;
    private final Dialect dialect = new SparkDialect();
    private final StructType inFiles;

    /** Prepares a write. */
    public FilesWriter(SparkSession session, WriteSpec spec) {
        this.session = session;
        this.spec = spec;
        this.inFiles = new StructType(spec.schema().fields().stream()
                .filter(field -> !isPartition(field))
                .toList());
    }

    private boolean isPartition(StructField field) {
        return spec.partitionBy().stream().anyMatch(column -> column.equalsIgnoreCase(field.name()));
    }

    /** Writes the rows; a file that is not returned is named by nobody. */
    public List<WrittenFile> write(Dataset<Row> query) {
        Stream<String> values = spec.schema().fields().stream()
                .map(field -> "CAST(" + dialect.name(field.name()) + " AS "
                        + field.type().sql() + ") AS " + dialect.name(field.name()));
        Dataset<Row> typed = query.select(columns(Stream.concat(values, onlyForOrder())));
        var plan = ((org.apache.spark.sql.classic.Dataset<Row>) typed).queryExecution();
        if (KeptRows.isCheap(plan.analyzed())) {
            var statistics = plan.optimizedPlan().stats();
            long rows = statistics.rowCount().isDefined()
                    ? statistics.rowCount().get().longValue()
                    : Long.MAX_VALUE;
            return write(typed, rows, statistics.sizeInBytes().longValue());
        }
        try (KeptRows kept = KeptRows.of(session, typed)) {
            return write(kept.rows(), kept.count(), kept.bytes());
        }
    }

    private List<WrittenFile> write(Dataset<Row> rows, long count, long bytes) {
        if (count == 0) {
            return List.of();
        }
        NotNull.check(spec.schema(), rows, dialect);
        NotNull.checkPartitions(spec, rows, dialect);
        long files = Math.max(1, bytes / MEMORY_PER_FILE_BYTE / Math.max(1, spec.fileBytesTarget()));
        Dataset<Row> sorted = arranged(withTexts(rows), (int) Math.min(files, Integer.MAX_VALUE));
        Dataset<Row> arranged =
                sorted.select(columns(Stream.concat(inFiles.names().stream(), spec.partitionBy().stream())
                        .map(dialect::name)));
        long rowsMax = count == Long.MAX_VALUE || files == 1 ? 0 : Math.max(1, count / files * SHARE_TOLERANCE);
        return written(arranged, rowsMax);
    }

    /** Partition columns as texts, as the log spells them. */
    private Dataset<Row> withTexts(Dataset<Row> rows) {
        if (spec.partitionBy().isEmpty()) {
            return rows;
        }
        Stream<String> columns = Stream.concat(inFiles.names().stream().map(dialect::name), onlyForOrder());
        Stream<String> texts = spec.partitionBy().stream()
                .map(column -> PartitionTexts.expression(
                                spec.schema().field(column).orElseThrow()) + " AS " + dialect.name(column));
        return rows.select(columns(Stream.concat(columns, texts)));
    }

    /** Columns that rows are sorted by and that are not written. */
    private Stream<String> onlyForOrder() {
        return spec.sortBy().stream()
                .filter(column -> !spec.schema().has(column))
                .map(dialect::name);
    }

    private static Column[] columns(Stream<String> expressions) {
        return expressions.map(functions::expr).toArray(Column[]::new);
    }

    private Dataset<Row> arranged(Dataset<Row> rows, int files) {
        List<Column> order = new ArrayList<>();
        spec.partitionBy().forEach(column -> order.add(ascending(column)));
        spec.sortBy().stream()
                .filter(column -> spec.schema()
                        .field(column)
                        .map(field -> !isPartition(field))
                        .orElse(true))
                .forEach(column -> order.add(ascending(column)));
        if (files == 1) {
            Dataset<Row> together = rows.coalesce(1);
            return order.isEmpty() ? together : together.sortWithinPartitions(order.toArray(new Column[0]));
        }
        if (order.isEmpty()) {
            // The rows' own order is kept: neighbouring partitions go together.
            return rows.coalesce(files);
        }
        return rows.repartitionByRange(files, order.toArray(new Column[0]))
                .sortWithinPartitions(order.toArray(new Column[0]));
    }

    private Column ascending(String column) {
        return functions.col(dialect.name(column)).asc_nulls_first();
    }

    private List<WrittenFile> written(Dataset<Row> rows, long rowsMax) {
        String directory = FileLocations.uri(spec.directory());
        FreshFiles files = new FreshFiles(directory, spec.namePrefix(), inFiles, spec.statisticsColumnsMax());
        Configuration hadoop = session.sessionState().newHadoopConf();
        hadoop.setLong(ParquetOutputFormat.BLOCK_ROW_COUNT_LIMIT, spec.rowGroupRows());
        QueryExecution execution = ((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution();
        Seq<Attribute> columns = execution.analyzed().output();
        List<Attribute> all = CollectionConverters.asJava(columns);
        scala.collection.immutable.Map<String, String> options = Map$.MODULE$.empty();
        if (rowsMax > 0) {
            options = scala.collection.immutable.Map.from(
                    CollectionConverters.asScala(Map.of("maxRecordsPerFile", Long.toString(rowsMax))));
        }
        scala.collection.immutable.Map<String, String> settings = options;
        KeptRows.inExecution(
                session,
                rows,
                "write files",
                () -> FileFormatWriter$.MODULE$.write(
                        session,
                        execution.executedPlan(),
                        new ParquetFileFormat(),
                        files,
                        new OutputSpec(directory, Map$.MODULE$.empty(), columns),
                        hadoop,
                        sequence(all.subList(all.size() - spec.partitionBy().size(), all.size())),
                        Option.empty(),
                        sequence(List.<WriteJobStatsTracker>of()),
                        settings,
                        0));
        return returned(files.committed(), directory, hadoop);
    }

    private static <T> Seq<T> sequence(List<T> list) {
        return CollectionConverters.asScala(list).toSeq();
    }

    /** Without rows Spark writes a file nevertheless. */
    private List<WrittenFile> returned(List<WrittenFooter> footers, String directory, Configuration hadoop) {
        List<WrittenFile> files = new ArrayList<>();
        for (WrittenFooter footer : footers) {
            if (footer.rows() == 0) {
                Path path = new Path(directory, footer.name());
                try {
                    path.getFileSystem(hadoop).delete(path, false);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                continue;
            }
            files.add(new WrittenFile(
                    footer.name(),
                    footer.sizeBytes(),
                    footer.rows(),
                    footer.statistics(),
                    PartitionTexts.values(footer.name(), spec.partitionBy())));
        }
        return files;
    }
}
