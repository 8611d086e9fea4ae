package io.tidemark.delta.maintenance;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.storage.Storage;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compaction after an update, so that many small updates do not make a table slow. It runs when many small files have
 * come together or many rows are deleted by vectors, and rewrites a bounded amount. Table property
 * {@value #PROPERTY} = {@code false} turns it off. The update stands whatever happens here, so failures are only logged.
 */
public final class AutoCompaction {
    /** Table property, as Delta Lake has it; here it is true unless said otherwise. */
    public static final String PROPERTY = "delta.autoOptimize.autoCompact";

    private static final Logger LOG = LoggerFactory.getLogger(AutoCompaction.class);
    private static final int SMALL_FILES_MAX = 50;
    private static final long SMALL_BYTES = 16L * 1024 * 1024;
    /** How many rows may be deleted by vectors before files are rewritten, as a part of the table's rows. */
    private static final double DELETED_ROWS_MAX = 0.3;

    private static final long DELETED_ROWS_MIN = 100_000;

    private AutoCompaction() {}

    /**
     * Compacts a table if it is due.
     *
     * @param table finds the table; its failures, too, are no failures of the update
     * @param sortBy gives the columns by which rows are sorted in tables without clustering columns; empty to keep
     *     their order
     * @return the version that was made, if any
     */
    public static OptionalLong run(
            Engine engine, Storage storage, Supplier<DeltaTable> table, Function<Snapshot, List<String>> sortBy) {
        try {
            Snapshot snapshot = table.get().snapshot();
            boolean off = "false".equalsIgnoreCase(snapshot.properties().get(PROPERTY));
            if (off || !isDue(snapshot)) {
                return OptionalLong.empty();
            }
            CompactionOptions options = new CompactionOptions(
                    Optional.empty(),
                    Optional.empty(),
                    WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                    2 * WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                    2,
                    sortBy.apply(snapshot),
                    true);
            return Compaction.run(engine, storage, snapshot, options).version();
        } catch (TidemarkException e) {
            LOG.warn("a table was not compacted after its update", e);
            return OptionalLong.empty();
        }
    }

    private static boolean isDue(Snapshot snapshot) {
        int small = 0;
        long physical = 0;
        long deleted = 0;
        for (DataFile file : snapshot.files()) {
            small += file.size() < SMALL_BYTES ? 1 : 0;
            long rows = file.statistics().numRecords().orElse(0);
            physical += rows;
            deleted += rows - file.liveRecords().orElse(rows);
        }
        return small >= SMALL_FILES_MAX || (deleted >= DELETED_ROWS_MIN && deleted > physical * DELETED_ROWS_MAX);
    }
}
