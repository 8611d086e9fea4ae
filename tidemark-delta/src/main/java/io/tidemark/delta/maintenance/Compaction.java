package io.tidemark.delta.maintenance;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.conflict.Rearrangement;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.LogPath;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.delta.storage.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * OPTIMIZE: writes the rows of small files, and of files with many deleted rows, into larger files. The rows stay the
 * same, so change flows, streams and the change data feed take no notice.
 *
 * <p>In a table with clustering columns, or if an order is asked for, the rows of each new file are sorted. Else they
 * keep their order, and the new file's action tells where they come from: a deletion that commits at the same time finds
 * its rows again, and a deletion that came first is taken over.
 */
public final class Compaction {
    /** Crash point: the new files are written, nothing is committed. */
    public static final String AFTER_FILES = "delta.compaction.after-files";

    private static final String FILE_PREFIX = "part";
    private static final String RELATION = "compaction of ";
    private static final long ROW_GROUP_BYTES_MAX = 128L * 1024 * 1024;

    private final Engine engine;
    private final Storage storage;
    private final Snapshot snapshot;
    private final CompactionOptions options;
    private final List<WrittenFile> written = new ArrayList<>();

    private Compaction(Engine engine, Storage storage, Snapshot snapshot, CompactionOptions options) {
        this.engine = engine;
        this.storage = storage;
        this.snapshot = snapshot;
        this.options = options;
    }

    /**
     * What a compaction did.
     *
     * @param version the version that it made; none if there was nothing to do
     * @param filesRemoved number of files whose rows moved
     * @param filesAdded number of files that hold them now
     * @param bytesRemoved size of the former
     * @param bytesAdded size of the latter
     * @param conflict the outcome if another commit came first, so that nothing was done; else null
     */
    public record Result(
            OptionalLong version,
            int filesRemoved,
            int filesAdded,
            long bytesRemoved,
            long bytesAdded,
            CommitOutcome.@Nullable Rejected conflict) {
        static final Result NOTHING = new Result(OptionalLong.empty(), 0, 0, 0, 0, null);
    }

    /**
     * Compacts a table at a version.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED} and the errors of the engine
     */
    public static Result run(Engine engine, Storage storage, Snapshot snapshot, CompactionOptions options) {
        return new Compaction(engine, storage, snapshot, options).run();
    }

    private Result run() {
        snapshot.checkWritable();
        CompactionPlan plan = CompactionPlan.of(snapshot, options);
        if (plan.bins().isEmpty()) {
            return Result.NOTHING;
        }
        boolean ended = false;
        try {
            Transaction transaction = snapshot.begin("OPTIMIZE").rearrangesOnly();
            plan.considered().forEach(transaction::readFile);
            for (CompactionPlan.Bin bin : plan.bins()) {
                rewrite(bin, transaction);
            }
            CrashPoints.reach(AFTER_FILES);
            Result result = describe(plan, transaction);
            CommitOutcome outcome = transaction.commit();
            if (outcome instanceof CommitOutcome.Rejected rejected) {
                return new Result(OptionalLong.empty(), 0, 0, 0, 0, rejected);
            }
            // From here on the files may be part of the table, even if that is not known for sure.
            ended = true;
            return new Result(
                    OptionalLong.of(outcome.version()),
                    result.filesRemoved(),
                    result.filesAdded(),
                    result.bytesRemoved(),
                    result.bytesAdded(),
                    null);
        } finally {
            if (!ended) {
                EngineFiles.discard(storage, snapshot.location(), written);
            }
        }
    }

    private void rewrite(CompactionPlan.Bin bin, Transaction transaction) {
        String relation = RELATION + bin.files().get(0).path();
        TableRows rows = TableRows.register(engine, snapshot, bin.files(), snapshot.schema(), relation);
        try {
            List<String> clustering = sortColumns();
            List<String> order = clustering.isEmpty() ? List.of(TableRows.FILE, TableRows.ROW) : clustering;
            List<WrittenFile> files = engine.write(
                    "SELECT * FROM " + engine.dialect().name(relation),
                    new WriteSpec(
                                    snapshot.location(),
                                    FILE_PREFIX,
                                    storedColumns(),
                                    order,
                                    options.targetBytes(),
                                    TableRows.statisticsColumns(snapshot))
                            .withRowGroupRows(rowGroupRows(bin)));
            written.addAll(files);
            checkComplete(bin, files);
            boolean keepsOrder = clustering.isEmpty() && files.size() == 1;
            for (WrittenFile file : files) {
                Map<String, @Nullable String> tags =
                        keepsOrder ? Map.of(Rearrangement.TAG, Rearrangement.tag(sources(bin))) : Map.of();
                transaction.add(new AddFile(
                        LogPath.encode(file.name()),
                        bin.partition(),
                        file.sizeBytes(),
                        System.currentTimeMillis(),
                        false,
                        EngineFiles.statistics(file),
                        tags,
                        null,
                        null,
                        null,
                        null));
            }
            bin.files().forEach(transaction::remove);
        } finally {
            rows.drop();
        }
    }

    /** Very long rows make small row groups, so that an engine need not hold many of them. */
    private static long rowGroupRows(CompactionPlan.Bin bin) {
        long rows = bin.files().stream()
                .mapToLong(file -> file.liveRecords().orElse(0))
                .sum();
        long fitting =
                rows == 0 ? WriteSpec.ROW_GROUP_ROWS_DEFAULT : ROW_GROUP_BYTES_MAX * rows / Math.max(1, bin.bytes());
        return Math.max(1, Math.min(WriteSpec.ROW_GROUP_ROWS_DEFAULT, fitting));
    }

    private List<String> sortColumns() {
        List<String> clustering = snapshot.clusteringColumns();
        return clustering.isEmpty() ? options.sortBy() : clustering;
    }

    private StructType storedColumns() {
        List<StructField> fields = new ArrayList<>();
        for (StructField field : snapshot.schema().fields()) {
            if (snapshot.partitionColumns().stream().noneMatch(field.name()::equalsIgnoreCase)) {
                fields.add(field);
            }
        }
        return new StructType(fields);
    }

    private static List<Rearrangement.Source> sources(CompactionPlan.Bin bin) {
        List<Rearrangement.Source> sources = new ArrayList<>();
        for (DataFile file : bin.files()) {
            sources.add(new Rearrangement.Source(
                    file.add().path(),
                    file.add().deletionVector(),
                    file.liveRecords().orElseThrow(() -> unknownRows(file))));
        }
        return sources;
    }

    /** A table must not lose a row to maintenance, whatever the reason. */
    private static void checkComplete(CompactionPlan.Bin bin, List<WrittenFile> files) {
        long expected = 0;
        for (DataFile file : bin.files()) {
            OptionalLong live = file.liveRecords();
            if (live.isEmpty()) {
                return;
            }
            expected += live.getAsLong();
        }
        long actual = files.stream().mapToLong(WrittenFile::rowCount).sum();
        if (expected != actual) {
            throw TidemarkException.of(
                            ErrorCode.LOG_CORRUPT,
                            "the files to compact have " + actual + " rows, but the log says " + expected)
                    .detail("First file: " + bin.files().get(0).location() + ".")
                    .hint("nothing was changed; the statistics in the table's log are wrong")
                    .build();
        }
    }

    private static TidemarkException unknownRows(DataFile file) {
        return TidemarkException.of(ErrorCode.INTERNAL, "no number of rows of " + file.location())
                .build();
    }

    private Result describe(CompactionPlan plan, Transaction transaction) {
        int removed = 0;
        long bytesRemoved = 0;
        for (CompactionPlan.Bin bin : plan.bins()) {
            removed += bin.files().size();
            bytesRemoved += bin.bytes();
        }
        long bytesAdded = written.stream().mapToLong(WrittenFile::sizeBytes).sum();
        transaction
                .parameter(
                        "predicate",
                        options.whereText()
                                .map(text -> "[\"" + text.replace("\"", "\\\"") + "\"]")
                                .orElse("[]"))
                .parameter("auto", Boolean.toString(options.automatic()))
                .parameter("clusterBy", String.join(", ", sortColumns()))
                .metric("numRemovedFiles", removed)
                .metric("numAddedFiles", written.size())
                .metric("numRemovedBytes", bytesRemoved)
                .metric("numAddedBytes", bytesAdded);
        return new Result(OptionalLong.empty(), removed, written.size(), bytesRemoved, bytesAdded, null);
    }
}
