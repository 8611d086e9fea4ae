package io.tidemark.delta.feed;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.Commit;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.rows.ChangeImages;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Sorts the files of commits by how their rows become changes: files of changes, whole data files, and data files of
 * which only some rows came or went. A commit that has files of changes says all in them; else added and removed files
 * tell it.
 */
final class FeedFiles {
    private static final List<String> MERGE_COUNTERS =
            List.of("numTargetRowsInserted", "numTargetRowsUpdated", "numTargetRowsDeleted");

    private final DeltaTable table;
    private final boolean partitioned;
    private final Map<Kind, List<Entry>> entries = new LinkedHashMap<>();

    /** How rows of a file become changes. */
    enum Kind {
        /** All rows that are not deleted in it. */
        WHOLE(0),
        /** Rows at some positions. */
        POSITIONS(1),
        /** Rows that say themselves what happened. */
        CHANGES(2);

        private final int number;

        Kind(int number) {
            this.number = number;
        }

        /** Tells the kinds apart in the relation of files. */
        int number() {
            return number;
        }
    }

    /**
     * One file.
     *
     * @param file what engines read
     * @param changeType what happened to its rows; absent if they say it themselves
     * @param version the version
     * @param timestamp the version's time
     */
    record Entry(FileScan.DataFile file, Optional<String> changeType, long version, Instant timestamp) {}

    FeedFiles(DeltaTable table, boolean partitioned) {
        this.table = table;
        this.partitioned = partitioned;
        for (Kind kind : Kind.values()) {
            entries.put(kind, new ArrayList<>());
        }
    }

    List<Entry> of(Kind kind) {
        return entries.getOrDefault(kind, List.of());
    }

    boolean isEmpty() {
        return entries.values().stream().allMatch(List::isEmpty);
    }

    void add(Commit commit) {
        Map<String, AddFile> added = new LinkedHashMap<>();
        Map<String, RemoveFile> removed = new LinkedHashMap<>();
        List<CdcFile> changes = new ArrayList<>();
        for (Action action : commit.actions()) {
            if (action instanceof CdcFile change) {
                changes.add(change);
            } else if (action instanceof AddFile add && add.dataChange()) {
                added.put(table.resolve(add.path()), add);
            } else if (action instanceof RemoveFile remove && remove.dataChange()) {
                removed.put(table.resolve(remove.path()), remove);
            }
        }
        if (!changes.isEmpty()) {
            changes.forEach(change -> changes(commit, change));
        } else if (!isMergeWithoutEffect(commit)) {
            removed.forEach((location, remove) -> removed(commit, location, remove, added.get(location)));
            added.forEach((location, add) -> added(commit, location, add, removed.get(location)));
        }
    }

    private void changes(Commit commit, CdcFile change) {
        String location = existing(commit, table.resolve(change.path()));
        FileScan.DataFile file = new FileScan.DataFile(
                location, change.size(), EngineFiles.partitionValues(change.partitionValues()), RowPositions.NONE);
        add(Kind.CHANGES, file, Optional.empty(), commit);
    }

    private void removed(Commit commit, String location, RemoveFile remove, @Nullable AddFile again) {
        Map<String, Optional<String>> partition = partitionValues(commit, remove);
        long size = remove.size() == null ? 0 : remove.size();
        if (again == null) {
            whole(commit, location, size, partition, remove.deletionVector(), ChangeImages.DELETE);
            return;
        }
        io.tidemark.delta.vector.RowPositions gone =
                positions(commit, again.deletionVector()).minus(positions(commit, remove.deletionVector()));
        some(commit, location, size, partition, gone, ChangeImages.DELETE);
    }

    private void added(Commit commit, String location, AddFile add, @Nullable RemoveFile before) {
        Map<String, Optional<String>> partition = EngineFiles.partitionValues(add.partitionValues());
        if (before == null) {
            whole(commit, location, add.size(), partition, add.deletionVector(), ChangeImages.INSERT);
            return;
        }
        io.tidemark.delta.vector.RowPositions back =
                positions(commit, before.deletionVector()).minus(positions(commit, add.deletionVector()));
        some(commit, location, add.size(), partition, back, ChangeImages.INSERT);
    }

    private void whole(
            Commit commit,
            String location,
            long size,
            Map<String, Optional<String>> partition,
            @Nullable DeletionVectorDescriptor vector,
            String changeType) {
        FileScan.DataFile file = new FileScan.DataFile(
                existing(commit, location), size, partition, EngineFiles.positions(positions(commit, vector)));
        add(Kind.WHOLE, file, Optional.of(changeType), commit);
    }

    private void some(
            Commit commit,
            String location,
            long size,
            Map<String, Optional<String>> partition,
            io.tidemark.delta.vector.RowPositions rows,
            String changeType) {
        if (rows.isEmpty()) {
            return;
        }
        FileScan.DataFile file = new FileScan.DataFile(
                existing(commit, location),
                size,
                partition,
                RowPositions.NONE,
                Optional.of(EngineFiles.positions(rows)));
        add(Kind.POSITIONS, file, Optional.of(changeType), commit);
    }

    private void add(Kind kind, FileScan.DataFile file, Optional<String> changeType, Commit commit) {
        entries.computeIfAbsent(kind, key -> new ArrayList<>())
                .add(new Entry(file, changeType, commit.version(), commit.timestamp()));
    }

    private io.tidemark.delta.vector.RowPositions positions(Commit commit, @Nullable DeletionVectorDescriptor vector) {
        if (vector == null) {
            return io.tidemark.delta.vector.RowPositions.empty();
        }
        table.vectorFile(vector).ifPresent(file -> existing(commit, file));
        return table.positions(vector);
    }

    private String existing(Commit commit, String location) {
        if (!table.hasFile(location)) {
            throw TidemarkException.of(
                            ErrorCode.CHANGE_FILE_GONE,
                            "the changes of version " + commit.version() + " of table " + table
                                    + " cannot be read: a file is not there any more")
                    .detail("The file is " + location + ". VACUUM deletes files that the table no longer needs.")
                    .hint("start after version " + commit.version()
                            + "; delta.deletedFileRetentionDuration says how long VACUUM keeps files")
                    .build();
        }
        return location;
    }

    /** Old writers did not repeat a file's partition values when they removed it: the version before has them. */
    private Map<String, Optional<String>> partitionValues(Commit commit, RemoveFile remove) {
        if (!partitioned || !remove.partitionValues().isEmpty()) {
            return EngineFiles.partitionValues(remove.partitionValues());
        }
        return table.at(commit.version() - 1).files().stream()
                .filter(file -> file.path().equals(remove.path()))
                .findFirst()
                .map(file -> EngineFiles.partitionValues(file.partitionValues()))
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.LOG_CORRUPT,
                                "version " + commit.version() + " of table " + table
                                        + " removes a file that the version before does not have")
                        .detail("The file is " + remove.path() + ".")
                        .build());
    }

    /** Spark's MERGE may copy files without changing a row; the copies are no changes. */
    private static boolean isMergeWithoutEffect(Commit commit) {
        Optional<CommitInfo> info = commit.info();
        if (info.isEmpty() || !info.get().operation().orElse("").equals("MERGE")) {
            return false;
        }
        Map<String, @Nullable Object> metrics = info.get().operationMetrics();
        return MERGE_COUNTERS.stream().allMatch(name -> "0".equals(String.valueOf(metrics.get(name))));
    }
}
