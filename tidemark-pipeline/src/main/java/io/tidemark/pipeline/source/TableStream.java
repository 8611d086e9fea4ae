package io.tidemark.pipeline.source;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.delta.log.RemoveFile;
import io.tidemark.delta.storage.Storage;
import io.tidemark.pipeline.state.FlowEntry.Position;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A Delta table as a stream: first all of its rows, then what later commits append, in the order of commits and within a
 * commit in the order of the log.
 */
final class TableStream {
    private final Storage storage;
    private final DeltaTable table;
    private final String name;
    private final boolean skipChangeCommits;
    private final TextLocation location;

    TableStream(Storage storage, DeltaTable table, String name, boolean skipChangeCommits, TextLocation location) {
        this.storage = storage;
        this.table = table;
        this.name = name;
        this.skipChangeCommits = skipChangeCommits;
        this.location = location;
    }

    /**
     * What is new since a position.
     *
     * @param snapshot the table at the version up to which is read
     * @param position the position after the last update; absent = from the start
     */
    List<DataFile> read(Snapshot snapshot, Optional<Position> position) {
        if (position.isEmpty()) {
            return initialFiles(table, snapshot);
        }
        Position from = position.get();
        TablePosition.check(from, table, snapshot, name, location);
        List<DataFile> files = new ArrayList<>();
        for (long version = from.at() + 1; version <= snapshot.version(); version++) {
            files.addAll(appended(version));
        }
        return files;
    }

    private List<DataFile> appended(long version) {
        List<Action> actions = actions(version);
        boolean changes = false;
        List<DataFile> files = new ArrayList<>();
        for (Action action : actions) {
            if (action instanceof RemoveFile remove && remove.dataChange()) {
                changes = true;
            } else if (action instanceof AddFile add && add.dataChange()) {
                changes |= add.deletionVector() != null;
                files.add(new DataFile(add, storage.resolve(table.location(), add.path())));
            }
        }
        if (!changes) {
            return files;
        }
        if (skipChangeCommits) {
            return List.of();
        }
        throw changed(version, actions);
    }

    private TidemarkException changed(long version, List<Action> actions) {
        String operation = actions.stream()
                .filter(CommitInfo.class::isInstance)
                .flatMap(action -> ((CommitInfo) action).operation().stream())
                .findFirst()
                .orElse("a commit");
        return TidemarkException.of(
                        ErrorCode.SOURCE_CHANGED,
                        "version " + version + " of table " + name + " changed or removed rows (" + operation
                                + "), which a stream cannot follow")
                .at(location)
                .hint("SET tidemark.skipChangeCommits = '" + name
                        + "' leaves such commits out; or rebuild the target with --full-refresh")
                .build();
    }

    private List<Action> actions(long version) {
        try {
            return table.actions(version);
        } catch (TidemarkException e) {
            if (e.code() != ErrorCode.VERSION_NOT_FOUND) {
                throw e;
            }
            throw TidemarkException.of(
                            ErrorCode.SOURCE_START_GONE,
                            "the log of table " + name + " no longer holds version " + version
                                    + ", which the flow has not read yet")
                    .at(location)
                    .hint("rebuild the target with --full-refresh, or read the table again under another flow name")
                    .cause(e)
                    .build();
        }
    }

    /** All files of a version in the order in which they were added, as far as the log still tells it. */
    static List<DataFile> initialFiles(DeltaTable table, Snapshot snapshot) {
        Map<String, Long> order = new HashMap<>();
        long number = 0;
        for (long version = 0; version <= snapshot.version(); version++) {
            try {
                for (Action action : table.actions(version)) {
                    if (action instanceof AddFile add) {
                        order.putIfAbsent(add.path(), number++);
                    }
                }
            } catch (TidemarkException e) {
                if (e.code() != ErrorCode.VERSION_NOT_FOUND) {
                    throw e;
                }
            }
        }
        List<DataFile> files = new ArrayList<>(snapshot.files());
        Comparator<DataFile> byLog = Comparator.comparingLong(file -> order.getOrDefault(file.path(), -1L));
        files.sort(byLog.thenComparing(DataFile::modified).thenComparing(DataFile::path));
        return files;
    }
}
