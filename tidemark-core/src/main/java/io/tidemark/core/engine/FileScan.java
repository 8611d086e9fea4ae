package io.tidemark.core.engine;

import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A relation over the data files of one table version.
 *
 * @param schema the table's schema with its field metadata; with column mapping the metadata hold physical names and ids
 * @param columnMapping how columns are found in the files
 * @param partitionColumns names of the columns whose values stand in {@link DataFile#partitionValues} and not in the
 *     files
 * @param files the files
 * @param fileColumn if present, the relation has a BIGINT column of this name with the file's index in {@code files}
 * @param positionColumn if present, the relation has a BIGINT column of this name with the row's 0-based position in
 *     its file
 * @param exact whether all files were written by {@link Engine#write} with this very schema, so that nobody need look into
 *     them before a query does
 */
public record FileScan(
        StructType schema,
        ColumnMapping columnMapping,
        List<String> partitionColumns,
        List<DataFile> files,
        Optional<String> fileColumn,
        Optional<String> positionColumn,
        boolean exact) {

    /** Copies the lists. */
    public FileScan {
        partitionColumns = List.copyOf(partitionColumns);
        files = List.copyOf(files);
        boolean all = files.stream().allMatch(file -> file.keptRows().isPresent());
        if (!all && files.stream().anyMatch(file -> file.keptRows().isPresent())) {
            throw new IllegalArgumentException("either all files of a scan are read by positions, or none");
        }
    }

    /** A scan of files of which nothing is known. */
    public FileScan(
            StructType schema,
            ColumnMapping columnMapping,
            List<String> partitionColumns,
            List<DataFile> files,
            Optional<String> fileColumn,
            Optional<String> positionColumn) {
        this(schema, columnMapping, partitionColumns, files, fileColumn, positionColumn, false);
    }

    /**
     * A scan of files that {@link Engine#write} wrote with this very schema.
     *
     * @param fileColumn if present, the relation has a BIGINT column of this name with the file's index in {@code files}
     */
    public static FileScan asWritten(StructType schema, List<DataFile> files, Optional<String> fileColumn) {
        return new FileScan(schema, ColumnMapping.NONE, List.of(), files, fileColumn, Optional.empty(), true);
    }

    /** The same scan of other files. */
    public FileScan of(List<DataFile> others) {
        return new FileScan(schema, columnMapping, partitionColumns, others, fileColumn, positionColumn, exact);
    }

    /** Whether only some positions of the files are read: {@link DataFile#keptRows}. */
    public boolean readsPositions() {
        return !files.isEmpty() && files.get(0).keptRows().isPresent();
    }

    /** How logical columns are found in Parquet files. */
    public enum ColumnMapping {
        /** By the logical name. */
        NONE,
        /** By the physical name of the field's metadata. */
        NAME,
        /** By the field id of the field's metadata. */
        ID
    }

    /**
     * One Parquet file.
     *
     * @param location absolute local path or URI
     * @param sizeBytes size of the file; 0 if it is not known
     * @param partitionValues values of the partition columns by physical name, as the Delta log spells them; a missing
     *     or empty value is NULL
     * @param deletedRows positions that are not rows any more
     * @param keptRows if present, only these positions are read; then all files of the scan have it. An engine should
     *     not read a big file for a few of its rows
     */
    public record DataFile(
            String location,
            long sizeBytes,
            Map<String, Optional<String>> partitionValues,
            RowPositions deletedRows,
            Optional<RowPositions> keptRows) {
        /** Copies the map. */
        public DataFile {
            partitionValues = Map.copyOf(partitionValues);
        }

        /** The same rows, read from a copy of the file. */
        public DataFile at(String copy) {
            return new DataFile(copy, sizeBytes, partitionValues, deletedRows, keptRows);
        }

        /** A file of which all rows are read that are not deleted. */
        public DataFile(
                String location,
                long sizeBytes,
                Map<String, Optional<String>> partitionValues,
                RowPositions deletedRows) {
            this(location, sizeBytes, partitionValues, deletedRows, Optional.empty());
        }
    }
}
