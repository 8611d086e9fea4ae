package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Reruns;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.storage.Storage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A versioned container of layers, kept in one Delta table. A version is read as a whole: all layers of it belong
 * together. Safe for use by many threads, each with an engine of its own.
 *
 * <p>Relations that are registered with an engine keep their names until {@link #drop}.
 */
public final class Catalog {
    /** Name of the setting that holds the id of the reserved layer of the state. */
    public static final String STATE_LAYER = "stateLayer";
    /** Id of the reserved layer unless {@link #STATE_LAYER} names another. */
    public static final String STATE_LAYER_DEFAULT = "state";

    /** Columns of {@link #registerMeta}. */
    public static final StructType META_COLUMNS = new StructType(CatalogTable.SCHEMA.fields().stream()
            .filter(field -> CatalogTable.META.contains(field.name()))
            .toList());
    /** Columns of {@link #registerChanges}. */
    public static final StructType CHANGE_COLUMNS = StructType.of(
            StructField.of(CatalogTable.LAYER, ScalarType.STRING),
            StructField.of(CatalogTable.PARTITION, ScalarType.STRING),
            StructField.of("kind", ScalarType.STRING));

    private static final String FILES_SUFFIX = " files";

    private final CatalogTable table;
    private final PayloadFiles payloads;
    private final String id;

    private Catalog(CatalogTable table, String id) {
        this.table = table;
        this.payloads = new PayloadFiles(table.storage(), table.location());
        this.id = id;
    }

    /**
     * Makes a catalog at a place at which there is no table.
     *
     * @throws TidemarkException {@code TABLE_EXISTS}; {@code LAYER_INVALID} if two layers have one id, or one has the id
     *     that is reserved for the state
     */
    public static Catalog create(Storage storage, String location, CatalogDefinition definition) {
        CatalogTable table = new CatalogTable(storage, location);
        Map<String, LayerDefinition> layers = new LinkedHashMap<>();
        for (LayerDefinition layer : definition.layers()) {
            checkNotReserved(layer.id(), definition.configuration());
            if (layers.put(layer.id(), layer) != null) {
                throw TidemarkException.of(ErrorCode.LAYER_INVALID, "two layers have the id " + layer.id())
                        .build();
            }
        }
        Transaction transaction = table.table().create(CatalogTable.definition());
        CatalogEntry entry = new CatalogEntry(
                definition.id(),
                transaction.tableId(),
                CatalogVersion.EMPTY,
                CatalogVersion.EMPTY,
                System.currentTimeMillis(),
                Map.of(),
                List.of(),
                Map.of(),
                definition.configuration(),
                Map.of(),
                List.of());
        transaction.operation("CREATE CATALOG");
        transaction.setDomain(CatalogEntry.DOMAIN, entry.json());
        transaction.setDomain(LayersEntry.DOMAIN, LayersEntry.json(layers.values()));
        transaction.commit().version();
        return new Catalog(table, definition.id());
    }

    /**
     * The catalog at a place.
     *
     * @throws TidemarkException {@code TABLE_NOT_FOUND} if there is no table, {@code CATALOG_INVALID} if it is no catalog
     */
    public static Catalog open(Storage storage, String location) {
        CatalogTable table = new CatalogTable(storage, location);
        return new Catalog(table, table.entry(table.latest()).id());
    }

    /** The catalog's id. */
    public String id() {
        return id;
    }

    /** The catalog's folder. */
    public String location() {
        return table.location();
    }

    CatalogTable table() {
        return table;
    }

    PayloadFiles payloads() {
        return payloads;
    }

    /** The latest version, which is the empty one before the first publication. */
    public CatalogVersion latest() {
        return table.version(table.latest());
    }

    /**
     * A version.
     *
     * @throws TidemarkException {@code CATALOG_VERSION_NOT_FOUND}
     */
    public CatalogVersion version(long number) {
        Snapshot snapshot = table.latest();
        CatalogEntry entry = table.entry(snapshot);
        if (number < entry.minimum() || number > entry.version()) {
            throw versionNotFound(number, "It has versions " + entry.minimum() + " to " + entry.version() + ".", null);
        }
        try {
            while (entry.version() != number) {
                OptionalLong place = entry.tableVersionOf(number);
                List<CatalogEntry.Place> recent = entry.recent();
                if (place.isEmpty() && recent.isEmpty()) {
                    throw versionNotFound(number, "Its table does not tell where it is.", null);
                }
                snapshot = table.at(
                        place.orElseGet(() -> recent.get(recent.size() - 1).tableVersion()));
                entry = table.entry(snapshot);
            }
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.VERSION_NOT_FOUND) {
                throw versionNotFound(number, "The log of its table no longer reaches back to it.", e);
            }
            throw e;
        }
        return table.version(snapshot, entry);
    }

    private TidemarkException versionNotFound(long number, String detail, @Nullable TidemarkException cause) {
        TidemarkException.Builder error = TidemarkException.of(
                        ErrorCode.CATALOG_VERSION_NOT_FOUND, "catalog " + location() + " has no version " + number)
                .detail(detail)
                .hint("'tidemark catalog log' lists the versions");
        if (cause != null) {
            error.cause(cause);
        }
        return error.build();
    }

    /**
     * The versions that can be read, newest first, without the empty one.
     *
     * @param limit how many at most
     */
    public List<CatalogVersion> versions(int limit) {
        List<CatalogVersion> versions = new ArrayList<>();
        Snapshot snapshot = table.latest();
        CatalogEntry entry = table.entry(snapshot);
        long minimum = Math.max(CatalogVersion.EMPTY + 1, entry.minimum());
        try {
            while (entry.version() >= minimum && versions.size() < limit) {
                versions.add(table.version(snapshot, entry));
                // Numbers may have gaps where a restore has given versions up.
                if (entry.recent().isEmpty()) {
                    break;
                }
                snapshot = table.at(entry.recent().get(0).tableVersion());
                entry = table.entry(snapshot);
            }
        } catch (TidemarkException e) {
            if (e.code() != ErrorCode.VERSION_NOT_FOUND) {
                throw e;
            }
        }
        return List.copyOf(versions);
    }

    /**
     * Adds a layer, or changes one: its digest, content type and limits, and which further levels it may have.
     *
     * @throws TidemarkException {@code LAYER_INVALID} if the id is reserved, or names would no longer be allowed that are in
     *     use
     */
    public void defineLayer(LayerDefinition definition) {
        change("DEFINE LAYER", (snapshot, transaction) -> {
            CatalogEntry entry = table.entry(snapshot);
            checkNotReserved(definition.id(), entry.configuration());
            Map<String, LayerDefinition> layers = new LinkedHashMap<>(table.layers(snapshot));
            LayerDefinition known = layers.get(definition.id());
            layers.put(definition.id(), known == null ? definition : known.changedTo(definition));
            transaction.setDomain(LayersEntry.DOMAIN, LayersEntry.json(layers.values()));
            return entry;
        });
    }

    /**
     * Gives up versions before one, so that the garbage collection may take what only they need.
     *
     * @param oldest the first version that stays
     * @throws TidemarkException {@code CATALOG_VERSION_NOT_FOUND}
     */
    public void dropVersionsBefore(long oldest) {
        version(oldest);
        change("DROP VERSIONS", (snapshot, transaction) -> {
            CatalogEntry entry = table.entry(snapshot);
            return entry.withMinimum(Math.max(oldest, entry.minimum()));
        });
    }

    /** What a change does beside writing the catalog's entry. */
    @FunctionalInterface
    private interface Change {
        CatalogEntry apply(Snapshot snapshot, Transaction transaction);
    }

    /** Changes that are no version write the entry too, so that they and publications exclude each other. */
    private void change(String operation, Change change) {
        Reruns reruns = Reruns.within(Reruns.Limits.DEFAULT);
        while (true) {
            Snapshot snapshot = table.latest();
            Transaction transaction = snapshot.begin(operation);
            CatalogEntry entry = change.apply(snapshot, transaction);
            transaction.setDomain(CatalogEntry.DOMAIN, entry.json());
            CommitOutcome outcome = transaction.commit();
            if (!(outcome instanceof CommitOutcome.Rejected) || !reruns.again()) {
                outcome.version();
                return;
            }
        }
    }

    private static void checkNotReserved(String layer, Map<String, String> configuration) {
        String reserved = configuration.getOrDefault(STATE_LAYER, STATE_LAYER_DEFAULT);
        if (layer.equals(reserved)) {
            throw TidemarkException.of(ErrorCode.LAYER_INVALID, "the layer id " + layer + " is reserved for the state")
                    .hint("choose another id, or set the catalog's " + STATE_LAYER + " to another one")
                    .build();
        }
    }

    /**
     * A layer of a version.
     *
     * @throws TidemarkException {@code UNKNOWN_LAYER}
     */
    static LayerDefinition layer(CatalogVersion version, String layer) {
        LayerDefinition definition = version.layers().get(layer);
        if (definition == null) {
            throw unknownLayer(layer, version.layers().keySet());
        }
        return definition;
    }

    static TidemarkException unknownLayer(String layer, Set<String> known) {
        return TidemarkException.of(ErrorCode.UNKNOWN_LAYER, "there is no layer " + layer + " to be used")
                .detail(
                        known.isEmpty()
                                ? "There are no layers."
                                : "Layers: " + String.join(", ", new TreeSet<>(known)) + ".")
                .build();
    }

    /**
     * Registers what is known of the partitions of some layers, with columns {@link #META_COLUMNS}: {@code layer},
     * {@code partition}, {@code version}, {@code digest}, {@code checksum}, {@code size}, {@code crc32c}, {@code handle}.
     * No payload is read.
     */
    public void registerMeta(Engine engine, String relation, CatalogVersion version, Collection<String> layerIds) {
        register(engine, relation, version, layerIds, CatalogTable.META, "");
    }

    /**
     * Registers all partitions of some layers with their payloads: the columns of {@link #registerMeta} and
     * {@code payload}, which is NULL if the payload has a file of its own.
     */
    public void registerPayloads(Engine engine, String relation, CatalogVersion version, Collection<String> layerIds) {
        register(engine, relation, version, layerIds, CatalogTable.SCHEMA.names(), "");
    }

    private void register(
            Engine engine,
            String relation,
            CatalogVersion version,
            Collection<String> layerIds,
            List<String> columns,
            String condition) {
        layerIds.forEach(layer -> layer(version, layer));
        Snapshot snapshot = table.at(version.tableVersion());
        Dialect dialect = engine.dialect();
        engine.registerFiles(
                relation + FILES_SUFFIX,
                EngineFiles.scan(
                        snapshot, CatalogTable.files(snapshot.files(), layerIds), Optional.empty(), Optional.empty()));
        engine.createView(
                relation,
                "SELECT " + CatalogTable.columns(dialect, "", columns) + " FROM "
                        + dialect.name(relation + FILES_SUFFIX) + condition);
    }

    /**
     * Materializes the net changes between two versions, with columns {@link #CHANGE_COLUMNS}: {@code layer},
     * {@code partition}, {@code kind} (added, changed or deleted). What was changed and changed back is no change. The
     * effort follows the changes. If {@code to} is the older one, the changes are those that lead back.
     *
     * @throws TidemarkException {@code CHANGES_UNAVAILABLE} if the log or files no longer tell them
     */
    public void registerChanges(
            Engine engine, String relation, CatalogVersion from, CatalogVersion to, Collection<String> layerIds) {
        boolean back = to.number() < from.number();
        CatalogVersion older = back ? to : from;
        CatalogVersion newer = back ? from : to;
        layerIds.forEach(layer -> layer(newer, layer));
        Dialect dialect = engine.dialect();
        if (older.number() == newer.number()) {
            engine.materialize(relation, dialect.emptySelect(CHANGE_COLUMNS), Optional.empty());
        } else if (older.isEmpty()) {
            String all = relation + " all";
            registerMeta(engine, all, newer, layerIds);
            engine.materialize(
                    relation,
                    "SELECT layer, " + dialect.name(CatalogTable.PARTITION) + ", "
                            + dialect.string(back ? NetChanges.DELETED : NetChanges.ADDED) + " AS kind FROM "
                            + dialect.name(all),
                    Optional.empty());
            drop(engine, all);
        } else {
            new NetChanges(table, engine).materialize(relation, older, newer, layerIds, back);
        }
    }

    /**
     * Registers some partitions with their payloads, as {@link #registerPayloads}. Files are read as far as they hold such
     * partitions. Keys that are not published have no row.
     *
     * @param keys a relation with columns {@code layer} and {@code partition}
     */
    public void registerPayloadsOf(Engine engine, String relation, CatalogVersion version, String keys) {
        Snapshot snapshot = table.at(version.tableVersion());
        registerPayloads(engine, relation, new KeyedScan(snapshot, engine).of(keys, relation + FILES_SUFFIX));
    }

    /**
     * As {@link #registerPayloadsOf}, for partitions all of which were added or changed since an older version: what came
     * since stands in files that came since, so no other is looked at. Other partitions may have rows, too.
     *
     * @param since the older version
     * @param keys a relation with columns {@code layer} and {@code partition}
     * @param count about how many keys there are
     */
    public void registerPayloadsSince(
            Engine engine, String relation, CatalogVersion version, CatalogVersion since, String keys, long count) {
        Snapshot snapshot = table.at(version.tableVersion());
        KeyedScan scan = new KeyedScan(snapshot, engine)
                .without(table.at(since.tableVersion()).files());
        registerPayloads(engine, relation, scan.ofAbout(count, keys, relation + FILES_SUFFIX));
    }

    private static void registerPayloads(Engine engine, String relation, FileScan scan) {
        engine.registerFiles(relation + FILES_SUFFIX, scan);
        engine.createView(
                relation,
                "SELECT " + CatalogTable.columns(engine.dialect(), "", CatalogTable.SCHEMA.names()) + " FROM "
                        + engine.dialect().name(relation + FILES_SUFFIX));
    }

    /** What is known of one partition; nothing if it is not published. */
    public Optional<PartitionMeta> meta(Engine engine, CatalogVersion version, String layer, String partition) {
        layer(version, layer);
        return new OnePartition(this, engine, version, layer, partition).meta();
    }

    /**
     * The payload of one partition, as {@link #payload}.
     *
     * @throws TidemarkException {@code UNKNOWN_LAYER}, {@code UNKNOWN_PARTITION}
     */
    public InputStream read(Engine engine, CatalogVersion version, String layer, String partition) {
        layer(version, layer);
        return new OnePartition(this, engine, version, layer, partition).payload();
    }

    /**
     * A payload as a stream that fails with {@code CORRUPT_PAYLOAD} at its end, or before, if size, CRC-32C or digest are
     * not those of the partition. May be called by many threads.
     *
     * @param inline the payload's bytes if they stand in the row, else null
     */
    public InputStream payload(PartitionMeta meta, byte @Nullable [] inline) {
        String handle = meta.handle();
        if (handle != null) {
            return new CheckedInput(payloads.open(meta, handle), meta);
        }
        if (inline == null) {
            throw PayloadFiles.corrupt(meta, "its row has no payload and names no file");
        }
        return new CheckedInput(new ByteArrayInputStream(inline), meta);
    }

    /** The whole payload, checked as in {@link #payload}; for payloads that fit into memory. */
    public byte[] payloadBytes(PartitionMeta meta, byte @Nullable [] inline) {
        try (InputStream input = payload(meta, inline)) {
            return input.readAllBytes();
        } catch (IOException e) {
            throw TidemarkException.of(
                            ErrorCode.IO_FAILED,
                            "the payload of partition " + meta.layer() + "/" + meta.partition() + " cannot be read")
                    .cause(e)
                    .build();
        }
    }

    /**
     * Makes payloads of the next version ready.
     *
     * @param scratch an existing local folder for payloads whose name is not known yet
     */
    public PayloadStager stager(CatalogVersion base, Path scratch) {
        return new PayloadStager(payloads, base.layers(), scratch);
    }

    /** Begins the next version. */
    public Publication publish(CatalogVersion base) {
        return new Publication(table, payloads, base);
    }

    /**
     * Registers a relation of the state, rows of all its files; no rows if the version has no such relation.
     *
     * @param fileColumn if present, name of a BIGINT column with the index of the row's file, oldest first
     * @return whether the version has such a relation
     * @throws TidemarkException {@code STATE_MISSING}, {@code STATE_CORRUPT}
     */
    public boolean registerState(
            Engine engine,
            String relation,
            CatalogVersion version,
            String name,
            StructType columns,
            Optional<String> fileColumn) {
        StateManifest manifest = manifest(version);
        String folder = PinnedState.folder(table.storage(), table.at(version.tableVersion()));
        List<FileScan.DataFile> files = manifest.files(name).stream()
                .map(file -> new FileScan.DataFile(
                        table.storage().child(folder, file.path()),
                        file.sizeBytes(),
                        Map.of(),
                        io.tidemark.core.engine.RowPositions.NONE))
                .toList();
        engine.registerFiles(relation, FileScan.asWritten(columns, files, fileColumn));
        return manifest.relations().containsKey(name);
    }

    /** Begins the state of the next version, with all relations of the base. */
    public StateDraft draftState(CatalogVersion base) {
        return new StateDraft(table.storage(), table.at(base.tableVersion()), manifest(base));
    }

    private StateManifest manifest(CatalogVersion version) {
        return version.stateManifest()
                .map(manifest -> StateManifest.load(table.storage(), table.at(version.tableVersion()), manifest))
                .orElse(StateManifest.EMPTY);
    }

    /** Forgets a relation that this class registered. */
    public static void drop(Engine engine, String relation) {
        engine.drop(relations(relation));
    }

    /** The names of all relations that stand behind one that this class registered: what {@link #drop} forgets. */
    public static List<String> relations(String relation) {
        return List.of(relation, relation + FILES_SUFFIX);
    }
}
