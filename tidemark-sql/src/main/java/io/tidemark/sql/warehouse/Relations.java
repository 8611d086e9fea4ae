package io.tidemark.sql.warehouse;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.feed.Bound;
import io.tidemark.delta.feed.ChangeFeed;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.sql.query.RelationReference;
import io.tidemark.sql.query.ScannedQuery;
import io.tidemark.sql.query.VersionSpec;
import io.tidemark.sql.text.Literals;
import io.tidemark.sql.text.LocatedText;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Turns the names in queries into relations of an engine. One object serves one statement or one update of a pipeline:
 * the first look at a table fixes its version for all queries that follow. Used by one thread. Closing it takes its
 * relations from the engine.
 */
public final class Relations implements AutoCloseable {
    private static final AtomicLong COUNTER = new AtomicLong();

    private final Warehouse warehouse;
    private final Engine engine;
    private final RelationSource first;
    /** Keeps the relations of resolvers apart that use one engine at the same time. */
    private final String prefix = "r" + COUNTER.incrementAndGet() + " ";

    private final Path baseFolder;
    private final Map<TableName, Snapshot> snapshots = new HashMap<>();
    private final Map<String, String> registered = new LinkedHashMap<>();
    private final List<String> feeds = new ArrayList<>();
    private final Set<TableName> tablesRead = new LinkedHashSet<>();
    private final Set<TableName> viewsRead = new LinkedHashSet<>();
    private final Map<TableName, Set<Snapshot>> versionsRead = new LinkedHashMap<>();
    private final Set<String> filesRead = new LinkedHashSet<>();
    private final Deque<TableName> viewsInProgress = new ArrayDeque<>();

    /**
     * Makes a resolver.
     *
     * @param first asked before the warehouse
     * @param baseFolder where relative paths of {@code read_files} begin
     */
    public Relations(Warehouse warehouse, Engine engine, RelationSource first, Path baseFolder) {
        this.warehouse = warehouse;
        this.engine = engine;
        this.first = first;
        this.baseFolder = baseFolder;
    }

    /** Scans, resolves, checks and translates a query. */
    public PreparedQuery prepare(QueryText query) {
        return prepare(QueryScanner.scan(query));
    }

    /** Resolves, checks and translates a scanned query. */
    public PreparedQuery prepare(ScannedQuery query) {
        Map<List<String>, String> resolved = new HashMap<>();
        for (List<String> parts : engine.relationsOf(query.text())) {
            // looked up before the engine is in the middle of a query, as views need queries of their own
            find(query, parts, query.text().location()).ifPresent(relation -> resolved.put(folded(parts), relation));
        }
        return engine.prepare(query.text(), (parts, location) -> {
            String known = resolved.get(folded(parts));
            return known != null
                    ? known
                    : find(query, parts, location).orElseThrow(() -> unknown(name(parts, location), location));
        });
    }

    /** The table at the version that this object reads; the first call fixes it. */
    public Snapshot snapshot(TableName name, TextLocation location) {
        Snapshot known = snapshots.get(name);
        if (known != null) {
            return known;
        }
        DeltaTable table = warehouse.table(name);
        Snapshot latest = table.latest().orElseThrow(() -> unknown(name, location));
        snapshots.put(name, latest);
        return latest;
    }

    /** Fixes the version at which a table is read. */
    public void fix(TableName name, Snapshot snapshot) {
        snapshots.put(name, snapshot);
    }

    /** The engine's relation of a table at a version. */
    public String register(TableName name, Snapshot snapshot) {
        read(name, snapshot);
        String key = prefix + "table " + Literals.fold(name.schema() + "." + name.name()) + "@" + snapshot.version();
        String known = registered.get(key);
        if (known == null) {
            engine.registerFiles(key, EngineFiles.scan(snapshot));
            registered.put(key, key);
        }
        return key;
    }

    private void read(TableName name, Snapshot snapshot) {
        tablesRead.add(name);
        versionsRead.computeIfAbsent(name, key -> new LinkedHashSet<>()).add(snapshot);
    }

    /** The versions of tables that queries have read so far; of a change data feed the version up to which it was asked. */
    public Map<TableName, Set<Snapshot>> versionsRead() {
        return Collections.unmodifiableMap(versionsRead);
    }

    /** The absolute paths of the files that queries have read so far. */
    public Set<String> filesRead() {
        return Collections.unmodifiableSet(filesRead);
    }

    /** The tables of the warehouse that queries have read so far, old versions included. */
    public Set<TableName> tablesRead() {
        return Collections.unmodifiableSet(tablesRead);
    }

    /** The stored views that queries have read so far, directly or through other views. */
    public Set<TableName> viewsRead() {
        return Collections.unmodifiableSet(viewsRead);
    }

    /** The error for a name behind which there is nothing. */
    public TidemarkException unknown(TableName name, TextLocation location) {
        List<String> near = warehouse.near(name);
        String hint = near.isEmpty()
                ? "SHOW TABLES lists what the warehouse " + warehouse.root() + " holds"
                : "did you mean " + String.join(", ", near) + "?";
        return TidemarkException.of(ErrorCode.UNKNOWN_TABLE, "there is no table or view " + name)
                .at(location)
                .hint(hint)
                .build();
    }

    @Override
    public void close() {
        List<String> names = new ArrayList<>(registered.values());
        Collections.reverse(names);
        names.forEach(engine::drop);
        registered.clear();
        feeds.forEach(feed -> ChangeFeed.drop(engine, feed));
        feeds.clear();
    }

    private Optional<String> find(ScannedQuery query, List<String> parts, TextLocation location) {
        Optional<RelationReference> reference = parts.size() == 1 ? query.reference(parts.get(0)) : Optional.empty();
        if (reference.isPresent()) {
            RelationReference said = reference.get();
            Optional<String> own = first.relation(said);
            return Optional.of(own.isPresent() ? own.get() : special(said));
        }
        return find(name(parts, location), location);
    }

    private Optional<String> find(TableName name, TextLocation location) {
        Optional<String> own = first.relation(name, location);
        if (own.isPresent()) {
            return own;
        }
        if (snapshots.containsKey(name)) {
            return Optional.of(register(name, snapshot(name, location)));
        }
        WarehouseObject object = warehouse.lookup(name);
        if (object instanceof WarehouseObject.StoredView stored) {
            return Optional.of(view(stored.view(), location));
        }
        return object instanceof WarehouseObject.Table
                ? Optional.of(register(name, snapshot(name, location)))
                : Optional.empty();
    }

    private String special(RelationReference reference) {
        if (reference.streaming()) {
            throw unsupported(reference, "streams are read by pipelines only", "leave out STREAM");
        }
        if (reference instanceof RelationReference.FilesReference files) {
            return files(files);
        }
        if (reference instanceof RelationReference.TableReference table) {
            return table.version().isEmpty()
                    ? find(table.table(), table.location()).orElseThrow(() -> unknown(table.table(), table.location()))
                    : atVersion(table);
        }
        RelationReference.ChangesReference changes = (RelationReference.ChangesReference) reference;
        String relation = prefix + "changes " + feeds.size();
        changes(
                        changes.table(),
                        changes.from().map(VersionSpec::bound).orElse(Bound.beginning()),
                        changes.to().map(VersionSpec::bound),
                        changes.location())
                .register(engine, relation);
        feeds.add(relation);
        return relation;
    }

    /**
     * The change data feed of a table.
     *
     * @param from the first version or time
     * @param to the last one; if absent, the version at which this object reads the table
     * @param location where it is asked for
     */
    public ChangeFeed changes(TableName name, Bound from, Optional<Bound> to, TextLocation location) {
        if (warehouse.lookup(name) instanceof WarehouseObject.StoredView) {
            throw TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, "the view " + name + " has no change data feed")
                    .at(location)
                    .hint("read the changes of its tables")
                    .build();
        }
        Snapshot latest = snapshot(name, location);
        read(name, latest);
        DeltaTable table = warehouse.table(name);
        try {
            return to.isPresent() ? ChangeFeed.between(table, from, to.get()) : ChangeFeed.upTo(table, from, latest);
        } catch (TidemarkException fault) {
            throw fault.at(location);
        }
    }

    private String atVersion(RelationReference.TableReference reference) {
        TableName name = reference.table();
        WarehouseObject object = warehouse.lookup(name);
        if (object instanceof WarehouseObject.StoredView) {
            throw unsupported(reference, "the view " + name + " has no versions", "read its tables at a version");
        }
        DeltaTable table = warehouse.table(name);
        if (!table.exists()) {
            throw unknown(name, reference.location());
        }
        try {
            VersionSpec version = reference.version().orElseThrow();
            return register(
                    name,
                    version instanceof VersionSpec.AtVersion number
                            ? table.at(number.version())
                            : table.asOf(ConstantTime.of(engine, version)));
        } catch (TidemarkException fault) {
            throw fault.at(reference.location());
        }
    }

    private String files(RelationReference.FilesReference reference) {
        String relation = prefix + "files " + registered.size();
        InputScan scan = SourceFiles.scan(reference, baseFolder);
        filesRead.addAll(scan.files());
        engine.registerInput(relation, scan);
        registered.put(relation, relation);
        return relation;
    }

    private String view(View view, TextLocation location) {
        String relation =
                "view " + Literals.fold(view.name().schema() + "." + view.name().name());
        if (registered.containsKey(relation)) {
            return relation;
        }
        if (viewsInProgress.contains(view.name())) {
            throw TidemarkException.of(ErrorCode.GRAPH_CYCLE, "the view " + view.name() + " reads itself")
                    .at(location)
                    .detail("The circle is " + circle(view.name()) + ".")
                    .hint("replace one of the views")
                    .build();
        }
        viewsRead.add(view.name());
        viewsInProgress.push(view.name());
        try {
            PreparedQuery query = prepareView(view);
            engine.createView(relation, ViewColumns.rename(engine, view, query).sql());
            registered.put(relation, relation);
        } finally {
            viewsInProgress.pop();
        }
        return relation;
    }

    private PreparedQuery prepareView(View view) {
        try {
            return prepare(view.query());
        } catch (TidemarkException fault) {
            throw LocatedText.of(view.query()).explain(fault);
        }
    }

    private String circle(TableName again) {
        List<String> names = new ArrayList<>();
        for (TableName name : viewsInProgress) {
            names.add(0, name.toString());
            if (name.equals(again)) {
                break;
            }
        }
        names.add(again.toString());
        return String.join(" -> ", names);
    }

    private static TableName name(List<String> parts, TextLocation location) {
        if (parts.size() > 2) {
            throw TidemarkException.of(
                            ErrorCode.UNSUPPORTED_FEATURE,
                            "the name " + String.join(".", parts) + " has more than two parts")
                    .at(location)
                    .hint("a warehouse has schemas and tables, no catalogs: write table or schema.table")
                    .build();
        }
        return parts.size() == 1 ? TableName.of(parts.get(0)) : new TableName(parts.get(0), parts.get(1));
    }

    private static List<String> folded(List<String> parts) {
        return parts.stream().map(Literals::fold).toList();
    }

    private static TidemarkException unsupported(RelationReference reference, String primary, String hint) {
        return TidemarkException.of(ErrorCode.UNSUPPORTED_FEATURE, primary)
                .at(reference.location())
                .hint(hint)
                .build();
    }
}
