package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.conflict.ReadSet;
import io.tidemark.delta.conflict.RowsRead;
import io.tidemark.delta.conflict.TouchedFile;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.delta.log.DomainMetadata;
import io.tidemark.delta.log.JsonValues;
import io.tidemark.delta.log.LogPath;
import io.tidemark.delta.log.Metadata;
import io.tidemark.delta.log.SchemaJson;
import io.tidemark.delta.log.SetTransaction;
import io.tidemark.delta.storage.Storage;
import io.tidemark.delta.vector.RowPositions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A commit in the making: what was read, and what shall change. It begins with {@link Snapshot#begin} or
 * {@link DeltaTable#create} and ends with {@link #commit}, once. Until then the table does not change. Not safe for use
 * by many threads.
 *
 * <p>The reads decide which concurrent commits are conflicts. A transaction that removes rows and declares no reads is
 * taken to have read the whole table; one that only adds files and declares none is a blind append.
 */
public final class Transaction {
    private static final String SYSTEM_DOMAIN_PREFIX = "delta.";
    static final String CLUSTERING_DOMAIN = "delta.clustering";

    private final Storage storage;
    private final String table;
    private final @Nullable Snapshot base;
    private final StagedChanges changes;
    private final List<Predicate<AddFile>> readFilters = new ArrayList<>();
    private final Map<String, RowsRead> readFiles = new LinkedHashMap<>();
    private final Set<String> readApplications = new HashSet<>();
    private boolean readsWholeTable;
    private boolean readsAbsentKeys;
    private boolean readsDeclared;
    private boolean ended;

    private Transaction(Storage storage, String table, @Nullable Snapshot base, String operation) {
        this.storage = storage;
        this.table = table;
        this.base = base;
        this.changes = new StagedChanges(operation, UUID.randomUUID().toString());
    }

    static Transaction on(Snapshot snapshot, String operation) {
        snapshot.checkWritable();
        return new Transaction(snapshot.storage(), snapshot.location(), snapshot, operation);
    }

    static Transaction creating(Storage storage, String table, TableDefinition definition) {
        SchemaRules.check(definition.schema(), definition.partitionColumns(), definition.clusteringColumns());
        TableProperties.checkSettings(definition.properties());
        Transaction transaction = new Transaction(storage, table, null, "CREATE TABLE");
        transaction.changes.requestedFeatures.addAll(ProtocolUpgrade.requested(table, definition.properties()));
        transaction.changes.metadata = new Metadata(
                UUID.randomUUID().toString(),
                null,
                definition.comment(),
                "parquet",
                Map.of(),
                SchemaJson.write(definition.schema()),
                definition.partitionColumns(),
                ProtocolUpgrade.stored(definition.properties()),
                System.currentTimeMillis());
        if (!definition.clusteringColumns().isEmpty()) {
            transaction.setClusteringColumns(definition.clusteringColumns().toArray(String[]::new));
        }
        transaction.checkNothingUnsupported();
        return transaction;
    }

    /** The random id under which the log will hold this commit. */
    public String id() {
        return changes.transactionId;
    }

    /** The unique id of the table, also of one that this transaction makes. */
    public String tableId() {
        return metadata().id();
    }

    /** The table's folder. */
    public String location() {
        return table;
    }

    /** Names the operation anew, as the history shows it. */
    public Transaction operation(String name) {
        changes.operation = name;
        return this;
    }

    /** Adds a parameter of the operation for the history; text, or JSON text by custom. */
    public Transaction parameter(String name, String value) {
        changes.parameters.put(name, value);
        return this;
    }

    /** Adds a counter of the operation for the history. */
    public Transaction metric(String name, long value) {
        changes.metrics.put(name, Long.toString(value));
        return this;
    }

    /** Adds free text for the history. */
    public Transaction userMetadata(String text) {
        changes.userMetadata = text;
        return this;
    }

    /** Declares that every row was read. */
    public Transaction readWholeTable() {
        readsWholeTable = true;
        return readsDeclared();
    }

    /** Declares that the rows of a file were read, and that each of them matters. */
    public Transaction readFile(DataFile file) {
        readFiles.put(file.add().path(), RowsRead.ALL);
        return readsDeclared();
    }

    /**
     * Declares that a file was read and which of its rows matter: those without which, or with other values of which,
     * this transaction would do something else. For a DELETE these are the rows that it deletes, if the condition looks
     * at one row at a time; the others may be deleted by somebody else meanwhile.
     *
     * @param rows the rows that matter, none of them deleted; empty if none did
     */
    public Transaction readRows(DataFile file, RowPositions rows) {
        readFiles.merge(
                file.add().path(), RowsRead.of(rows), (known, more) -> known.equals(RowsRead.ALL) ? known : more);
        return readsDeclared();
    }

    /**
     * Declares that all rows were read which a condition selects. Of the files of the snapshot, those whose rows were
     * read must be declared with {@link #readFile} or {@link #readRows} too.
     *
     * @param mayMatch whether rows of a file that another writer added may meet the condition; true when in doubt
     */
    public Transaction readFilesMatching(Predicate<AddFile> mayMatch) {
        readFilters.add(mayMatch);
        return readsDeclared();
    }

    /** Declares that no rows were read, although some are removed: they go whatever they are. */
    public Transaction readNothing() {
        return readsDeclared();
    }

    /**
     * Declares that rows were written because no row of their key existed, as MERGE and change flows do. Then a plain
     * append whose rows may have been seen is a conflict under every isolation level.
     */
    public Transaction dependsOnAbsentKeys() {
        readsAbsentKeys = true;
        return readsDeclared();
    }

    /** Declares that an application's progress was read. */
    public Transaction readTransaction(String appId) {
        readApplications.add(appId);
        return this;
    }

    /** Declares that rows are only rearranged: the contents of the table stay the same, as in compaction. */
    public Transaction rearrangesOnly() {
        changes.dataChange = false;
        return this;
    }

    /**
     * Adds a data file that was written under the table's folder.
     *
     * @param relativePath plain path, not percent-encoded, relative to the table
     * @param partitionValues text value, or null, of each partition column
     * @param size length in bytes
     * @param stats statistics as JSON text, with {@code numRecords}
     */
    public Transaction add(
            String relativePath, Map<String, @Nullable String> partitionValues, long size, @Nullable String stats) {
        return add(AddFile.of(LogPath.encode(relativePath), partitionValues, size, System.currentTimeMillis(), stats));
    }

    /** Adds a data file by its action. */
    public Transaction add(AddFile file) {
        checkOpen();
        if (!file.partitionValues().keySet().equals(Set.copyOf(metadata().partitionColumns()))) {
            throw internal("file " + file.path() + " has partition values of "
                    + file.partitionValues().keySet() + ", the table is partitioned by "
                    + metadata().partitionColumns());
        }
        changes.add(file);
        return this;
    }

    /** Removes a data file with all of its rows. */
    public Transaction remove(DataFile file) {
        checkOpen();
        changes.touch(new TouchedFile.Removed(file.add()));
        return this;
    }

    /**
     * Deletes rows of a file by a deletion vector. A file all of whose rows are deleted is removed.
     *
     * @param rows rows to delete; those that are deleted already do no harm
     * @throws TidemarkException with {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED} if that needs a deletion vector and
     *     the table does not allow new ones
     */
    public Transaction deleteRows(DataFile file, RowPositions rows) {
        checkOpen();
        OptionalLong physical = file.statistics().numRecords();
        if (!TableProperties.flag(metadata(), TableProperties.ENABLE_DELETION_VECTORS)) {
            boolean all = base != null
                    && physical.isPresent()
                    && base.deletedRows(file).union(rows).cardinality() == physical.getAsLong();
            if (all) {
                return remove(file);
            }
            throw TidemarkException.of(
                            ErrorCode.TABLE_FEATURE_UNSUPPORTED,
                            "table " + table + " does not allow new deletion vectors")
                    .hint("Set its property delta.enableDeletionVectors to true, or rewrite the file.")
                    .build();
        }
        if (physical.isEmpty()) {
            throw internal("file " + file.path() + " has no number of records, which a deletion vector needs");
        }
        if (!rows.isEmpty() && rows.last() >= physical.getAsLong()) {
            throw internal("row " + rows.last() + " of file " + file.path() + " does not exist, it has "
                    + physical.getAsLong());
        }
        if (base == null) {
            throw internal("a new table has no rows to delete");
        }
        RowPositions before = base.deletedRows(file);
        changes.touch(new TouchedFile.RowsDeleted(file.add(), before, rows.minus(before)));
        return this;
    }

    /**
     * Gives a file back the state that it had in another version of the table: only its deletion vector differs.
     *
     * @param now the file as it is
     * @param then the file as it shall be
     */
    public Transaction replace(DataFile now, DataFile then) {
        checkOpen();
        changes.touch(new TouchedFile.Replaced(now.add(), then.add()));
        return this;
    }

    /** Adds a file of row changes. A commit that has any must describe all of its changes by such files. */
    public Transaction addChanges(CdcFile file) {
        checkOpen();
        changes.changeFiles.add(file);
        return this;
    }

    /** Sets the configuration text of a domain. */
    public Transaction setDomain(String name, String configuration) {
        checkOpen();
        checkUserDomain(name);
        changes.domains.put(name, new DomainMetadata(name, configuration, false));
        return this;
    }

    /** Takes a domain away. */
    public Transaction removeDomain(String name) {
        checkOpen();
        checkUserDomain(name);
        String configuration = base == null ? "" : base.domain(name).orElse("");
        changes.domains.put(name, new DomainMetadata(name, configuration, true));
        return this;
    }

    /** Sets the columns by which files are to be clustered; none makes them unordered again. */
    public Transaction setClusteringColumns(String... columns) {
        checkOpen();
        SchemaRules.check(
                SchemaJson.parse(metadata().schemaString()), metadata().partitionColumns(), List.of(columns));
        List<List<String>> paths = List.of(columns).stream().map(List::of).toList();
        Map<String, Object> configuration = new LinkedHashMap<>();
        configuration.put("clusteringColumns", paths);
        configuration.put("domainName", CLUSTERING_DOMAIN);
        changes.requestedFeatures.add(TableFeatures.CLUSTERING);
        changes.domains.put(
                CLUSTERING_DOMAIN, new DomainMetadata(CLUSTERING_DOMAIN, JsonValues.write(configuration), false));
        return this;
    }

    /**
     * Records how far an application has come.
     *
     * @throws TidemarkException with {@link ErrorCode#ALREADY_APPLIED} if the table knows of the same or more progress
     */
    public Transaction setTransaction(String appId, long version) {
        checkOpen();
        OptionalLong known = base == null ? OptionalLong.empty() : base.transactionVersion(appId);
        if (known.isPresent() && known.getAsLong() >= version) {
            throw TidemarkException.of(
                            ErrorCode.ALREADY_APPLIED,
                            "table " + table + " already has version " + known.getAsLong() + " of application " + appId)
                    .detail("Version " + version + " would not be progress.")
                    .build();
        }
        readApplications.add(appId);
        changes.transactions.put(appId, new SetTransaction(appId, version, System.currentTimeMillis()));
        return this;
    }

    /** Gives the table another schema. Which changes are sound is for the caller to know. */
    public Transaction setSchema(StructType schema) {
        checkOpen();
        SchemaRules.check(schema, metadata().partitionColumns(), List.of());
        changes.metadata = metadata().withSchema(SchemaJson.write(schema));
        checkNothingUnsupported();
        return this;
    }

    /** Sets and takes away table properties. */
    public Transaction setProperties(Map<String, String> set, List<String> unset) {
        checkOpen();
        TableProperties.checkSettings(set);
        changes.requestedFeatures.addAll(ProtocolUpgrade.requested(table, set));
        Map<String, String> properties = new LinkedHashMap<>(metadata().configuration());
        properties.keySet().removeAll(unset);
        properties.putAll(ProtocolUpgrade.stored(set));
        if (properties.equals(metadata().configuration()) && !changes.requestedFeatures.isEmpty()) {
            // an upgrade of the protocol alone does not disturb writers who only know the old properties
            return this;
        }
        changes.metadata = metadata().withConfiguration(properties);
        checkNothingUnsupported();
        return this;
    }

    /** Gives the table the schema, properties, comment and clustering columns of another version of it. */
    public Transaction restoreDefinition(Snapshot then) {
        checkOpen();
        if (!then.metadata().equals(metadata())) {
            changes.metadata = then.metadata();
            checkNothingUnsupported();
        }
        Optional<String> clustering = then.domain(CLUSTERING_DOMAIN);
        Optional<String> now = base == null ? Optional.empty() : base.domain(CLUSTERING_DOMAIN);
        if (!clustering.equals(now)) {
            String configuration = clustering.or(() -> now).orElse("");
            changes.domains.put(
                    CLUSTERING_DOMAIN, new DomainMetadata(CLUSTERING_DOMAIN, configuration, clustering.isEmpty()));
        }
        return this;
    }

    /**
     * Gives the table another definition, as if it were made anew; its id and its history stay, and so do times in the
     * log, which must not go back. The domains that programs keep in the table go. Its rows are for the caller to remove
     * before.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED} if the table has rows and is append-only
     */
    public Transaction redefine(TableDefinition definition) {
        checkOpen();
        if (base == null) {
            throw internal("a new table has no other definition");
        }
        checkAppendOnly(base.metadata());
        SchemaRules.check(definition.schema(), definition.partitionColumns(), definition.clusteringColumns());
        TableProperties.checkSettings(definition.properties());
        changes.requestedFeatures.addAll(ProtocolUpgrade.requested(table, definition.properties()));
        Map<String, String> properties = new LinkedHashMap<>(TableProperties.timestampSettings(metadata()));
        properties.putAll(ProtocolUpgrade.stored(definition.properties()));
        changes.metadata = new Metadata(
                metadata().id(),
                metadata().name(),
                definition.comment(),
                "parquet",
                Map.of(),
                SchemaJson.write(definition.schema()),
                definition.partitionColumns(),
                properties,
                System.currentTimeMillis());
        base.domains().forEach((name, configuration) -> {
            if (!name.startsWith(SYSTEM_DOMAIN_PREFIX) || name.equals(CLUSTERING_DOMAIN)) {
                changes.domains.put(name, new DomainMetadata(name, configuration, true));
            }
        });
        if (!definition.clusteringColumns().isEmpty()) {
            setClusteringColumns(definition.clusteringColumns().toArray(String[]::new));
        }
        checkNothingUnsupported();
        return this;
    }

    /** Sets the table's comment; null takes it away. */
    public Transaction setComment(@Nullable String comment) {
        checkOpen();
        changes.metadata = metadata().withDescription(comment);
        return this;
    }

    /**
     * Tries to make the changes the table's next version. A commit that lost its version to another one takes the next
     * if the two are independent.
     *
     * @return what became of it; {@link CommitOutcome#version()} throws unless it is committed
     * @throws TidemarkException if the commit failed and is certain not to be part of the table
     */
    public CommitOutcome commit() {
        checkOpen();
        ended = true;
        checkAppendOnly();
        if (base != null) {
            // A restored definition may lack the property; the table is append-only all the same.
            checkAppendOnly(base.metadata());
        }
        return new Committer(storage, table, base, changes, reads()).commit();
    }

    private ReadSet reads() {
        boolean whole = readsWholeTable || (changes.removesRows() && !readsDeclared);
        return new ReadSet(whole, readFilters, readFiles, readApplications, readsAbsentKeys);
    }

    private Transaction readsDeclared() {
        readsDeclared = true;
        return this;
    }

    private Metadata metadata() {
        Metadata changed = changes.metadata;
        if (changed != null) {
            return changed;
        }
        if (base == null) {
            throw internal("a new table without metadata");
        }
        return base.metadata();
    }

    private void checkNothingUnsupported() {
        if (TableProperties.flag(metadata(), TableProperties.ENABLE_CHANGE_DATA_FEED)) {
            SchemaRules.checkFeedColumns(SchemaJson.parse(metadata().schemaString()));
        }
        List<String> obstacles = TableFeatures.usedObstacles(metadata());
        if (!obstacles.isEmpty()) {
            throw TableFeatures.unsupported(table, "changed", String.join(", ", obstacles));
        }
    }

    private void checkAppendOnly() {
        checkAppendOnly(metadata());
    }

    private void checkAppendOnly(Metadata rules) {
        if (changes.removesRows() && changes.dataChange && TableProperties.flag(rules, TableProperties.APPEND_ONLY)) {
            throw TidemarkException.of(
                            ErrorCode.TABLE_FEATURE_UNSUPPORTED,
                            "rows of table " + table + " cannot be removed: it is append-only")
                    .hint("Its property delta.appendOnly is true.")
                    .build();
        }
    }

    private void checkUserDomain(String name) {
        if (name.startsWith(SYSTEM_DOMAIN_PREFIX)) {
            throw internal("domain " + name + " belongs to the protocol");
        }
    }

    private void checkOpen() {
        if (ended) {
            throw internal("the transaction has ended");
        }
    }

    private TidemarkException internal(String text) {
        return TidemarkException.of(ErrorCode.INTERNAL, "wrong use of a transaction on table " + table + ": " + text)
                .build();
    }
}
