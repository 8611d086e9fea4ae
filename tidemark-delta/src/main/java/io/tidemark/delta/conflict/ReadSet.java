package io.tidemark.delta.conflict;

import io.tidemark.delta.log.AddFile;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a transaction looked at, and so what it depends on.
 *
 * @param wholeTable whether every row counts as read
 * @param filters tests that say whether rows of a file could have been seen; used for files that did not exist yet
 * @param paths paths, as in the log, of files whose rows were read
 * @param appIds applications whose progress was read
 * @param absentKeys whether rows were written because no row of their key existed
 */
public record ReadSet(
        boolean wholeTable,
        List<Predicate<AddFile>> filters,
        Set<String> paths,
        Set<String> appIds,
        boolean absentKeys) {
    /** Nothing was read. */
    public static final ReadSet NOTHING = new ReadSet(false, List.of(), Set.of(), Set.of(), false);

    /** Copies the collections. */
    public ReadSet {
        filters = List.copyOf(filters);
        paths = Set.copyOf(paths);
        appIds = Set.copyOf(appIds);
    }

    /** Whether no rows were read; the progress of applications does not count. */
    public boolean readsNoRows() {
        return !wholeTable && filters.isEmpty() && paths.isEmpty() && !absentKeys;
    }

    /** Whether rows of a file that another writer added could have been seen. */
    public boolean mayHaveSeen(AddFile added) {
        return wholeTable || filters.stream().anyMatch(filter -> filter.test(added));
    }

    /** This and every row. */
    public ReadSet withWholeTable() {
        return new ReadSet(true, filters, paths, appIds, absentKeys);
    }

    /** This and the rows that a test lets through. */
    public ReadSet withFilter(Predicate<AddFile> filter) {
        List<Predicate<AddFile>> more = new ArrayList<>(filters);
        more.add(filter);
        return new ReadSet(wholeTable, more, paths, appIds, absentKeys);
    }

    /** This and the rows of a file. */
    public ReadSet withPath(String path) {
        Set<String> more = new HashSet<>(paths);
        more.add(path);
        return new ReadSet(wholeTable, filters, more, appIds, absentKeys);
    }

    /** This and the progress of an application. */
    public ReadSet withAppId(String appId) {
        Set<String> more = new HashSet<>(appIds);
        more.add(appId);
        return new ReadSet(wholeTable, filters, paths, more, absentKeys);
    }

    /** This, and the absence of keys. */
    public ReadSet withAbsentKeys() {
        return new ReadSet(wholeTable, filters, paths, appIds, true);
    }
}
