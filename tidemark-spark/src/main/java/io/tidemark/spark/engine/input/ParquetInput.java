package io.tidemark.spark.engine.input;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.files.FileRows;
import io.tidemark.files.SourceFile;
import io.tidemark.spark.engine.scan.FilesTable;
import io.tidemark.spark.engine.value.SparkTypes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;

/**
 * Source files in Parquet. Columns are found by name; without a declared schema the files' columns are united. Files may
 * differ in their types, so that each run of neighbours with the same columns is read by itself.
 */
final class ParquetInput {
    private static final String FILE_INDEX = "__file";

    private final SparkSession session;
    private final List<SourceFile> files;
    private final List<StructType> fileColumns;
    private final StructType columns;

    private ParquetInput(
            SparkSession session, List<SourceFile> files, List<StructType> fileColumns, StructType columns) {
        this.session = session;
        this.files = files;
        this.fileColumns = fileColumns;
        this.columns = columns;
    }

    static ParquetInput of(SparkSession session, InputScan scan) {
        try {
            FileRows.checkOptions(scan);
            List<SourceFile> files = SourceFile.all(scan.files());
            List<StructType> fileColumns = ParquetColumns.read(session, files);
            StructType columns = scan.schema().orElseGet(() -> ParquetColumns.united(fileColumns));
            return new ParquetInput(session, files, fileColumns, columns);
        } catch (TidemarkException e) {
            throw e.at(scan.location());
        }
    }

    static StructType describe(SparkSession session, InputScan scan) {
        if (scan.schema().isEmpty()) {
            return FileRows.withMetadata(of(session, scan).columns);
        }
        FileRows.checkOptions(scan);
        return FileRows.withMetadata(scan.schema().get());
    }

    SparkInput relation() {
        StructType schema = FileRows.withMetadata(columns);
        Dataset<Row> rows = null;
        int first = 0;
        for (int i = 1; i <= files.size(); i++) {
            if (i == files.size() || !fileColumns.get(i).equals(fileColumns.get(first))) {
                Dataset<Row> run = run(first, i);
                // Rows of a union come in the order of its parts.
                rows = rows == null ? run : rows.union(run);
                first = i;
            }
        }
        return new SparkInput(
                schema, rows == null ? session.createDataFrame(List.of(), SparkTypes.spark(schema)) : rows);
    }

    /** The rows of files that have the same columns. */
    private Dataset<Row> run(int first, int end) {
        List<StructField> read = new ArrayList<>();
        for (StructField column : columns.fields()) {
            fileColumns.get(first).field(column.name()).ifPresent(read::add);
        }
        String index = FILE_INDEX;
        while (fileColumns.get(first).has(index)) {
            index += "_";
        }
        List<SourceFile> run = files.subList(first, end);
        Dataset<Row> rows = FilesTable.rows(
                session,
                new FileScan(
                        new StructType(read),
                        FileScan.ColumnMapping.NONE,
                        List.of(),
                        run.stream().map(ParquetInput::dataFile).toList(),
                        Optional.of(index),
                        Optional.empty()));
        List<Column> selected = new ArrayList<>();
        for (StructField column : columns.fields()) {
            org.apache.spark.sql.types.DataType type = SparkTypes.spark(column.type());
            selected.add(fileColumns
                    .get(first)
                    .field(column.name())
                    .map(field ->
                            ParquetCasts.cast(rows.col(quoted(field.name())), SparkTypes.spark(field.type()), type))
                    .orElseGet(() -> functions.lit(null).cast(type))
                    .as(column.name()));
        }
        selected.add(metadata(run)
                .getItem(rows.col(quoted(index)).cast(DataTypes.IntegerType))
                .as(FileRows.METADATA));
        return rows.select(selected.toArray(new Column[0]));
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }

    private static FileScan.DataFile dataFile(SourceFile file) {
        return new FileScan.DataFile(file.path(), file.sizeBytes(), Map.of(), RowPositions.NONE);
    }

    /** A constant array with the facts of files. */
    private static Column metadata(List<SourceFile> files) {
        Object[] facts = files.stream()
                .map(file -> CatalystValues.row(
                        UTF8String.fromString(file.path()),
                        UTF8String.fromString(file.name()),
                        file.sizeBytes(),
                        EpochMicros.of(file.modified())))
                .toArray();
        return ExpressionUtils.column(new Literal(
                new GenericArrayData(facts),
                DataTypes.createArrayType(SparkTypes.spark(FileRows.METADATA_TYPE), false)));
    }
}
