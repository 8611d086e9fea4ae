package io.tidemark.delta.kernel;

import io.delta.kernel.TableManager;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.KernelException;
import io.delta.kernel.internal.ScanImpl;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.utils.CloseableIterator;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.storage.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The log of a table, replayed up to a version. Safe for use by many threads. */
public final class ReplayedLog {
    /** Where Kernel names the time of the first version. */
    private static final Pattern EARLIEST = Pattern.compile("greater than or equal to (\\d{1,18}) ?ms");

    private final String table;
    private final Engine engine;
    private final SnapshotImpl snapshot;

    private ReplayedLog(String table, Engine engine, SnapshotImpl snapshot) {
        this.table = table;
        this.engine = engine;
        this.snapshot = snapshot;
    }

    /**
     * Replays the whole log.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_NOT_FOUND}, {@link ErrorCode#LOG_CORRUPT} or
     *     {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED}
     */
    public static ReplayedLog latest(Storage storage, String table) {
        Engine engine = new StorageEngine(storage);
        return KernelErrors.translating(
                table,
                "the latest version",
                () -> new ReplayedLog(table, engine, (SnapshotImpl)
                        TableManager.loadSnapshot(table).build(engine)));
    }

    /**
     * Replays the log up to a version.
     *
     * @throws TidemarkException as {@link #latest}, and with {@link ErrorCode#VERSION_NOT_FOUND}
     */
    public static ReplayedLog at(Storage storage, String table, long version) {
        Engine engine = new StorageEngine(storage);
        try {
            return new ReplayedLog(table, engine, (SnapshotImpl)
                    TableManager.loadSnapshot(table).atVersion(version).build(engine));
        } catch (RuntimeException e) {
            if (KernelErrors.saysVersionMissing(e)) {
                throw TidemarkException.of(ErrorCode.VERSION_NOT_FOUND, "table " + table + " has no version " + version)
                        .detail(KernelErrors.sentence(e))
                        .cause(e)
                        .build();
            }
            throw KernelErrors.translate(table, "version " + version, e);
        }
    }

    /** The version up to which the log was replayed. */
    public long version() {
        return snapshot.getVersion();
    }

    /** The time of that version, in milliseconds since 1970. */
    public long timestampMillis() {
        return KernelErrors.translating(table, "version " + version(), () -> snapshot.getTimestamp(engine));
    }

    /**
     * The greatest version that is not younger than a time.
     *
     * @throws TidemarkException with {@link ErrorCode#TIMESTAMP_OUT_OF_RANGE}
     */
    public long versionAt(long millis) {
        try {
            return TableManager.loadSnapshot(table)
                    .atTimestamp(millis, snapshot)
                    .build(engine)
                    .getVersion();
        } catch (RuntimeException e) {
            if (e.getClass() == KernelException.class) {
                throw TidemarkException.of(
                                ErrorCode.TIMESTAMP_OUT_OF_RANGE,
                                "table " + table + " has no version at " + Instant.ofEpochMilli(millis))
                        .detail(outOfRange(millis, e))
                        .hint("ask for a time between the first and the last version: DESCRIBE HISTORY lists them")
                        .cause(e)
                        .build();
            }
            throw KernelErrors.translate(table, "the version at " + Instant.ofEpochMilli(millis), e);
        }
    }

    private String outOfRange(long millis, RuntimeException failure) {
        if (millis > timestampMillis()) {
            return "Its last version, " + version() + ", is of " + Instant.ofEpochMilli(timestampMillis()) + ".";
        }
        Matcher first = EARLIEST.matcher(String.valueOf(failure.getMessage()));
        return first.find()
                ? "The first version that can be read is of " + Instant.ofEpochMilli(Long.parseLong(first.group(1)))
                        + "."
                : "It lies before the first version.";
    }

    /** What a program must know to use the table. */
    public Protocol protocol() {
        io.delta.kernel.internal.actions.Protocol protocol = snapshot.getProtocol();
        return new Protocol(
                protocol.getMinReaderVersion(),
                protocol.getMinWriterVersion(),
                protocol.getReaderFeatures(),
                protocol.getWriterFeatures());
    }

    /** Schema, partitioning and properties. */
    public Metadata metadata() {
        io.delta.kernel.internal.actions.Metadata metadata = snapshot.getMetadata();
        return new Metadata(
                metadata.getId(),
                metadata.getName().orElse(null),
                metadata.getDescription().orElse(null),
                metadata.getFormat().getProvider(),
                metadata.getFormat().getOptions(),
                metadata.getSchemaString(),
                VectorUtils.toJavaList(metadata.getPartitionColumns()),
                metadata.getConfiguration(),
                metadata.getCreatedTime().orElse(null));
    }

    /** The configuration texts of the live domains, by name. */
    public Map<String, String> domains() {
        Map<String, String> domains = new TreeMap<>();
        KernelErrors.translating(table, "version " + version(), snapshot::getActiveDomainMetadataMap)
                .forEach((name, domain) -> domains.put(name, domain.getConfiguration()));
        return domains;
    }

    /** How far an application has come. */
    public OptionalLong transactionVersion(String appId) {
        Optional<Long> version = KernelErrors.translating(
                table, "version " + version(), () -> snapshot.getLatestTransactionVersion(engine, appId));
        return version.map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    /** Calls for each file that is part of the table. */
    public void forEachFile(Consumer<AddFile> action) {
        KernelErrors.translating(table, "version " + version(), () -> {
            ScanImpl scan = (ScanImpl) snapshot.getScanBuilder().build();
            try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine, true)) {
                while (batches.hasNext()) {
                    try (CloseableIterator<Row> rows = batches.next().getRows()) {
                        while (rows.hasNext()) {
                            action.accept(addFile(rows.next().getStruct(0)));
                        }
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return version();
        });
    }

    /**
     * Writes a checkpoint of this version and the hint where it is. If the log was replayed to its end, log entries
     * that are older than {@code delta.logRetentionDuration} and below a checkpoint are deleted then, unless
     * {@code delta.enableExpiredLogCleanup} is false.
     */
    public void writeCheckpoint() {
        KernelErrors.translating(table, "the checkpoint of version " + version(), () -> {
            try {
                snapshot.writeCheckpoint(engine);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return version();
        });
    }

    private static AddFile addFile(Row add) {
        return new AddFile(
                add.getString(index(add, "path")),
                texts(add, "partitionValues"),
                add.getLong(index(add, "size")),
                add.getLong(index(add, "modificationTime")),
                add.getBoolean(index(add, "dataChange")),
                text(add, "stats"),
                texts(add, "tags"),
                vector(add),
                number(add, "baseRowId"),
                number(add, "defaultRowCommitVersion"),
                null);
    }

    private static @Nullable DeletionVectorDescriptor vector(Row add) {
        int index = index(add, "deletionVector");
        if (add.isNullAt(index)) {
            return null;
        }
        Row vector = add.getStruct(index);
        int offset = index(vector, "offset");
        return new DeletionVectorDescriptor(
                vector.getString(index(vector, "storageType")),
                vector.getString(index(vector, "pathOrInlineDv")),
                vector.isNullAt(offset) ? null : vector.getInt(offset),
                vector.getInt(index(vector, "sizeInBytes")),
                vector.getLong(index(vector, "cardinality")));
    }

    private static Map<String, @Nullable String> texts(Row row, String field) {
        int index = index(row, field);
        return row.isNullAt(index) ? Map.of() : VectorUtils.<String, @Nullable String>toJavaMap(row.getMap(index));
    }

    private static @Nullable String text(Row row, String field) {
        int index = index(row, field);
        return index < 0 || row.isNullAt(index) ? null : row.getString(index);
    }

    private static @Nullable Long number(Row row, String field) {
        int index = index(row, field);
        return index < 0 || row.isNullAt(index) ? null : Long.valueOf(row.getLong(index));
    }

    private static int index(Row row, String field) {
        return row.getSchema().indexOf(field);
    }
}
