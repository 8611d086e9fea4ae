package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.PinnedState;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.TableDefinition;
import io.tidemark.delta.storage.Storage;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The Delta table of a catalog: its columns, its snapshots, and what its domains say. */
final class CatalogTable {
    static final String LAYER = "layer";
    static final String PARTITION = "partition";
    static final String VERSION = "version";
    static final String DIGEST = "digest";
    static final String CHECKSUM = "checksum";
    static final String SIZE = "size";
    static final String CRC = "crc32c";
    static final String HANDLE = "handle";
    static final String PAYLOAD = "payload";

    /** The columns that say what a partition is, without its payload. */
    static final List<String> META = List.of(LAYER, PARTITION, VERSION, DIGEST, CHECKSUM, SIZE, CRC, HANDLE);

    /** The columns; the leading two that are no partition columns get statistics. */
    static final StructType SCHEMA = StructType.of(
            StructField.of(LAYER, ScalarType.STRING),
            StructField.of(PARTITION, ScalarType.STRING),
            StructField.of(VERSION, ScalarType.LONG),
            StructField.of(DIGEST, ScalarType.STRING),
            StructField.of(CHECKSUM, ScalarType.STRING),
            StructField.of(SIZE, ScalarType.LONG),
            StructField.of(CRC, ScalarType.LONG),
            StructField.of(HANDLE, ScalarType.STRING),
            StructField.of(PAYLOAD, ScalarType.BINARY));

    static final int STATISTICS_COLUMNS = 2;

    /** How many snapshots are remembered: those of a run and of the run before. */
    private static final int SNAPSHOTS_MAX = 4;

    private final Storage storage;
    private final DeltaTable table;
    private final Map<Long, Snapshot> snapshots = new LinkedHashMap<>();
    /** The one that was the latest when last looked. */
    private @Nullable Snapshot newest;

    CatalogTable(Storage storage, String location) {
        this.storage = storage;
        this.table = DeltaTable.at(storage, location);
    }

    static TableDefinition definition() {
        return TableDefinition.of(SCHEMA)
                .partitionedBy(LAYER)
                .with("delta.enableDeletionVectors", "true")
                .with("delta.enableChangeDataFeed", "true")
                .with("delta.dataSkippingNumIndexedCols", Integer.toString(STATISTICS_COLUMNS));
    }

    Storage storage() {
        return storage;
    }

    DeltaTable table() {
        return table;
    }

    String location() {
        return table.location();
    }

    /** The table at its latest version. */
    Snapshot latest() {
        Snapshot known;
        synchronized (snapshots) {
            known = newest;
        }
        Snapshot now = remember(known == null ? table.snapshot() : table.snapshot(known));
        synchronized (snapshots) {
            newest = now;
        }
        return now;
    }

    /** The table at a version; files are listed once for versions that are used again. */
    Snapshot at(long version) {
        synchronized (snapshots) {
            Snapshot known = snapshots.get(version);
            if (known != null) {
                return known;
            }
        }
        return remember(table.at(version));
    }

    private Snapshot remember(Snapshot snapshot) {
        synchronized (snapshots) {
            Snapshot known = snapshots.remove(snapshot.version());
            Snapshot kept = known == null ? snapshot : known;
            snapshots.put(kept.version(), kept);
            if (snapshots.size() > SNAPSHOTS_MAX) {
                snapshots.remove(snapshots.keySet().iterator().next());
            }
            return kept;
        }
    }

    /**
     * What a version of the table says of the catalog.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code CATALOG_INVALID}
     */
    CatalogEntry entry(Snapshot snapshot) {
        Optional<String> text = snapshot.domain(CatalogEntry.DOMAIN);
        if (text.isEmpty()) {
            throw Json.invalid("the catalog at " + location(), "the Delta table there is no catalog", null);
        }
        CatalogEntry entry = CatalogEntry.parse(text.get(), location());
        if (!entry.tableId().equals(snapshot.tableId())) {
            throw Json.invalid(
                    "the catalog at " + location(),
                    "the table is a copy of another catalog's, made without its payload files",
                    null);
        }
        return entry;
    }

    Map<String, LayerDefinition> layers(Snapshot snapshot) {
        return snapshot.domain(LayersEntry.DOMAIN)
                .map(text -> LayersEntry.parse(text, location()))
                .orElse(Map.of());
    }

    CatalogVersion version(Snapshot snapshot) {
        return version(snapshot, entry(snapshot));
    }

    CatalogVersion version(Snapshot snapshot, CatalogEntry entry) {
        String manifest = snapshot.domain(PinnedState.DOMAIN)
                .map(text -> Json.parse(text, "the state entry of " + location()))
                .map(json -> json.optionalText(PinnedState.MANIFEST_FIELD))
                .orElse(null);
        return new CatalogVersion(
                entry.version(),
                snapshot.version(),
                entry.time(),
                layers(snapshot),
                entry.layerVersions(),
                entry.dependencies(),
                entry.fingerprints(),
                entry.configuration(),
                entry.counters(),
                manifest);
    }

    /**
     * The number of the next version: above all that were ever given. A restore brings the entry of an older version back,
     * but not how far the table's writers have come, and a number that others have recorded must not get another content.
     */
    long nextNumber(Snapshot snapshot, CatalogEntry entry) {
        return Math.max(
                        entry.version(),
                        snapshot.transactionVersion(application(entry)).orElse(0))
                + 1;
    }

    /** Under which name a catalog's publications count in its table's log. */
    static String application(CatalogEntry entry) {
        return "tidemark:catalog:" + entry.id();
    }

    /** The files of some layers. */
    static List<DataFile> files(List<DataFile> files, Collection<String> layers) {
        Set<String> wanted = Set.copyOf(layers);
        return files.stream()
                .filter(file ->
                        wanted.contains(String.valueOf(file.partitionValues().get(LAYER))))
                .toList();
    }

    /** The names of columns, quoted and separated by commas. */
    static String columns(Dialect dialect, String prefix, List<String> names) {
        return names.stream().map(name -> prefix + dialect.name(name)).collect(Collectors.joining(", "));
    }
}
