package io.tidemark.delta.conflict;

import io.tidemark.delta.log.AddFile;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What a transaction looked at, and so what it depends on.
 *
 * @param wholeTable whether every row counts as read
 * @param filters tests that say whether rows of a file could have been seen; used for files that did not exist yet
 * @param files the files that were looked at, by path as in the log, and which of their rows matter
 * @param appIds applications whose progress was read
 * @param absentKeys whether rows were written because no row of their key existed
 */
public record ReadSet(
        boolean wholeTable,
        List<Predicate<AddFile>> filters,
        Map<String, RowsRead> files,
        Set<String> appIds,
        boolean absentKeys) {
    /** Nothing was read. */
    public static final ReadSet NOTHING = new ReadSet(false, List.of(), Map.of(), Set.of(), false);

    /** Copies the collections. */
    public ReadSet {
        filters = List.copyOf(filters);
        files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
        appIds = Set.copyOf(appIds);
    }

    /** Whether no rows were read; the progress of applications does not count. */
    public boolean readsNoRows() {
        return !wholeTable && filters.isEmpty() && files.isEmpty() && !absentKeys;
    }

    /** Whether rows of a file that another writer added could have been seen. */
    public boolean mayHaveSeen(AddFile added) {
        return wholeTable || filters.stream().anyMatch(filter -> filter.test(added));
    }

    /** Which rows of a file of the table matter; nothing if none was looked at. */
    Optional<RowsRead> rowsOf(String path) {
        return wholeTable ? Optional.of(RowsRead.ALL) : Optional.ofNullable(files.get(path));
    }

    /** This and every row. */
    public ReadSet withWholeTable() {
        return new ReadSet(true, filters, files, appIds, absentKeys);
    }

    /** This and the rows that a test lets through. */
    public ReadSet withFilter(Predicate<AddFile> filter) {
        List<Predicate<AddFile>> more = new ArrayList<>(filters);
        more.add(filter);
        return new ReadSet(wholeTable, more, files, appIds, absentKeys);
    }

    /** This and all rows of a file. */
    public ReadSet withPath(String path) {
        return withRows(path, RowsRead.ALL);
    }

    /** This and rows of a file. */
    public ReadSet withRows(String path, RowsRead rows) {
        Map<String, RowsRead> more = new LinkedHashMap<>(files);
        more.merge(path, rows, RowsRead::union);
        return new ReadSet(wholeTable, filters, more, appIds, absentKeys);
    }

    /** This and the progress of an application. */
    public ReadSet withAppId(String appId) {
        Set<String> more = new HashSet<>(appIds);
        more.add(appId);
        return new ReadSet(wholeTable, filters, files, more, absentKeys);
    }

    /** This, and the absence of keys. */
    public ReadSet withAbsentKeys() {
        return new ReadSet(wholeTable, filters, files, appIds, true);
    }
}
