package io.tidemark.pipeline.source;

import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.ChangeColumns;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.pipeline.state.FlowEntry;
import io.tidemark.pipeline.state.FlowEntry.Position;
import io.tidemark.pipeline.state.ProcessedFiles;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.sql.query.RelationReference;
import io.tidemark.sql.query.ScannedQuery;
import io.tidemark.sql.warehouse.RelationSource;
import io.tidemark.sql.warehouse.Relations;
import io.tidemark.sql.warehouse.SourceFiles;
import io.tidemark.sql.warehouse.ViewColumns;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The sources of one update of one flow. Names in its query become relations; what is read as a stream becomes a
 * relation over what is new since the flow's last update, and moves the flow's position.
 */
public final class FlowSources implements RelationSource, AutoCloseable {
    private final Engine engine;
    private final Warehouse warehouse;
    private final PipelineViews views;
    private final Path baseFolder;
    private final SkippedChanges skipped;
    private final Optional<PlannedTables> planned;
    private final Progress progress;
    private final String prefix;
    private final Relations relations;
    private final Map<String, String> registered = new LinkedHashMap<>();
    private final Set<String> changes = new HashSet<>();
    private final Map<String, Position> positions = new LinkedHashMap<>();
    private final List<ProcessedFiles.Entry> newFiles = new ArrayList<>();
    private final Deque<TableName> viewsInProgress = new ArrayDeque<>();
    private final List<View> ownViews = new ArrayList<>();
    private final Map<String, InputScan> unread = new LinkedHashMap<>();
    private final List<String> filesRead = new ArrayList<>();
    private boolean readsFilesLater;
    private int streamingDepth;
    private boolean newInput;

    /**
     * What the sources of one update need.
     *
     * @param engine the engine
     * @param warehouse the warehouse
     * @param views views that queries may name
     * @param baseFolder where relative paths begin
     * @param skipped tables whose changing commits are left out
     * @param planned if present, queries are only bound: relations are empty, and tables have these columns
     */
    public record Setting(
            Engine engine,
            Warehouse warehouse,
            PipelineViews views,
            Path baseFolder,
            SkippedChanges skipped,
            Optional<PlannedTables> planned) {
        /** These means, to bind queries and nothing else. */
        public Setting binding(PlannedTables tables) {
            return new Setting(engine, warehouse, views, baseFolder, skipped, Optional.of(tables));
        }
    }

    /**
     * How far the flow had come.
     *
     * @param entry the flow's entry; absent = start of all sources
     * @param processedFiles which paths of a source were read
     */
    public record Progress(Optional<FlowEntry> entry, Function<String, Set<String>> processedFiles) {
        /** A flow that reads its sources from their start. */
        public static final Progress START = new Progress(Optional.empty(), source -> new HashSet<>());
    }

    /** Sources of an update; relations get names that begin with {@code prefix}. */
    public FlowSources(Setting setting, Progress progress, String prefix) {
        this.engine = setting.engine();
        this.warehouse = setting.warehouse();
        this.views = setting.views();
        this.baseFolder = setting.baseFolder();
        this.skipped = setting.skipped();
        this.planned = setting.planned();
        this.progress = progress;
        this.prefix = prefix;
        this.relations = new Relations(warehouse, engine, this, baseFolder);
    }

    /**
     * Scans, resolves, checks and translates a query.
     *
     * @throws NoFilesException if the query's only stream is of files that were all read and taken away since
     */
    public PreparedQuery prepare(QueryText query) {
        try {
            return relations.prepare(query);
        } catch (NoFilesException gone) {
            List<RelationReference> streams = QueryScanner.scan(query).references().stream()
                    .filter(RelationReference::streaming)
                    .toList();
            if (streams.size() <= 1) {
                throw gone;
            }
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "no file matches " + gone.path + " any more")
                    .at(query.location())
                    .detail("Without a file the columns of this source cannot be told.")
                    .hint("declare them: read_files('" + gone.path + "', format => …, schema => '…')")
                    .cause(gone)
                    .build();
        }
    }

    /** A stream of files has no files any more and no declared columns: there is nothing to bind and nothing new. */
    public static final class NoFilesException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String path;

        NoFilesException(String path) {
            super("no file matches " + path + " any more");
            this.path = path;
        }
    }

    /** Whether any stream of the queries prepared so far has something new. */
    public boolean hasNewInput() {
        return newInput;
    }

    /** Whether any query prepared so far reads a stream. */
    public boolean isStreaming() {
        return !positions.isEmpty();
    }

    /** The positions after this update. */
    public List<Position> positions() {
        return List.copyOf(positions.values());
    }

    /** The files that this update reads. */
    public List<ProcessedFiles.Entry> newFiles() {
        return List.copyOf(newFiles);
    }

    /**
     * Has files that are not read as a stream bound to their columns only, until {@link #readFiles} is called; so it can be
     * told first whether they must be read at all.
     */
    public FlowSources readingFilesLater() {
        readsFilesLater = true;
        return this;
    }

    /** Reads the files that were left for later. */
    public void readFiles() {
        unread.forEach(engine::registerInput);
        unread.clear();
    }

    private String laterFiles(RelationReference.FilesReference reference) {
        InputScan scan = SourceFiles.scan(reference, baseFolder);
        String relation = prefix + "files of query " + filesRead.size();
        filesRead.addAll(scan.files());
        unread.put(relation, scan);
        return empty(relation, engine.describeInput(scan));
    }

    /**
     * What decides the rows of a query that was prepared and reads no stream.
     *
     * @param query the query as the user wrote it
     */
    public SourceFingerprint fingerprint(QueryText query) {
        Set<String> files = new HashSet<>(filesRead);
        files.addAll(relations.filesRead());
        return SourceFingerprint.of(query, ownViews, files, relations, warehouse);
    }

    @Override
    public Optional<String> relation(TableName name, TextLocation location) {
        Optional<View> view = views.find(name);
        if (view.isPresent() && (views.isOwn(name) || streamingDepth > 0)) {
            return Optional.of(view(view.get(), location));
        }
        if (view.isEmpty() && streamingDepth == 0 && planned.isPresent()) {
            return plannedColumns(name).map(columns -> empty(prefix + "table " + folded(name), columns));
        }
        return streamingDepth > 0 ? Optional.of(tableStream(name, location)) : Optional.empty();
    }

    @Override
    public Optional<String> relation(RelationReference reference) {
        if (!reference.streaming()) {
            if (planned.isPresent()) {
                return bound(reference);
            }
            return readsFilesLater && reference instanceof RelationReference.FilesReference files
                    ? Optional.of(laterFiles(files))
                    : Optional.empty();
        }
        if (reference instanceof RelationReference.FilesReference files) {
            return Optional.of(fileStream(files));
        }
        if (reference instanceof RelationReference.TableReference table) {
            return Optional.of(stream(table));
        }
        return Optional.of(changeStream((RelationReference.ChangesReference) reference));
    }

    private String changeStream(RelationReference.ChangesReference reference) {
        TableName name = reference.table();
        boolean view = views.find(name).isPresent();
        if (view || reference.to().isPresent()) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            view ? "the view " + name + " has no change data feed" : "a stream of changes has no end")
                    .at(reference.location())
                    .hint(view ? "read the changes of its tables" : "leave out STREAM, or the end")
                    .build();
        }
        String source = "changes:" + folded(name);
        String relation =
                prefix + source + reference.from().map(Object::toString).orElse("");
        if (changes.contains(relation)) {
            return relation;
        }
        if (planned.isPresent()) {
            StructType columns = plannedColumns(name).orElseThrow(() -> relations.unknown(name, reference.location()));
            positions.put(source, Position.ofFiles(source, 0));
            return empty(relation, withChanges(columns));
        }
        DeltaTable table = warehouse.table(name);
        Snapshot snapshot = relations.snapshot(name, reference.location());
        Optional<Position> position = position(source);
        position.ifPresent(known -> TablePosition.check(known, table, snapshot, name.toString(), reference.location()));
        ChangeStream stream = new ChangeStream(engine, table, name.toString(), snapshot, reference.location());
        if (stream.isInitial(position, reference.from())) {
            List<DataFile> files = TableStream.initialFiles(table, snapshot);
            String rows = relation + " rows";
            registerInOrder(rows, snapshot, files);
            registered.put(rows, rows);
            engine.createView(relation, stream.inserts(rows));
            newInput |= !files.isEmpty();
        } else {
            newInput |= stream.register(position, reference.from(), relation);
        }
        changes.add(relation);
        positions.put(source, TablePosition.behind(source, table, snapshot));
        return relation;
    }

    private String stream(RelationReference.TableReference reference) {
        if (reference.version().isPresent()) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, "a stream cannot be read at a version")
                    .at(reference.location())
                    .hint("leave out STREAM, or the version")
                    .build();
        }
        Optional<View> view = views.find(reference.table());
        if (view.isEmpty()) {
            return tableStream(reference.table(), reference.location());
        }
        streamingDepth++;
        try {
            return view(view.get(), reference.location());
        } finally {
            streamingDepth--;
        }
    }

    private String view(View view, TextLocation location) {
        String relation = prefix + (streamingDepth > 0 ? "stream_view " : "view ") + folded(view.name());
        if (registered.containsKey(relation)) {
            return relation;
        }
        if (viewsInProgress.contains(view.name())) {
            throw TidemarkException.of(ErrorCode.GRAPH_CYCLE, "the view " + view.name() + " reads itself")
                    .at(location)
                    .hint("break the circle by a table")
                    .build();
        }
        viewsInProgress.push(view.name());
        ownViews.add(view);
        int outside = streamingDepth;
        try {
            // A view with streams of its own keeps its plain tables as they are; one without is streamed as a whole.
            if (views.isStreaming(view.query(), this::plainNames)) {
                streamingDepth = 0;
            }
            PreparedQuery query = relations.prepare(view.query());
            engine.createView(relation, ViewColumns.rename(engine, view, query).sql());
            registered.put(relation, relation);
        } finally {
            viewsInProgress.pop();
            streamingDepth = outside;
        }
        return relation;
    }

    private Set<TableName> plainNames(ScannedQuery query) {
        Set<TableName> names = new HashSet<>();
        for (List<String> parts : engine.relationsOf(query.text())) {
            if (parts.size() == 2) {
                names.add(new TableName(parts.get(0), parts.get(1)));
            } else if (query.reference(parts.get(0)).isEmpty()) {
                names.add(TableName.of(parts.get(0)));
            }
        }
        return names;
    }

    private String tableStream(TableName name, TextLocation location) {
        String source = "table:" + folded(name);
        String relation = prefix + source;
        if (registered.containsKey(relation)) {
            return relation;
        }
        if (planned.isPresent()) {
            StructType columns = plannedColumns(name).orElseThrow(() -> relations.unknown(name, location));
            positions.put(source, Position.ofFiles(source, 0));
            return empty(relation, columns);
        }
        DeltaTable table = warehouse.table(name);
        Snapshot snapshot = relations.snapshot(name, location);
        TableStream stream =
                new TableStream(warehouse.storage(), table, name.toString(), skipped.covers(name), location);
        List<DataFile> files = stream.read(snapshot, position(source));
        registerInOrder(relation, snapshot, files);
        registered.put(relation, relation);
        positions.put(source, TablePosition.behind(source, table, snapshot));
        newInput |= !files.isEmpty();
        return relation;
    }

    /** Rows in the order of the files and of their places in them, which ties between events depend on. */
    private void registerInOrder(String relation, Snapshot snapshot, List<DataFile> files) {
        boolean plain = snapshot.partitionColumns().isEmpty()
                && files.stream().allMatch(file -> file.deletionVector().isEmpty());
        if (plain) {
            engine.registerFiles(relation, EngineFiles.scan(snapshot, files, Optional.empty(), Optional.empty()));
            return;
        }
        String placed = relation + " placed";
        FileScan scan = EngineFiles.scan(snapshot, files, Optional.of(PlanInputs.FILE), Optional.of(PlanInputs.ROW));
        engine.registerFiles(placed, scan);
        registered.put(placed, placed);
        List<String> columns =
                snapshot.schema().names().stream().map(engine.dialect()::name).toList();
        engine.createView(
                relation,
                "SELECT " + String.join(", ", columns) + " FROM "
                        + engine.dialect().name(placed) + " ORDER BY "
                        + engine.dialect().name(PlanInputs.FILE) + ", "
                        + engine.dialect().name(PlanInputs.ROW));
    }

    private String fileStream(RelationReference.FilesReference reference) {
        String source = "files:" + reference.path();
        String relation = prefix + source + "@" + reference.placeholder();
        if (registered.containsKey(relation)) {
            return relation;
        }
        List<String> all = SourceFiles.list(reference.path(), baseFolder, reference.location());
        boolean columnsDeclared = !all.isEmpty() && reference.schema().isPresent();
        Set<String> done = planned.isPresent() && columnsDeclared
                ? Set.of()
                : progress.processedFiles().apply(source);
        List<String> fresh = all.stream().filter(path -> !done.contains(path)).toList();
        if (all.isEmpty() && done.isEmpty()) {
            throw TidemarkException.of(ErrorCode.FILE_NOT_FOUND, "no file matches " + reference.path())
                    .at(reference.location())
                    .hint("relative paths begin at the folder of the pipeline file, " + baseFolder.toAbsolutePath())
                    .build();
        }
        if (planned.isPresent()) {
            empty(relation, columns(reference, fresh.isEmpty() ? last(all) : fresh));
        } else if (fresh.isEmpty()) {
            registerEmpty(reference, relation, all);
        } else {
            engine.registerInput(relation, SourceFiles.scan(reference, baseFolder, fresh));
        }
        registered.put(relation, relation);
        positions.put(source, Position.ofFiles(source, (long) done.size() + fresh.size()));
        fresh.forEach(path -> newFiles.add(new ProcessedFiles.Entry(source, path)));
        newInput |= !fresh.isEmpty();
        return relation;
    }

    /** No new file: a relation without rows whose columns are those of a file that was read before. */
    private void registerEmpty(RelationReference.FilesReference reference, String relation, List<String> all) {
        empty(relation, columns(reference, last(all)));
    }

    private static List<String> last(List<String> files) {
        return files.subList(Math.max(0, files.size() - 1), files.size());
    }

    /**
     * The columns of files. Of files that all were read and taken away since, nothing but the declared columns are
     * known; without them the flow has nothing to do, and its query is not bound.
     */
    private StructType columns(RelationReference.FilesReference reference, List<String> files) {
        boolean told = reference.schema().isPresent() && reference.options().containsKey("format");
        if (files.isEmpty() && !told) {
            throw new NoFilesException(reference.path());
        }
        return engine.describeInput(SourceFiles.scan(reference, baseFolder, files));
    }

    /** What is not read as a stream, without its rows. */
    private Optional<String> bound(RelationReference reference) {
        if (reference instanceof RelationReference.FilesReference files) {
            return Optional.of(boundFiles(files));
        }
        return reference instanceof RelationReference.ChangesReference changes
                ? plannedColumns(changes.table())
                        .map(columns -> empty(prefix + "changes " + reference.placeholder(), withChanges(columns)))
                : Optional.empty();
    }

    private static StructType withChanges(StructType columns) {
        List<StructField> fields = new ArrayList<>(columns.fields());
        fields.addAll(ChangeColumns.fields());
        return new StructType(fields);
    }

    private String boundFiles(RelationReference.FilesReference reference) {
        // Numbered, since the placeholders of a query and of its views are the same ones.
        return empty(
                prefix + "files " + registered.size(), engine.describeInput(SourceFiles.scan(reference, baseFolder)));
    }

    private Optional<StructType> plannedColumns(TableName name) {
        Optional<StructType> columns = planned.flatMap(tables -> tables.columns(name));
        return columns.isPresent() ? columns : warehouse.table(name).latest().map(Snapshot::schema);
    }

    private String empty(String relation, StructType columns) {
        engine.createView(relation, engine.dialect().emptySelect(columns));
        registered.put(relation, relation);
        return relation;
    }

    private Optional<Position> position(String source) {
        return progress.entry().flatMap(entry -> entry.position(source));
    }

    private static String folded(TableName name) {
        return (name.schema() + "." + name.name()).toLowerCase(Locale.ROOT);
    }

    @Override
    public void close() {
        changes.forEach(relation -> ChangeFeed.drop(engine, relation));
        changes.clear();
        List<String> names = new ArrayList<>(registered.values());
        for (int i = names.size() - 1; i >= 0; i--) {
            engine.drop(names.get(i));
        }
        registered.clear();
        relations.close();
    }

    /** Tables whose commits that change rows are left out of streams. */
    public record SkippedChanges(boolean all, Set<TableName> tables) {
        /** Setting that names the tables: {@code true} for all, or a list separated by commas. */
        public static final String SETTING = "tidemark.skipChangeCommits";

        /** Reads the setting. */
        public static SkippedChanges of(Map<String, String> settings) {
            Map<String, String> folded = new HashMap<>();
            settings.forEach((key, value) -> folded.put(key.toLowerCase(Locale.ROOT), value));
            String text = folded.getOrDefault(SETTING.toLowerCase(Locale.ROOT), "false");
            if (text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false")) {
                return new SkippedChanges(Boolean.parseBoolean(text), Set.of());
            }
            Set<TableName> tables = new HashSet<>();
            for (String part : text.split(",", -1)) {
                String[] names = part.strip().split("\\.", 2);
                tables.add(names.length == 1 ? TableName.of(names[0]) : new TableName(names[0], names[1]));
            }
            return new SkippedChanges(false, tables);
        }

        boolean covers(TableName table) {
            return all || tables.contains(table);
        }
    }
}
