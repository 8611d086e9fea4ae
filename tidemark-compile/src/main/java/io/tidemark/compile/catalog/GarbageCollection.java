package io.tidemark.compile.catalog;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.Action;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.maintenance.Retention;
import io.tidemark.delta.maintenance.StateFiles;
import io.tidemark.delta.storage.FileInfo;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.RowPositions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Deletes payload files that no version of a catalog names which is kept, and files of the state that no version pins.
 * Both go only if they are older than a grace period, since a publication may be about to name them. Rows are not touched:
 * what VACUUM may delete of them is said by the table's properties.
 *
 * <p>Names of files are compared by the engine, however many there are.
 */
public final class GarbageCollection {
    private static final StructType PAYLOADS =
            StructType.of(StructField.of("handle", ScalarType.STRING), StructField.of("bytes", ScalarType.LONG));

    private final Catalog catalog;
    private final Engine engine;
    private final Options options;
    private final Storage storage;
    private final String prefix = "garbage " + UUID.randomUUID();

    private GarbageCollection(Catalog catalog, Engine engine, Options options) {
        this.catalog = catalog;
        this.engine = engine;
        this.options = options;
        this.storage = catalog.table().storage();
    }

    /**
     * How to collect.
     *
     * @param grace how long a file stays that nobody names; the table's retention of deleted files if absent
     * @param dryRun whether files are only named
     * @param now the time from which is counted back
     */
    public record Options(Optional<Duration> grace, boolean dryRun, Instant now) {}

    /**
     * What was deleted, or would be.
     *
     * @param payloadFiles number of payload files
     * @param stateFiles number of files of the state
     * @param bytes their size
     */
    public record Result(long payloadFiles, long stateFiles, long bytes) {}

    /**
     * Collects.
     *
     * @param deleted receives the path of each file
     * @throws TidemarkException {@code INVALID_SETTING} if the grace period is shorter than the table's retention, on which
     *     publications rely; {@link Options#dryRun} allows any
     */
    public static Result run(Catalog catalog, Engine engine, Options options, Consumer<String> deleted) {
        return new GarbageCollection(catalog, engine, options).run(deleted);
    }

    private Result run(Consumer<String> deleted) {
        Snapshot snapshot = catalog.table().latest();
        Duration own = Retention.deletedFiles(snapshot.properties());
        Duration grace = options.grace().orElse(own);
        if (grace.compareTo(own) < 0 && !options.dryRun()) {
            throw TidemarkException.of(
                            ErrorCode.INVALID_SETTING,
                            "unused files of catalog " + catalog.location() + " stay for " + own + ", not only "
                                    + grace)
                    .detail("A publication relies on unused payload files that are younger than half of this time.")
                    .hint("when nobody publishes, set the table's property delta.deletedFileRetentionDuration")
                    .build();
        }
        Instant cutoff = options.now().minus(grace);
        long[] counts = {0, 0, 0};
        try {
            // What was committed after the listing is in the log that is read next.
            loadPayloadFiles(cutoff);
            registerRows();
            Dialect dialect = engine.dialect();
            engine.stream(
                    "SELECT f.handle, f.bytes FROM " + dialect.name(prefix + " payloads")
                            + " AS f LEFT JOIN (SELECT DISTINCT"
                            + " handle FROM " + dialect.name(prefix) + " WHERE handle IS NOT NULL) AS r ON r.handle ="
                            + " f.handle WHERE r.handle IS NULL ORDER BY f.handle",
                    row -> {
                        String path = catalog.payloads().path(String.valueOf(row.get(0)));
                        if (stillOld(path, cutoff)) {
                            delete(path, deleted);
                            counts[0]++;
                            counts[2] += row.get(1) instanceof Long bytes ? bytes : 0;
                        }
                        return true;
                    });
        } finally {
            engine.drop(prefix);
            engine.drop(prefix + " payloads");
        }
        for (FileInfo file : StateFiles.unpinned(
                storage, catalog.table().table(), catalog.table().latest(), cutoff)) {
            delete(file.path(), deleted);
            counts[1]++;
            counts[2] += file.size();
        }
        return new Result(counts[0], counts[1], counts[2]);
    }

    private void delete(String path, Consumer<String> deleted) {
        if (!options.dryRun()) {
            storage.delete(path);
        }
        deleted.accept(path);
    }

    /** A publication that uses an old file writes it anew before it commits. */
    private boolean stillOld(String path, Instant cutoff) {
        return storage.info(path)
                .filter(file -> file.modified().isBefore(cutoff))
                .isPresent();
    }

    private void loadPayloadFiles(Instant cutoff) {
        String root = catalog.payloads().path(PayloadFiles.FOLDER);
        engine.load(prefix + " payloads", PAYLOADS, rows -> {
            for (String folder : storage.folders(root)) {
                for (FileInfo file : storage.list(storage.child(root, folder), "")) {
                    if (file.modified().isBefore(cutoff)) {
                        rows.accept(List.of(PayloadFiles.FOLDER + "/" + folder + "/" + file.name(), file.size()));
                    }
                }
            }
        });
    }

    /** All rows that a version of the table has which is kept. */
    private void registerRows() {
        DeltaTable table = catalog.table().table();
        Snapshot latest = table.snapshot();
        long first = firstKept(table, latest);
        Map<String, Rows> files = new LinkedHashMap<>();
        for (DataFile file : table.at(first).files()) {
            add(files, file.add());
        }
        table.commits(first + 1, latest.version(), commit -> {
            for (Action action : commit.actions()) {
                if (action instanceof AddFile added) {
                    add(files, added);
                }
            }
        });
        List<FileScan.DataFile> there = files.values().stream()
                .map(Rows::scanned)
                .filter(file -> table.hasFile(file.location()))
                .toList();
        engine.registerFiles(
                prefix,
                new FileScan(
                        latest.schema(),
                        EngineFiles.columnMapping(latest),
                        latest.partitionColumns(),
                        there,
                        Optional.empty(),
                        Optional.empty()));
    }

    /**
     * The rows of a file that a version has.
     *
     * @param location where the file is
     * @param file one of the actions that added it
     * @param deleted rows that are deleted in all versions
     */
    private record Rows(String location, AddFile file, RowPositions deleted) {
        FileScan.DataFile scanned() {
            return new FileScan.DataFile(
                    location,
                    file.size(),
                    EngineFiles.partitionValues(file.partitionValues()),
                    EngineFiles.positions(deleted));
        }
    }

    private void add(Map<String, Rows> files, AddFile file) {
        DeltaTable table = catalog.table().table();
        DeletionVectorDescriptor vector = file.deletionVector();
        RowPositions deleted = vector == null ? RowPositions.empty() : table.positions(vector);
        files.merge(
                table.resolve(file.path()),
                new Rows(table.resolve(file.path()), file, deleted),
                (known, more) -> new Rows(
                        known.location(),
                        known.file(),
                        known.deleted().minus(known.deleted().minus(more.deleted()))));
    }

    /** The version of the table that has the oldest kept version of the catalog, or the oldest that can be read. */
    private long firstKept(DeltaTable table, Snapshot latest) {
        long readable = table.firstReadableVersion().orElse(latest.version());
        try {
            long minimum = catalog.table().entry(latest).minimum();
            return Math.max(readable, catalog.version(minimum).tableVersion());
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.CATALOG_VERSION_NOT_FOUND) {
                return readable;
            }
            throw e;
        }
    }
}
