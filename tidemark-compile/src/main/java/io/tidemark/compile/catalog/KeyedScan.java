package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.vector.RowPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A scan of the rows of some partitions: their places are found by names alone, then only these places are read. */
final class KeyedScan {
    private static final String FILE = "__file";
    private static final String ROW = "__row";

    /** Files with at most so many rows for each key are read as they are. */
    private static final int ROWS_PER_KEY_MAX = 2;

    private final Snapshot snapshot;
    private final Engine engine;
    private final Dialect dialect;
    private final List<DataFile> files;

    KeyedScan(Snapshot snapshot, Engine engine) {
        this(snapshot, engine, snapshot.files());
    }

    private KeyedScan(Snapshot snapshot, Engine engine, List<DataFile> files) {
        this.snapshot = snapshot;
        this.engine = engine;
        this.dialect = engine.dialect();
        this.files = files;
    }

    /** The same without files that an older version had: rows that came since are in others. */
    KeyedScan without(List<DataFile> older) {
        Set<String> known = older.stream().map(DataFile::path).collect(Collectors.toSet());
        return new KeyedScan(
                snapshot,
                engine,
                files.stream().filter(file -> !known.contains(file.path())).toList());
    }

    /**
     * As {@link #of}, or a scan of all rows if there are few others.
     *
     * @param count about how many keys there are
     */
    FileScan ofAbout(long count, String keys, String work) {
        long rows = 0;
        for (DataFile file : files) {
            rows += file.liveRecords().orElse(Integer.MAX_VALUE);
        }
        return rows <= ROWS_PER_KEY_MAX * count
                ? EngineFiles.scan(snapshot, files, Optional.empty(), Optional.empty())
                : of(keys, work);
    }

    /**
     * A scan of the rows of keys.
     *
     * @param keys a relation with columns {@code layer} and {@code partition}
     * @param work name of a relation that is made and taken away again
     */
    FileScan of(String keys, String work) {
        String partition = dialect.name(CatalogTable.PARTITION);
        List<DataFile> candidates = candidates(keys, partition);
        Map<Integer, LongStream.Builder> positions = new TreeMap<>();
        engine.registerFiles(work, EngineFiles.scan(snapshot, candidates, Optional.of(FILE), Optional.of(ROW)));
        engine.stream(
                "SELECT DISTINCT p." + dialect.name(FILE) + ", p." + dialect.name(ROW) + " FROM " + dialect.name(work)
                        + " AS p JOIN (SELECT layer, " + partition + " FROM " + dialect.name(keys)
                        + ") AS k ON k.layer = p.layer AND k." + partition + " = p." + partition,
                row -> {
                    positions
                            .computeIfAbsent(Math.toIntExact(number(row.get(0))), file -> LongStream.builder())
                            .add(number(row.get(1)));
                    return true;
                });
        engine.drop(work);
        List<FileScan.DataFile> kept = new ArrayList<>();
        FileScan all = EngineFiles.scan(snapshot, candidates, Optional.empty(), Optional.empty());
        positions.forEach((index, builder) -> {
            FileScan.DataFile file = all.files().get(index);
            RowPositions rows = RowPositions.of(builder.build());
            kept.add(new FileScan.DataFile(
                    file.location(),
                    file.sizeBytes(),
                    file.partitionValues(),
                    io.tidemark.core.engine.RowPositions.NONE,
                    Optional.of(EngineFiles.positions(rows))));
        });
        return all.of(kept);
    }

    /** The files whose names lie between the least and the greatest of the keys of their layer. */
    private List<DataFile> candidates(String keys, String partition) {
        List<DataFile> candidates = new ArrayList<>();
        for (List<@Nullable Object> row : engine.rows("SELECT layer, min(" + partition + "), max(" + partition
                + ") FROM " + dialect.name(keys) + " GROUP BY layer ORDER BY layer")) {
            String layer = String.valueOf(row.get(0));
            String least = String.valueOf(row.get(1));
            String greatest = String.valueOf(row.get(2));
            candidates.addAll(between(snapshot, files, layer, least, greatest));
        }
        return candidates;
    }

    /** The files of a layer that may hold names of a range. */
    static List<DataFile> between(
            Snapshot snapshot, List<DataFile> files, String layer, String least, String greatest) {
        FileCondition range = new FileCondition.And(List.of(
                new FileCondition.Comparison(CatalogTable.PARTITION, FileCondition.Operator.GREATER_OR_EQUAL, least),
                new FileCondition.Comparison(CatalogTable.PARTITION, FileCondition.Operator.LESS_OR_EQUAL, greatest)));
        return CatalogTable.files(files, List.of(layer)).stream()
                .filter(file -> snapshot.filter(range).test(file.add()))
                .toList();
    }

    private static long number(@Nullable Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }
}
