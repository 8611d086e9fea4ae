package io.tidemark.delta.feed;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.InternalColumns;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.ChangeColumns;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.feed.FeedFiles.Entry;
import io.tidemark.delta.feed.FeedFiles.Kind;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.rows.ChangeImages;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What happened to the rows of a table in a range of versions, both ends included. Its columns are those of the table at
 * the end of the range and {@link ChangeColumns#fields()}. Rows are read by an engine when a query asks for them; the
 * engine scans all files of a kind at once, whatever the number of commits.
 */
public final class ChangeFeed {
    private static final String FILE = "__feed_file";
    private static final String ROW = "__feed_row";
    private static final String KIND = "__feed_kind";
    private static final String FILES_SUFFIX = " feed files";

    private final Snapshot end;
    private final long first;
    private final FeedFiles files;

    private ChangeFeed(Snapshot end, long first, FeedFiles files) {
        this.end = end;
        this.first = first;
        this.files = files;
    }

    /**
     * The changes from a bound up to the latest version.
     *
     * @throws TidemarkException as {@link #between}
     */
    public static ChangeFeed from(DeltaTable table, Bound from) {
        return upTo(table, from, table.snapshot());
    }

    /**
     * The changes from a bound up to a snapshot of the table.
     *
     * @throws TidemarkException as {@link #between}
     */
    public static ChangeFeed upTo(DeltaTable table, Bound from, Snapshot end) {
        long last = end.version();
        return read(table, FeedRange.of(table, from, Bound.version(last), last), end);
    }

    /**
     * The changes between two bounds.
     *
     * @throws TidemarkException with {@link ErrorCode#CHANGE_RANGE_INVALID} if there is no such range,
     *     {@link ErrorCode#TIMESTAMP_OUT_OF_RANGE} if a time lies outside of the table's history,
     *     {@link ErrorCode#CHANGE_LOG_GONE} if the log no longer holds the range, {@link ErrorCode#CHANGE_FILE_GONE} if
     *     files were deleted, {@link ErrorCode#CHANGE_FEED_OFF} if a version did not record its changes, and
     *     {@link ErrorCode#CHANGE_SCHEMA_CHANGED} if older rows do not fit the schema of the end
     */
    public static ChangeFeed between(DeltaTable table, Bound from, Bound to) {
        FeedRange range = FeedRange.of(table, from, to, table.latestVersion());
        return read(table, range, FeedRange.snapshot(table, range.last()));
    }

    /**
     * Checks that a version records its changes, so that those of later versions can be read.
     *
     * @throws TidemarkException with {@link ErrorCode#CHANGE_FEED_OFF}
     */
    public static void checkOn(Snapshot snapshot) {
        if (!Recording.isOn(snapshot.metadata())) {
            throw Recording.off(snapshot.location(), snapshot.version(), Recording.TURN_ON);
        }
    }

    private static ChangeFeed read(DeltaTable table, FeedRange range, Snapshot end) {
        end.checkReadable();
        Recording recording = new Recording(table, end);
        recording.saw(range.first(), FeedRange.snapshot(table, range.first()).metadata());
        FeedFiles files = new FeedFiles(table, !end.partitionColumns().isEmpty());
        long[] expected = {range.first()};
        table.commits(range.first(), range.last(), commit -> {
            checkThere(table, expected[0], commit.version());
            expected[0] = commit.version() + 1;
            commit.actions().stream()
                    .filter(Metadata.class::isInstance)
                    .forEach(action -> recording.saw(commit.version(), (Metadata) action));
            if (recording.isOn()) {
                files.add(commit);
            }
        });
        checkThere(table, expected[0], range.last() + 1);
        recording.check(range);
        return new ChangeFeed(end, range.first(), files);
    }

    private static void checkThere(DeltaTable table, long expected, long found) {
        if (expected != found) {
            throw FeedRange.logGone(table, expected);
        }
    }

    /** The first version. */
    public long firstVersion() {
        return first;
    }

    /** The last version. */
    public long lastVersion() {
        return end.version();
    }

    /** Columns of the table at the last version, then {@link ChangeColumns#fields()}. */
    public StructType schema() {
        List<StructField> fields = new ArrayList<>();
        end.schema().fields().forEach(field -> fields.add(StructField.of(field.name(), field.type())));
        fields.addAll(ChangeColumns.fields());
        return new StructType(fields);
    }

    /** Whether no file says anything of a change; if one does, its rows may still be none. */
    public boolean isEmpty() {
        return files.isEmpty();
    }

    /** Makes the changes a relation of an engine, in no particular order. Nothing is read before a query needs it. */
    public void register(Engine engine, String relation) {
        Dialect dialect = engine.dialect();
        engine.createView(relation, "SELECT " + columns(dialect) + " FROM (" + select(engine, relation) + ") AS feed");
    }

    /**
     * As {@link #register}, with rows in the order of versions. Within a version rows that went come before rows that
     * came, so that the last row of a key is the one that the version left.
     */
    public void registerInOrder(Engine engine, String relation) {
        Dialect dialect = engine.dialect();
        String went = ChangeColumns.CHANGE_TYPE + " IN (" + dialect.string(ChangeImages.DELETE) + ", "
                + dialect.string(ChangeImages.BEFORE) + ")";
        engine.createView(
                relation,
                "SELECT " + columns(dialect) + " FROM (" + select(engine, relation) + ") AS feed ORDER BY "
                        + ChangeColumns.COMMIT_VERSION + ", CASE WHEN " + went + " THEN 0 ELSE 1 END, feed." + KIND
                        + ", feed." + FILE + ", feed." + ROW);
    }

    private String columns(Dialect dialect) {
        return String.join(", ", schema().names().stream().map(dialect::name).toList());
    }

    /** Reads the changes in the order of {@link #registerInOrder}, row by row, until the consumer has enough. */
    public void forEach(Engine engine, RowConsumer consumer) {
        String relation = "changes of " + end.location();
        try {
            registerInOrder(engine, relation);
            engine.stream("SELECT * FROM " + engine.dialect().name(relation), consumer);
        } finally {
            drop(engine, relation);
        }
    }

    /** Takes a registered relation from an engine. */
    public static void drop(Engine engine, String relation) {
        engine.drop(relation);
        for (Kind kind : Kind.values()) {
            engine.drop(scanName(relation, kind));
        }
        engine.drop(relation + FILES_SUFFIX);
    }

    private String select(Engine engine, String relation) {
        Dialect dialect = engine.dialect();
        List<String> known = new ArrayList<>();
        List<String> parts = new ArrayList<>();
        String filesRelation = dialect.name(relation + FILES_SUFFIX);
        for (Kind kind : Kind.values()) {
            List<Entry> entries = files.of(kind);
            if (entries.isEmpty()) {
                continue;
            }
            String scan = scanName(relation, kind);
            engine.registerFiles(scan, scan(kind, entries));
            for (int i = 0; i < entries.size(); i++) {
                known.add(row(dialect, kind, i, entries.get(i)));
            }
            parts.add(part(dialect, kind, dialect.name(scan), filesRelation));
        }
        if (parts.isEmpty()) {
            return dialect.emptySelect(withPlaces(schema()));
        }
        engine.materialize(
                relation + FILES_SUFFIX,
                "SELECT * FROM (VALUES " + String.join(", ", known)
                        + ") AS f(kind, file, change_type, commit_version, commit_timestamp)",
                Optional.empty());
        return String.join(" UNION ALL ", parts);
    }

    private String part(Dialect dialect, Kind kind, String scan, String filesRelation) {
        List<String> columns = new ArrayList<>();
        end.schema().names().forEach(name -> columns.add("r." + dialect.name(name)));
        boolean says = kind == Kind.CHANGES;
        columns.add((says ? "r." : "f.change_type AS ") + dialect.name(ChangeColumns.CHANGE_TYPE));
        columns.add("f.commit_version AS " + dialect.name(ChangeColumns.COMMIT_VERSION));
        columns.add("f.commit_timestamp AS " + dialect.name(ChangeColumns.COMMIT_TIMESTAMP));
        columns.add("f.kind AS " + KIND);
        columns.add("r." + FILE);
        columns.add("r." + ROW);
        return "SELECT " + String.join(", ", columns) + " FROM " + scan + " AS r JOIN " + filesRelation
                + " AS f ON f.file = r." + FILE + " AND f.kind = " + kind.number();
    }

    private FileScan scan(Kind kind, List<Entry> entries) {
        InternalColumns.checkFree(end.schema().names(), KIND);
        FileScan.ColumnMapping mapping = EngineFiles.columnMapping(end);
        List<StructField> fields = new ArrayList<>(end.schema().fields());
        if (kind == Kind.CHANGES) {
            fields.add(StructField.of(ChangeColumns.CHANGE_TYPE, ScalarType.STRING));
            // The column has no id; files of tables that map by id bear the physical names too.
            mapping = mapping == FileScan.ColumnMapping.ID ? FileScan.ColumnMapping.NAME : mapping;
        }
        return new FileScan(
                new StructType(fields),
                mapping,
                end.partitionColumns(),
                entries.stream().map(Entry::file).toList(),
                Optional.of(FILE),
                Optional.of(ROW));
    }

    private static String row(Dialect dialect, Kind kind, int file, Entry entry) {
        return "(" + kind.number() + ", CAST(" + file + " AS " + dialect.type(ScalarType.LONG) + "), "
                + entry.changeType().map(dialect::string).orElse(dialect.nullOf(ScalarType.STRING)) + ", CAST("
                + entry.version() + " AS " + dialect.type(ScalarType.LONG) + "), CAST("
                + dialect.string(entry.timestamp().toString()) + " AS " + dialect.type(ScalarType.TIMESTAMP) + "))";
    }

    private static StructType withPlaces(StructType schema) {
        List<StructField> fields = new ArrayList<>(schema.fields());
        for (String name : List.of(KIND, FILE, ROW)) {
            fields.add(StructField.of(name, ScalarType.LONG));
        }
        return new StructType(fields);
    }

    private static String scanName(String relation, Kind kind) {
        return relation + " feed " + kind.number();
    }
}
