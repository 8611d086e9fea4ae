package io.tidemark.delta.rows;

import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.delta.log.LogPath;
import io.tidemark.delta.vector.RowPositions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The rows of a table at one version, as a relation of the engine, and the staging of changes to them: deleted positions
 * become deletion vectors, removed files or rewritten files, whichever is cheaper, and added rows become data files. In
 * a table with change data feed the changes are written as such too.
 */
public final class TableRows {
    /** Column with the index of a row's file in {@link #files}. */
    public static final String FILE = PlanInputs.FILE;
    /** Column with a row's position in its file. */
    public static final String ROW = PlanInputs.ROW;

    private static final String DATA_FILE_PREFIX = "part";
    private static final String CHANGE_FILE_PREFIX = "cdc";
    /** Folder of the files of row changes, in the table's folder. */
    public static final String CHANGE_FOLDER = "_change_data";

    private static final String CHANGE_DATA_FEED = "delta.enableChangeDataFeed";
    private static final String DELETION_VECTORS = "delta.enableDeletionVectors";
    /** Delta's property with the number of columns that get statistics. */
    private static final String INDEXED_COLUMNS = "delta.dataSkippingNumIndexedCols";

    private final Engine engine;
    private final Snapshot snapshot;
    private final String relation;
    private final List<DataFile> files;
    private final List<String> separation;

    private TableRows(
            Engine engine, Snapshot snapshot, List<DataFile> files, String relation, List<String> separation) {
        this.engine = engine;
        this.snapshot = snapshot;
        this.relation = relation;
        this.files = List.copyOf(files);
        this.separation = List.copyOf(separation);
    }

    /**
     * These rows, with added ones written to files of their own for each condition, so that whoever looks for rows of one
     * kind skips the files of the others.
     *
     * @param conditions engine SQL over the table's columns, of which exactly one is true for each row; empty = rows are
     *     not kept apart
     */
    public TableRows separating(List<String> conditions) {
        return new TableRows(engine, snapshot, files, relation, conditions);
    }

    /**
     * Registers all rows under a name, with {@link #FILE} and {@link #ROW}.
     *
     * @param schema the table's columns after the update; those that it does not have yet read NULL
     */
    public static TableRows register(Engine engine, Snapshot snapshot, StructType schema, String relation) {
        return register(engine, snapshot, snapshot.files(), schema, relation);
    }

    /**
     * Registers the rows of some files under a name, with {@link #FILE} and {@link #ROW}.
     *
     * @param files files of the snapshot
     * @param schema the table's columns after the update; those that it does not have yet read NULL
     */
    public static TableRows register(
            Engine engine, Snapshot snapshot, List<DataFile> files, StructType schema, String relation) {
        TableRows rows = new TableRows(engine, snapshot, files, relation, List.of());
        String plain = relation + "_files";
        engine.registerFiles(plain, EngineFiles.scan(snapshot, rows.files, Optional.of(FILE), Optional.of(ROW)));
        List<String> columns = new ArrayList<>(columnsOf(engine, snapshot.schema(), schema));
        columns.add(engine.dialect().name(FILE));
        columns.add(engine.dialect().name(ROW));
        engine.createView(
                relation,
                "SELECT " + String.join(", ", columns) + " FROM "
                        + engine.dialect().name(plain));
        return rows;
    }

    /** Forgets the relation. */
    public void drop() {
        engine.drop(List.of(relation, relation + "_files"));
    }

    /** Expressions of the columns of one schema over rows of another that may lack some. */
    public static List<String> columnsOf(Engine engine, StructType actual, StructType wanted) {
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

    /** The files whose rows are in the relation. */
    public List<DataFile> files() {
        return files;
    }

    /**
     * Stages removal of positions and addition of rows.
     *
     * @param transaction receives the actions
     * @param deleted relation with columns {@code file} and {@code pos}
     * @param inserted relation with the columns of {@code schema}
     * @param schema the table's schema after the commit
     * @param sortBy columns by which data files are sorted
     * @param identity engine SQL over the columns that says which added row is the new state of which deleted one, for
     *     the change data feed; empty if no row is the new state of another
     */
    public Staged stage(
            Transaction transaction,
            String deleted,
            String inserted,
            StructType schema,
            List<String> sortBy,
            List<String> identity) {
        Optional<String> changes = identity.isEmpty()
                ? Optional.empty()
                : Optional.of(new ChangeImages(engine.dialect(), schema, identity)
                        .sql(rowsAt(deleted, schema), "SELECT " + columns(schema) + " FROM " + inserted));
        return stage(transaction, deleted, inserted, schema, sortBy, changes);
    }

    /**
     * Stages removal of positions and addition of rows.
     *
     * @param transaction receives the actions
     * @param deleted relation with columns {@code file} and {@code pos}, without duplicates
     * @param inserted relation with the columns of {@code schema}
     * @param schema the table's schema after the commit
     * @param sortBy columns by which data files are sorted
     * @param changes engine SQL of the changes with {@link ChangeImages#CHANGE_TYPE}, for the change data feed; empty if
     *     readers can tell them from the files, because no row is the new state of another
     */
    public Staged stage(
            Transaction transaction,
            String deleted,
            String inserted,
            StructType schema,
            List<String> sortBy,
            Optional<String> changes) {
        Map<Integer, RowPositions> positions = positionsOf(deleted);
        List<Integer> rewritten = new ArrayList<>();
        long deletedRows = 0;
        int removed = 0;
        boolean describes = hasChangeFeed(snapshot) && changes.isPresent();
        for (Map.Entry<Integer, RowPositions> entry : positions.entrySet()) {
            DataFile file = files.get(entry.getKey());
            RowPositions all = snapshot.deletedRows(file).union(entry.getValue());
            deletedRows += entry.getValue().cardinality();
            transaction.readRows(file, entry.getValue());
            boolean emptied =
                    all.cardinality() == file.statistics().numRecords().orElse(-1);
            removed += emptied ? 1 : 0;
            if (emptied && !allowsVectors()) {
                transaction.remove(file);
            } else if (!emptied && isRewritten(file, all, describes)) {
                rewritten.add(entry.getKey());
                transaction.remove(file);
            } else {
                transaction.deleteRows(file, entry.getValue());
            }
        }
        String columns = columns(schema);
        String sql = "SELECT " + columns + " FROM " + name(inserted);
        if (!rewritten.isEmpty()) {
            sql += " UNION ALL " + remaining(rewritten, deleted, columns("t.", schema));
        }
        List<WrittenFile> written = write(engine, snapshot, sql, schema, sortBy, separation, relation);
        EngineFiles.add(transaction, written);
        boolean inferred = positions.isEmpty() || (written.isEmpty() && rewritten.isEmpty());
        List<WrittenFile> changeFiles = List.of();
        if (describes && !inferred) {
            try {
                changeFiles = stageChanges(engine, snapshot, transaction, changes.orElseThrow(), schema);
            } catch (RuntimeException e) {
                // The caller never hears of the data files, so nobody else can tidy up.
                snapshot.discard(written);
                throw e;
            }
        }
        return new Staged(deletedRows, written, changeFiles, positions.size(), removed + rewritten.size());
    }

    /** Engine SQL of the rows at some positions, given as a relation with columns {@code file} and {@code pos}. */
    public String rowsAt(String positions, StructType schema) {
        return "SELECT " + columns("t.", schema) + " FROM " + name(relation) + " AS t JOIN (SELECT file, pos FROM "
                + name(positions) + ") AS d ON t." + engine.dialect().name(FILE) + " = d.file AND t."
                + engine.dialect().name(ROW) + " = d.pos";
    }

    /** Whether the changes of a table's rows are to be kept for readers of the change data feed. */
    public static boolean hasChangeFeed(Snapshot snapshot) {
        return Boolean.parseBoolean(snapshot.properties().getOrDefault(CHANGE_DATA_FEED, "false"));
    }

    /**
     * Writes the changes that a commit makes, all of them.
     *
     * @param sql engine SQL with the columns of {@code schema} and {@link ChangeImages#CHANGE_TYPE}
     */
    public static List<WrittenFile> stageChanges(
            Engine engine, Snapshot snapshot, Transaction transaction, String sql, StructType schema) {
        List<StructField> fields = new ArrayList<>();
        schema.fields().forEach(field -> fields.add(new StructField(field.name(), field.type(), true, Map.of())));
        fields.add(StructField.of(ChangeImages.CHANGE_TYPE, ScalarType.STRING));
        List<WrittenFile> written = engine.write(
                sql,
                new WriteSpec(
                        snapshot.location() + "/" + CHANGE_FOLDER,
                        CHANGE_FILE_PREFIX,
                        new StructType(fields),
                        List.of(),
                        WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                        0,
                        snapshot.partitionColumns()));
        for (WrittenFile file : written) {
            transaction.addChanges(new CdcFile(
                    LogPath.encode(CHANGE_FOLDER + "/" + file.name()),
                    EngineFiles.partitionValues(file),
                    file.sizeBytes(),
                    Map.of()));
        }
        return written;
    }

    private String columns(StructType schema) {
        return columns("", schema);
    }

    private String columns(String prefix, StructType schema) {
        return String.join(
                ", ",
                schema.names().stream().map(column -> prefix + name(column)).toList());
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
                        statisticsColumns(snapshot),
                        snapshot.partitionColumns()));
    }

    /**
     * Writes rows to data files of a table, which no commit names yet, each file with rows of one kind.
     *
     * @param separation see {@link #separating}
     * @param prefix start of the name of a relation that it makes
     */
    public static List<WrittenFile> write(
            Engine engine,
            Snapshot snapshot,
            String sql,
            StructType schema,
            List<String> sortBy,
            List<String> separation,
            String prefix) {
        if (separation.isEmpty()) {
            return write(engine, snapshot, sql, schema, sortBy);
        }
        String all = prefix + "_to_write";
        engine.materialize(all, sql, Optional.empty());
        List<WrittenFile> written = new ArrayList<>();
        try {
            for (String condition : separation) {
                written.addAll(engine.write(
                        "SELECT * FROM " + engine.dialect().name(all) + " WHERE " + condition,
                        new WriteSpec(
                                snapshot.location(),
                                DATA_FILE_PREFIX,
                                schema,
                                sortBy,
                                WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                                // the columns that tell rows apart stand last, and files are skipped by them
                                snapshot.properties().containsKey(INDEXED_COLUMNS)
                                        ? statisticsColumns(snapshot)
                                        : Integer.MAX_VALUE,
                                snapshot.partitionColumns())));
            }
        } catch (RuntimeException e) {
            snapshot.discard(written);
            throw e;
        } finally {
            engine.drop(all);
        }
        return written;
    }

    /** Stages removal of all files, as a full refresh does. */
    public static void removeAll(Transaction transaction, Snapshot snapshot) {
        transaction.readWholeTable();
        snapshot.files().forEach(transaction::remove);
    }

    private String name(String relation) {
        return engine.dialect().name(relation);
    }

    /** A file is rewritten if at least half of its rows are deleted, or if the table does not allow vectors. */
    private boolean isRewritten(DataFile file, RowPositions deleted, boolean describes) {
        boolean copiesLookLikeChanges = hasChangeFeed(snapshot) && !describes;
        long records = file.statistics().numRecords().orElse(-1);
        if (!allowsVectors() || records < 0) {
            return true;
        }
        return !copiesLookLikeChanges && deleted.cardinality() * 2 >= records;
    }

    private boolean allowsVectors() {
        return Boolean.parseBoolean(snapshot.properties().getOrDefault(DELETION_VECTORS, "false"));
    }

    private String remaining(List<Integer> rewritten, String deleted, String columns) {
        String file = engine.dialect().name(FILE);
        String row = engine.dialect().name(ROW);
        List<String> numbers = rewritten.stream().map(String::valueOf).toList();
        return "SELECT " + columns + " FROM (SELECT * FROM " + name(relation) + " WHERE " + file + " IN ("
                + String.join(", ", numbers) + ")) AS t LEFT JOIN (SELECT file, pos FROM " + name(deleted)
                + ") AS d ON t."
                + file + " = d.file AND t." + row + " = d.pos WHERE d.file IS NULL";
    }

    /**
     * Loads positions.
     *
     * @param relation relation with columns {@code file} and {@code pos}
     * @return the positions by the file's index in {@link #files}
     */
    public Map<Integer, RowPositions> positionsOf(String relation) {
        Map<Integer, LongStream.Builder> builders = new TreeMap<>();
        engine.stream("SELECT file, pos FROM " + name(relation), row -> {
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

    /** How many leading columns of a table get statistics. */
    public static int statisticsColumns(Snapshot snapshot) {
        String text = snapshot.properties().get(INDEXED_COLUMNS);
        if (text == null) {
            return WriteSpec.STATISTICS_COLUMNS_MAX_DEFAULT;
        }
        try {
            int columns = Integer.parseInt(text.strip());
            return columns < 0 ? Integer.MAX_VALUE : columns;
        } catch (NumberFormatException e) {
            throw TidemarkException.of(
                            ErrorCode.INVALID_SETTING,
                            "property " + INDEXED_COLUMNS + " of table " + snapshot.location() + " is '" + text
                                    + "', which is no number")
                    .hint("ALTER TABLE … UNSET TBLPROPERTIES ('" + INDEXED_COLUMNS + "')")
                    .cause(e)
                    .build();
        }
    }

    /**
     * What was staged.
     *
     * @param deletedRows how many rows were deleted
     * @param written files that were written, rewritten rows included
     * @param changes files of row changes that were written
     * @param touchedFiles how many existing files lost rows
     * @param removedFiles how many of them are no longer part of the table
     */
    public record Staged(
            long deletedRows,
            List<WrittenFile> written,
            List<WrittenFile> changes,
            int touchedFiles,
            int removedFiles) {
        /** Copies the lists. */
        public Staged {
            written = List.copyOf(written);
            changes = List.copyOf(changes);
        }
    }
}
