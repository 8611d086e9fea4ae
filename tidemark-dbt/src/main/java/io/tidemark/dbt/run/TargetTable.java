package io.tidemark.dbt.run;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.WiderTypes;
import io.tidemark.delta.skipping.FileCondition;
import io.tidemark.delta.skipping.FileCondition.Comparison;
import io.tidemark.delta.skipping.FileCondition.NullTest;
import io.tidemark.delta.skipping.FileCondition.Operator;
import io.tidemark.delta.skipping.FileCondition.Or;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A snapshot's table as it is before a run, whoever made it. */
final class TargetTable {
    private final Snapshot snapshot;
    private final MetaColumns columns;
    private final boolean marksDeletes;

    /** Checks that the table has the columns of a snapshot. */
    TargetTable(String name, Snapshot snapshot, SnapshotSettings settings) {
        this.snapshot = snapshot;
        this.columns = settings.columns();
        StructType schema = snapshot.schema();
        List<String> needed =
                new ArrayList<>(List.of(columns.scdId(), columns.updatedAt(), columns.validFrom(), columns.validTo()));
        this.marksDeletes = schema.has(columns.isDeleted());
        if (settings.hardDeletes() == HardDeletes.NEW_RECORD) {
            needed.add(columns.isDeleted());
        }
        List<String> missing =
                needed.stream().filter(column -> !schema.has(column)).toList();
        if (!missing.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "table " + name + " lacks columns of a snapshot: " + String.join(", ", missing))
                    .at(settings.location())
                    .hint(
                            missing.equals(List.of(columns.isDeleted()))
                                    ? "rows from before hard_deletes='new_record' need a value: ALTER TABLE " + name
                                            + " ADD COLUMN " + columns.isDeleted() + " STRING; UPDATE " + name + " SET "
                                            + columns.isDeleted() + " = 'False'"
                                    : "is it the table of this snapshot? snapshot_meta_column_names gives other names to"
                                            + " its columns")
                    .build();
        }
        for (String column : List.of(columns.validFrom(), columns.validTo(), columns.updatedAt())) {
            DataType type = schema.field(column).orElseThrow().type();
            if (!Types.isTime(type)) {
                throw TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "column " + column + " of table " + name + " is of type " + type.sql()
                                        + ", which is no time")
                        .at(settings.location())
                        .build();
            }
        }
    }

    Snapshot snapshot() {
        return snapshot;
    }

    /** Whether the table says of rows that their key is gone, whatever the options say now. */
    boolean marksDeletes() {
        return marksDeletes;
    }

    StructField column(String name) {
        return snapshot.schema().field(name).orElseThrow();
    }

    /** The type of the times in the table. */
    DataType timeType() {
        return column(columns.validFrom()).type();
    }

    /**
     * The columns after the run.
     *
     * @param times whether the table's dates become timestamps
     */
    StructType schemaAfter(SourceRows source, boolean times) {
        List<StructField> fields = new ArrayList<>();
        for (StructField field : snapshot.schema().fields()) {
            StructField wider = source.widened().get(field.name());
            boolean time = List.of(columns.validFrom(), columns.validTo(), columns.updatedAt()).stream()
                    .anyMatch(field.name()::equalsIgnoreCase);
            if (time && times && field.type() == ScalarType.DATE) {
                fields.add(WiderTypes.widened(field, ScalarType.TIMESTAMP_NTZ));
            } else {
                fields.add(wider == null ? field : wider);
            }
        }
        source.columns().fields().stream()
                .filter(field -> source.added().contains(field.name()))
                .forEach(fields::add);
        return new StructType(fields);
    }

    /** The files that may hold current rows: closed ones lie in files of their own. */
    List<DataFile> filesOfCurrentRows(List<Object> sentinels) {
        List<FileCondition> conditions = new ArrayList<>();
        String validTo = column(columns.validTo()).name();
        conditions.add(new NullTest(validTo, true));
        sentinels.forEach(value -> conditions.add(new Comparison(validTo, Operator.EQUAL, value)));
        return files(new Or(conditions));
    }

    /** The files that may hold rows that end at a time or later. */
    List<DataFile> filesThatEndFrom(Object time) {
        return files(new Comparison(column(columns.validTo()).name(), Operator.GREATER_OR_EQUAL, time));
    }

    private List<DataFile> files(FileCondition condition) {
        var filter = snapshot.filter(condition);
        return snapshot.files().stream().filter(file -> filter.test(file.add())).toList();
    }

    Optional<SnapshotEntry> entry() {
        return SnapshotEntry.of(snapshot);
    }
}
