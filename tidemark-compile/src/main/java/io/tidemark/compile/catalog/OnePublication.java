package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.delta.Commit;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.FileStatistics;
import io.tidemark.delta.log.RemoveFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A commit that published a version. If it deleted nothing, and in no layer both added and changed, the names in the files
 * that it added are all that changed, and which of both it was stands in its counters: nothing that was there before need
 * be read.
 *
 * @param commit the commit
 * @param entry what it says of the catalog
 */
record OnePublication(Commit commit, CatalogEntry entry) {
    /**
     * The rows of the partitions that came or changed.
     *
     * @param files files whose rows all are such partitions
     * @param kinds what happened to them, by layer
     */
    record Additions(FileScan files, Map<String, String> kinds) {
        /**
         * The changes as engine SQL.
         *
         * @param relation relation of the files
         * @param back whether the changes are those that lead to the older version
         */
        String sql(Dialect dialect, String relation, boolean back) {
            StringBuilder kind = new StringBuilder("CASE layer");
            kinds.forEach((layer, each) -> kind.append(" WHEN ")
                    .append(dialect.string(layer))
                    .append(" THEN ")
                    .append(dialect.string(back && each.equals(NetChanges.ADDED) ? NetChanges.DELETED : each)));
            String partition = dialect.name(CatalogTable.PARTITION);
            String kindOrNone = kinds.isEmpty()
                    ? dialect.string(NetChanges.CHANGED)
                    : kind.append(" END").toString();
            return "SELECT layer, " + partition + ", " + kindOrNone + " AS kind FROM " + relation;
        }
    }

    /** The rows that tell all changes of some layers; nothing if more must be known than the commit says. */
    Optional<Additions> additions(CatalogTable table, CatalogVersion newer, Collection<String> layers) {
        Snapshot snapshot = table.at(newer.tableVersion());
        if (EngineFiles.columnMapping(snapshot) != FileScan.ColumnMapping.NONE) {
            return Optional.empty();
        }
        Map<String, String> kinds = new TreeMap<>();
        List<FileScan.DataFile> files = new ArrayList<>();
        for (String layer : layers) {
            PublishReport.Counters counters = entry.counters().getOrDefault(layer, PublishReport.Counters.NONE);
            if (counters.deleted() > 0 || (counters.added() > 0 && counters.changed() > 0)) {
                return Optional.empty();
            }
            List<AddFile> added = added(layer);
            long rows = 0;
            for (AddFile file : added) {
                rows += FileStatistics.parse(file.stats()).numRecords().orElse(0);
                files.add(new FileScan.DataFile(
                        table.table().resolve(file.path()),
                        file.size(),
                        EngineFiles.partitionValues(file.partitionValues()),
                        RowPositions.NONE));
            }
            if (rows != counters.uploads()) {
                return Optional.empty();
            }
            kinds.put(layer, counters.added() > 0 ? NetChanges.ADDED : NetChanges.CHANGED);
        }
        // Where a file is gone, the change feed says so.
        return files.stream().allMatch(file -> table.table().hasFile(file.location()))
                ? Optional.of(new Additions(
                        new FileScan(
                                snapshot.schema(),
                                FileScan.ColumnMapping.NONE,
                                snapshot.partitionColumns(),
                                files,
                                Optional.empty(),
                                Optional.empty()),
                        kinds))
                : Optional.empty();
    }

    /** New files of a layer; files that were there before and only lost rows are none. */
    private List<AddFile> added(String layer) {
        Set<String> removed = commit.actions().stream()
                .filter(RemoveFile.class::isInstance)
                .map(action -> ((RemoveFile) action).path())
                .collect(Collectors.toSet());
        return commit.actions().stream()
                .filter(AddFile.class::isInstance)
                .map(AddFile.class::cast)
                .filter(file -> layer.equals(file.partitionValues().get(CatalogTable.LAYER)))
                .filter(file -> file.dataChange() && !removed.contains(file.path()))
                .toList();
    }
}
