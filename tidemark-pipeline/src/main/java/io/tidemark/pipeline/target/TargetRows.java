package io.tidemark.pipeline.target;

import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.vector.RowPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a target at one version, as a relation of the engine, and the staging of changes to them: deleted positions
 * become deletion vectors, removed files or rewritten files, whichever is cheaper, and added rows become data files.
 */
public final class TargetRows {
    private static final String DATA_FILE_PREFIX = "part";
    private static final String CHANGE_DATA_FEED = "delta.enableChangeDataFeed";
    private static final String DELETION_VECTORS = "delta.enableDeletionVectors";
    /** Delta's property with the number of columns that get statistics. */
    private static final String INDEXED_COLUMNS = "delta.dataSkippingNumIndexedCols";

    private final Engine engine;
    private final Snapshot snapshot;
    private final String relation;
    private final List<DataFile> files;

    private TargetRows(Engine engine, Snapshot snapshot, String relation) {
        this.engine = engine;
        this.snapshot = snapshot;
        this.relation = relation;
        this.files = snapshot.files();
    }

    /**
     * Registers the rows under a name, with {@link PlanInputs#FILE} and {@link PlanInputs#ROW}.
     *
     * @param schema the target's columns after the update; those that it does not have yet read NULL
     */
    public static TargetRows register(Engine engine, Snapshot snapshot, StructType schema, String relation) {
        TargetRows rows = new TargetRows(engine, snapshot, relation);
        String plain = relation + "_files";
        engine.registerFiles(
                plain,
                EngineFiles.scan(snapshot, rows.files, Optional.of(PlanInputs.FILE), Optional.of(PlanInputs.ROW)));
        List<String> columns = new ArrayList<>(columnsOf(engine, snapshot.schema(), schema));
        columns.add(engine.dialect().name(PlanInputs.FILE));
        columns.add(engine.dialect().name(PlanInputs.ROW));
        engine.createView(relation, "SELECT " + String.join(", ", columns) + " FROM " + plain);
        return rows;
    }

    /** Forgets the relation. */
    public void drop() {
        engine.drop(relation);
        engine.drop(relation + "_files");
    }

    /** Expressions of the columns of one schema over rows of another that may lack some. */
    static List<String> columnsOf(Engine engine, StructType actual, StructType wanted) {
        List<String> columns = new ArrayList<>();
        wanted.fields().forEach(field -> {
            String name = engine.dialect().name(field.name());
            boolean there = actual.has(field.name());
            columns.add(there ? name : engine.dialect().nullOf(field.type()) + " AS " + name);
        });
        return columns;
    }

    /** The relation's name. */
    public String relation() {
        return relation;
    }

    /** Whether there are no data files at all. */
    public boolean isEmpty() {
        return files.isEmpty();
    }

    /**
     * Stages removal of positions and addition of rows.
     *
     * @param transaction receives the actions
     * @param deleted relation with columns {@code file} and {@code pos}
     * @param inserted relation with the columns of {@code schema}
     * @param schema the target's schema after the commit
     * @param sortBy columns by which data files are sorted
     */
    public Staged stage(
            Transaction transaction, String deleted, String inserted, StructType schema, List<String> sortBy) {
        Map<Integer, RowPositions> positions = positions(deleted);
        List<Integer> rewritten = new ArrayList<>();
        long deletedRows = 0;
        for (Map.Entry<Integer, RowPositions> entry : positions.entrySet()) {
            DataFile file = files.get(entry.getKey());
            RowPositions all = snapshot.deletedRows(file).union(entry.getValue());
            deletedRows += entry.getValue().cardinality();
            transaction.readFile(file);
            if (isRewritten(file, all)) {
                rewritten.add(entry.getKey());
                transaction.remove(file);
            } else {
                transaction.deleteRows(file, entry.getValue());
            }
        }
        String columns = String.join(
                ", ", schema.names().stream().map(engine.dialect()::name).toList());
        String sql = "SELECT " + columns + " FROM " + inserted;
        if (!rewritten.isEmpty()) {
            sql += " UNION ALL " + remaining(rewritten, deleted, columns);
        }
        List<WrittenFile> written = write(sql, schema, sortBy);
        EngineFiles.add(transaction, written);
        return new Staged(deletedRows, written, positions.size());
    }

    /** Writes rows to data files of the table, which no commit names yet. */
    public List<WrittenFile> write(String sql, StructType schema, List<String> sortBy) {
        return write(engine, snapshot, sql, schema, sortBy);
    }

    /** Writes rows to data files of a table, which no commit names yet. */
    public static List<WrittenFile> write(
            Engine engine, Snapshot snapshot, String sql, StructType schema, List<String> sortBy) {
        return engine.write(
                sql,
                new WriteSpec(
                        snapshot.location(),
                        DATA_FILE_PREFIX,
                        schema,
                        sortBy,
                        WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                        statisticsColumns(snapshot)));
    }

    /** Stages removal of all files, as a full refresh does. */
    public static void removeAll(Transaction transaction, Snapshot snapshot) {
        transaction.readWholeTable();
        snapshot.files().forEach(transaction::remove);
    }

    /** A file is rewritten if at least half of its rows are deleted, or if the table does not allow vectors. */
    private boolean isRewritten(DataFile file, RowPositions deleted) {
        boolean vectors = Boolean.parseBoolean(snapshot.properties().getOrDefault(DELETION_VECTORS, "false"));
        boolean feed = Boolean.parseBoolean(snapshot.properties().getOrDefault(CHANGE_DATA_FEED, "false"));
        long records = file.statistics().numRecords().orElse(-1);
        if (!vectors || records < 0) {
            return deleted.cardinality() != records;
        }
        // With the change feed on, copied rows would look like changes.
        return !feed && deleted.cardinality() < records && deleted.cardinality() * 2 >= records;
    }

    private String remaining(List<Integer> rewritten, String deleted, String columns) {
        String file = engine.dialect().name(PlanInputs.FILE);
        String row = engine.dialect().name(PlanInputs.ROW);
        List<String> numbers = rewritten.stream().map(String::valueOf).toList();
        return "SELECT " + columns + " FROM (SELECT * FROM " + relation + " WHERE " + file + " IN ("
                + String.join(", ", numbers) + ")) AS t LEFT JOIN (SELECT file, pos FROM " + deleted + ") AS d ON t."
                + file + " = d.file AND t." + row + " = d.pos WHERE d.file IS NULL";
    }

    private Map<Integer, RowPositions> positions(String deleted) {
        Map<Integer, LongStream.Builder> builders = new TreeMap<>();
        engine.stream("SELECT file, pos FROM " + deleted, row -> {
            int file = Math.toIntExact(number(row.get(0)));
            builders.computeIfAbsent(file, key -> LongStream.builder()).add(number(row.get(1)));
            return true;
        });
        Map<Integer, RowPositions> positions = new TreeMap<>();
        builders.forEach((file, builder) -> positions.put(file, RowPositions.of(builder.build())));
        return positions;
    }

    private static long number(@Nullable Object value) {
        if (value instanceof Number number) {
            return number.longValue();
        }
        throw new IllegalStateException("a position is no number: " + value);
    }

    private static int statisticsColumns(Snapshot snapshot) {
        String text = snapshot.properties().get(INDEXED_COLUMNS);
        if (text == null) {
            return WriteSpec.STATISTICS_COLUMNS_MAX_DEFAULT;
        }
        int columns = Integer.parseInt(text);
        return columns < 0 ? Integer.MAX_VALUE : columns;
    }

    /**
     * What was staged.
     *
     * @param deletedRows how many rows were deleted
     * @param written files that were written, rewritten rows included
     * @param touchedFiles how many existing files lost rows
     */
    public record Staged(long deletedRows, List<WrittenFile> written, int touchedFiles) {
        /** Copies the list. */
        public Staged {
            written = List.copyOf(written);
        }
    }
}
