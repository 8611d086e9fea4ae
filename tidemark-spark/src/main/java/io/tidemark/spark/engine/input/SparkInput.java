package io.tidemark.spark.engine.input;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InputScan.Format;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.files.FileRows;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.classic.SparkSession;

/**
 * Source files as a relation of Spark: the same columns and rows as with the embedded engine. Rows come in the order of
 * the files and within a file in its own order, and so do the partitions. Each use reads the files anew; all machines must
 * see them under the same paths.
 *
 * @param schema the columns, the last of them {@code _metadata}
 * @param rows the rows; what cannot be read fails the job with a {@link TidemarkException} as one of the causes
 */
public record SparkInput(StructType schema, Dataset<Row> rows) {
    /**
     * Makes the relation. Files of text are read now only if no schema is declared, of Parquet files the footers are.
     *
     * @throws TidemarkException as {@link FileRows#open}, and {@code FILE_UNREADABLE} for what is no Parquet file
     */
    public static SparkInput of(SparkSession session, InputScan scan) {
        if (scan.format() == Format.PARQUET) {
            return ParquetInput.of(session, scan).relation();
        }
        FileRows rows = FileRows.open(scan);
        return new SparkInput(FileRows.withMetadata(rows.columns()), TextFilesTable.rows(session, rows));
    }

    /**
     * The schema that {@link #of} would give. Files are looked into only if no schema is declared.
     *
     * @throws TidemarkException as {@link #of}
     */
    public static StructType describe(SparkSession session, InputScan scan) {
        if (scan.format() == Format.PARQUET) {
            return ParquetInput.describe(session, scan);
        }
        return FileRows.withMetadata(FileRows.columns(scan));
    }
}
