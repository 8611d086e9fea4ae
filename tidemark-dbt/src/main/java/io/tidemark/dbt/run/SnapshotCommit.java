package io.tidemark.dbt.run;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.TableDefinition;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.WiderTypes;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.rows.TableRows;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes what a run found out: deleted positions, closed rows and current rows in files of their own, one commit. */
final class SnapshotCommit {
    /** The operation's name in the history. */
    static final String OPERATION = "DBT SNAPSHOT";
    /** The operation's name for rows that come from elsewhere. */
    static final String IMPORT = "DBT SNAPSHOT IMPORT";
    /** A place for tests to end the process: the files are written, the commit is not. */
    static final String AFTER_DATA_FILES = "snapshot.after-data-files";
    /** A place for tests to end the process: the commit is done, its report is not. */
    static final String AFTER_COMMIT = "snapshot.after-commit";

    private static final String INDEXED_COLUMNS = "delta.dataSkippingNumIndexedCols";

    private final Engine engine;
    private final DeltaTable table;
    private final String snapshotName;
    private final List<String> sortBy;

    SnapshotCommit(Engine engine, DeltaTable table, String snapshotName, List<String> sortBy) {
        this.engine = engine;
        this.table = table;
        this.snapshotName = snapshotName;
        this.sortBy = sortBy;
    }

    /** The columns of a new table: those of the source, then those of a snapshot. */
    static StructType newSchema(StructType source, MetaColumns columns, DataType timeType, boolean marksDeletes) {
        List<StructField> fields = new ArrayList<>(source.fields());
        fields.add(StructField.of(columns.scdId(), ScalarType.STRING));
        fields.add(StructField.of(columns.updatedAt(), timeType));
        fields.add(StructField.of(columns.validFrom(), timeType));
        fields.add(StructField.of(columns.validTo(), timeType));
        if (marksDeletes) {
            fields.add(StructField.of(columns.isDeleted(), ScalarType.STRING));
        }
        return new StructType(fields);
    }

    /**
     * Makes the table with its first rows, in one commit.
     *
     * @param operation the operation's name
     * @param comment the table's comment, if it has one
     * @param rows engine SQL of the rows; those of each text come into files of their own
     */
    long create(
            String operation,
            StructType schema,
            Optional<String> comment,
            List<String> rows,
            SnapshotEntry entry,
            Counts counts) {
        int columns = Types.leaves(schema);
        TableDefinition definition = TableDefinition.of(schema)
                .with("delta.enableDeletionVectors", "true")
                .with("delta.feature.domainMetadata", "supported");
        if (comment.isPresent()) {
            definition = definition.commented(comment.get());
        }
        int indexed = WriteSpec.STATISTICS_COLUMNS_MAX_DEFAULT;
        if (columns > indexed) {
            // The ends of rows must have statistics, or closed files could not be told from current ones.
            definition = definition.with(INDEXED_COLUMNS, Integer.toString(columns));
            indexed = columns;
        }
        Transaction transaction = table.create(definition);
        for (String each : rows) {
            EngineFiles.add(
                    transaction,
                    engine.write(
                            each,
                            new WriteSpec(
                                    table.location(),
                                    "part",
                                    schema,
                                    sortBy,
                                    WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                                    indexed)));
        }
        transaction.setDomain(SnapshotEntry.DOMAIN, entry.json(transaction.tableId()));
        return commit(transaction.operation(operation), counts);
    }

    /**
     * What changes about a table's rows.
     *
     * @param positions relation of the positions of rows that go
     * @param inserted engine SQL of current rows that come
     * @param closed engine SQL of closed rows that come
     */
    record NewRows(String positions, String inserted, String closed) {}

    /**
     * Changes the table.
     *
     * @param rows the current rows, in which positions are meant
     * @param schema the table's columns after the commit
     * @param comment the table's comment after the commit, if it is to be set
     */
    long update(
            Snapshot snapshot,
            TableRows rows,
            StructType schema,
            Optional<String> comment,
            NewRows changed,
            MetaColumns columns,
            SnapshotEntry entry,
            Counts counts) {
        Transaction transaction = snapshot.begin(OPERATION);
        transaction.readWholeTable().dependsOnAbsentKeys();
        if (!schema.equals(snapshot.schema())) {
            if (schema.fields().stream().anyMatch(field -> widened(snapshot, field))) {
                transaction.setProperties(Map.of(WiderTypes.ENABLED, "true"), List.of());
            }
            transaction.setSchema(schema);
        }
        comment.filter(text -> !snapshot.description().equals(comment)).ifPresent(transaction::setComment);
        List<WrittenFile> written = new ArrayList<>();
        List<WrittenFile> changes = new ArrayList<>();
        String current = rows.relation() + "_new";
        try {
            boolean feed = TableRows.hasChangeFeed(snapshot);
            // Readers of a change data feed must be told that a row was closed and not replaced, which takes all at
            // once.
            engine.createView(
                    current, feed ? changed.inserted() + " UNION ALL " + changed.closed() : changed.inserted());
            Optional<String> images = feed
                    ? Optional.of(new ChangeImages(
                                    engine.dialect(),
                                    schema,
                                    List.of(engine.dialect().name(columns.scdId())))
                            .sql(
                                    rows.rowsAt(changed.positions(), schema),
                                    "SELECT * FROM " + engine.dialect().name(current)))
                    : Optional.empty();
            TableRows.Staged staged = rows.stage(transaction, changed.positions(), current, schema, sortBy, images);
            written.addAll(staged.written());
            changes.addAll(staged.changes());
            if (!feed) {
                List<WrittenFile> ended = rows.write(changed.closed(), schema, sortBy);
                written.addAll(ended);
                EngineFiles.add(transaction, ended);
            }
            transaction.setDomain(SnapshotEntry.DOMAIN, entry.json(transaction.tableId()));
        } catch (RuntimeException e) {
            discard(snapshot, written, changes);
            throw e;
        } finally {
            engine.drop(current);
        }
        CrashPoints.reach(AFTER_DATA_FILES);
        CommitOutcome outcome = committed(transaction, counts);
        if (outcome instanceof CommitOutcome.Rejected) {
            discard(snapshot, written, changes);
        }
        return outcome.version();
    }

    private static boolean widened(Snapshot snapshot, StructField field) {
        return snapshot.schema()
                .field(field.name())
                .filter(before -> !before.type().equals(field.type()))
                .isPresent();
    }

    private static void discard(Snapshot snapshot, List<WrittenFile> written, List<WrittenFile> changes) {
        snapshot.discard(written);
        List<WrittenFile> inFolder = changes.stream()
                .map(file -> new WrittenFile(
                        TableRows.CHANGE_FOLDER + "/" + file.name(),
                        file.sizeBytes(),
                        file.rowCount(),
                        file.statistics(),
                        file.partitionValues()))
                .toList();
        snapshot.discard(inFolder);
    }

    private long commit(Transaction transaction, Counts counts) {
        CrashPoints.reach(AFTER_DATA_FILES);
        return committed(transaction, counts).version();
    }

    private CommitOutcome committed(Transaction transaction, Counts counts) {
        transaction
                .parameter("snapshot", snapshotName)
                .metric("numSourceRows", counts.sourceRows())
                .metric("numNewKeys", counts.newKeys())
                .metric("numChangedKeys", counts.changedKeys())
                .metric("numDeletedKeys", counts.deletedKeys())
                .metric("numRemovedRows", counts.removedRows())
                .metric("numMissedChanges", counts.missedChanges());
        CommitOutcome outcome = transaction.commit();
        CrashPoints.reach(AFTER_COMMIT);
        return outcome;
    }
}
