package io.tidemark.core.engine;

import io.tidemark.core.type.StructType;
import java.util.List;

/**
 * How rows are written to Parquet files.
 *
 * @param directory absolute local folder, or a folder of the engine's {@link RemoteFiles}; files get fresh names in it
 * @param namePrefix start of the file names, for example {@code part}
 * @param schema columns to write, in order, with their types; the query has them under these names
 * @param sortBy columns by which the rows are sorted before they are cut into files; empty = order of the query
 * @param fileBytesTarget size after which a new file is begun, in bytes
 * @param statisticsColumnsMax how many leading leaf columns get minimum, maximum and null count
 * @param partitionBy columns whose values go into names of folders and not into the files, which then hold rows of one
 *     value each and are sorted and cut one by one
 * @param rowGroupRows how many rows an engine may hold in memory before it writes them, which is also how finely a file
 *     can be read in parts; engines may round it
 */
public record WriteSpec(
        String directory,
        String namePrefix,
        StructType schema,
        List<String> sortBy,
        long fileBytesTarget,
        int statisticsColumnsMax,
        List<String> partitionBy,
        long rowGroupRows) {
    /** The usual target size of a data file. */
    public static final long FILE_BYTES_TARGET_DEFAULT = 128L * 1024 * 1024;
    /** Delta's default of {@code delta.dataSkippingNumIndexedCols}. */
    public static final int STATISTICS_COLUMNS_MAX_DEFAULT = 32;
    /** The usual number of rows of a row group; less is right for very long rows only. */
    public static final long ROW_GROUP_ROWS_DEFAULT = 122_880;

    /** The same rules for another folder. */
    public WriteSpec in(String folder) {
        return new WriteSpec(
                folder, namePrefix, schema, sortBy, fileBytesTarget, statisticsColumnsMax, partitionBy, rowGroupRows);
    }

    /** The same rules with smaller or larger row groups. */
    public WriteSpec withRowGroupRows(long rows) {
        return new WriteSpec(
                directory, namePrefix, schema, sortBy, fileBytesTarget, statisticsColumnsMax, partitionBy, rows);
    }

    /** Copies the lists. */
    public WriteSpec {
        sortBy = List.copyOf(sortBy);
        partitionBy = List.copyOf(partitionBy);
    }

    /** How rows are written, in row groups of the usual size. */
    public WriteSpec(
            String directory,
            String namePrefix,
            StructType schema,
            List<String> sortBy,
            long fileBytesTarget,
            int statisticsColumnsMax,
            List<String> partitionBy) {
        this(
                directory,
                namePrefix,
                schema,
                sortBy,
                fileBytesTarget,
                statisticsColumnsMax,
                partitionBy,
                ROW_GROUP_ROWS_DEFAULT);
    }

    /** How rows are written to files that are not partitioned. */
    public WriteSpec(
            String directory,
            String namePrefix,
            StructType schema,
            List<String> sortBy,
            long fileBytesTarget,
            int statisticsColumnsMax) {
        this(directory, namePrefix, schema, sortBy, fileBytesTarget, statisticsColumnsMax, List.of());
    }
}
