package io.tidemark.delta;

import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.kernel.ReplayedLog;
import io.tidemark.delta.log.DeletionVectorDescriptor;
import io.tidemark.delta.log.JsonValues;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.Protocol;
import io.tidemark.delta.log.SchemaJson;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileFilter;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.DeletionVectors;
import io.tidemark.delta.vector.RowPositions;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A table at a version. Immutable; files and domains are read from the log when they are first asked for. */
public final class Snapshot {
    private final Storage storage;
    private final String location;
    private final ReplayedLog log;
    private final Protocol protocol;
    private final Metadata metadata;
    private @Nullable StructType schema;
    private @Nullable List<DataFile> files;
    private @Nullable Map<String, String> domains;

    Snapshot(Storage storage, String location, ReplayedLog log) {
        this.storage = storage;
        this.location = location;
        this.log = log;
        this.protocol = log.protocol();
        this.metadata = log.metadata();
    }

    /** The table's folder. */
    public String location() {
        return location;
    }

    /** The version. */
    public long version() {
        return log.version();
    }

    /** When the version was committed: by the log if the table keeps times there, else by the log entry's file. */
    public Instant timestamp() {
        return Instant.ofEpochMilli(log.timestampMillis());
    }

    /** The schema, with the metadata of its fields; partition columns included. */
    public synchronized StructType schema() {
        StructType known = schema;
        if (known == null) {
            known = SchemaJson.parse(metadata.schemaString());
            schema = known;
        }
        return known;
    }

    /** The names of the partition columns, in order. */
    public List<String> partitionColumns() {
        return metadata.partitionColumns();
    }

    /**
     * The names of the columns by which the table's files are to be clustered; nested ones are left out.
     *
     * @throws TidemarkException with {@link ErrorCode#LOG_CORRUPT} if the log's entry cannot be read
     */
    public List<String> clusteringColumns() {
        Optional<String> text = domain(Transaction.CLUSTERING_DOMAIN);
        List<String> columns = new ArrayList<>();
        try {
            Object paths =
                    text.isEmpty() ? null : JsonValues.parseObject(text.get()).get("clusteringColumns");
            if (paths instanceof List<?> list) {
                list.stream()
                        .filter(path -> path instanceof List<?> parts && parts.size() == 1)
                        .flatMap(path -> schema().field(String.valueOf(((List<?>) path).get(0))).stream())
                        .forEach(field -> columns.add(field.name()));
            }
        } catch (IOException e) {
            throw TidemarkException.of(
                            ErrorCode.LOG_CORRUPT, "the clustering columns of table " + location + " cannot be read")
                    .cause(e)
                    .build();
        }
        return List.copyOf(columns);
    }

    /** The table's properties. */
    public Map<String, String> properties() {
        return metadata.configuration();
    }

    /** The unique id that the table got when it was made. */
    public String tableId() {
        return metadata.id();
    }

    /** The table's name, if the log has one. */
    public Optional<String> name() {
        return Optional.ofNullable(metadata.name());
    }

    /** The table's comment, if it has one. */
    public Optional<String> description() {
        return Optional.ofNullable(metadata.description());
    }

    /** What a program must know to use the table. */
    public Protocol protocol() {
        return protocol;
    }

    /** Schema, partitioning and properties as the log holds them. */
    public Metadata metadata() {
        return metadata;
    }

    /** The files that are part of the table, in no particular order. */
    public synchronized List<DataFile> files() {
        List<DataFile> known = files;
        if (known == null) {
            List<DataFile> found = new ArrayList<>();
            log.forEachFile(add -> found.add(new DataFile(add, storage.resolve(location, add.path()))));
            known = Collections.unmodifiableList(found);
            files = known;
        }
        return known;
    }

    /**
     * A test of files by a condition on rows: false only for files none of whose rows can meet it. It holds for files
     * of later versions too, as long as schema and partitioning are the same.
     */
    public FileFilter filter(FileCondition condition) {
        boolean mapped = !TableProperties.columnMappingMode(metadata).equals("none");
        return new FileFilter(schema(), partitionColumns(), mapped, condition);
    }

    /**
     * Deletes files that an engine wrote into the table's folder and that are certain to be in no commit; files that
     * cannot be deleted stay until VACUUM finds them.
     */
    public void discard(List<WrittenFile> files) {
        EngineFiles.discard(storage, location, files);
    }

    /** The configuration texts of the table's domains, by name. */
    public synchronized Map<String, String> domains() {
        Map<String, String> known = domains;
        if (known == null) {
            known = Collections.unmodifiableMap(log.domains());
            domains = known;
        }
        return known;
    }

    /** The configuration text of a domain, if the table has it. */
    public Optional<String> domain(String name) {
        return Optional.ofNullable(domains().get(name));
    }

    /** How far an application has come, by its own counting; nothing if the log does not know it. */
    public OptionalLong transactionVersion(String appId) {
        return log.transactionVersion(appId);
    }

    /**
     * Loads the positions of a file's deleted rows.
     *
     * @throws TidemarkException with {@link ErrorCode#LOG_CORRUPT} if the deletion vector is missing or broken
     */
    public RowPositions deletedRows(DataFile file) {
        DeletionVectorDescriptor vector = file.add().deletionVector();
        return vector == null ? RowPositions.empty() : DeletionVectors.read(storage, location, vector);
    }

    /**
     * Refuses tables whose rows would be misread.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED} that names the features
     */
    public void checkReadable() {
        TableFeatures.checkReadable(location, protocol);
    }

    /**
     * Refuses tables whose rules for writers would be broken.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED} that names the features
     */
    public void checkWritable() {
        TableFeatures.checkWritable(location, protocol, metadata);
    }

    /**
     * Begins a change of the table that is based on this version.
     *
     * @param operation the operation's name for the history, for example {@code WRITE}
     * @throws TidemarkException as {@link #checkWritable()}
     */
    public Transaction begin(String operation) {
        return Transaction.on(this, operation);
    }

    @Override
    public String toString() {
        return location + " version " + version();
    }

    Storage storage() {
        return storage;
    }
}
