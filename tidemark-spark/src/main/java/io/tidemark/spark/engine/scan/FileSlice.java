package io.tidemark.spark.engine.scan;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * A part of a data file that one task reads: the row groups whose middle lies in a range of bytes.
 *
 * @param index the file's index in the scan
 * @param location URI of the file
 * @param fileBytes size of the file
 * @param start first byte
 * @param length number of bytes
 * @param deleted positions that are not rows any more; null = none
 * @param kept the only positions to read; null = all
 * @param partitionValues values of the partition columns, in the order of the scan's schema
 * @param isOneRowGroup whether the range is that of one row group
 */
record FileSlice(
        int index,
        String location,
        long fileBytes,
        long start,
        long length,
        @Nullable Positions deleted,
        @Nullable Positions kept,
        InternalRow partitionValues,
        boolean isOneRowGroup)
        implements Serializable {
    /** Another part of the same file. */
    FileSlice part(long from, long bytes, boolean oneRowGroup) {
        return new FileSlice(index, location, fileBytes, from, bytes, deleted, kept, partitionValues, oneRowGroup);
    }

    boolean isFiltered() {
        return deleted != null || kept != null;
    }

    boolean isRow(long position) {
        return (deleted == null || !deleted.contains(position)) && (kept == null || kept.contains(position));
    }
}
