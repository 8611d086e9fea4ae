package io.tidemark.delta.maintenance;

import io.tidemark.core.engine.WriteSpec;
import io.tidemark.delta.skipping.FileCondition;
import java.util.List;
import java.util.Optional;

/**
 * What to compact.
 *
 * @param where condition on partition columns that says which partitions; all if absent
 * @param whereText the condition as the user wrote it, for the history
 * @param targetBytes wanted size of files, in bytes
 * @param bytesMax how much is rewritten at most, in bytes of the old files; bounds the work of automatic runs
 * @param sourcesMin fewer files than these are not put together, unless deleted rows make it worthwhile
 * @param sortBy columns by which rows are sorted in tables without clustering columns; empty to keep their order
 * @param automatic whether this run follows an update, for the history
 */
public record CompactionOptions(
        Optional<FileCondition> where,
        Optional<String> whereText,
        long targetBytes,
        long bytesMax,
        int sourcesMin,
        List<String> sortBy,
        boolean automatic) {
    /** Copies the list. */
    public CompactionOptions {
        sortBy = List.copyOf(sortBy);
    }

    /** Everything that is worth it. */
    public static final CompactionOptions ALL = new CompactionOptions(
            Optional.empty(),
            Optional.empty(),
            WriteSpec.FILE_BYTES_TARGET_DEFAULT,
            Long.MAX_VALUE,
            2,
            List.of(),
            false);

    /** These options for the partitions that meet a condition. */
    public CompactionOptions where(FileCondition condition, String text) {
        return new CompactionOptions(
                Optional.of(condition), Optional.of(text), targetBytes, bytesMax, sourcesMin, sortBy, automatic);
    }

    /** These options with an order of rows. */
    public CompactionOptions sortBy(List<String> columns) {
        return new CompactionOptions(where, whereText, targetBytes, bytesMax, sourcesMin, columns, automatic);
    }
}
