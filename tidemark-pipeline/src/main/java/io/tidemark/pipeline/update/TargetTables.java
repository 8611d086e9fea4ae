package io.tidemark.pipeline.update;

import io.tidemark.core.change.ReservedColumns;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.CdcProperties;
import io.tidemark.core.flow.ColumnDefinition;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.DatasetDefinition.TableClauses;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.TableDefinition;
import io.tidemark.delta.Transaction;
import io.tidemark.pipeline.state.TargetEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Makes tables as pipelines define them, and keeps their properties and comments in step with the definition. */
final class TargetTables {
    private static final Map<String, String> DEFAULTS =
            Map.of("delta.enableDeletionVectors", "true", "delta.feature.domainMetadata", "supported");

    private TargetTables() {}

    /** The data columns that a definition declares, with reserved columns left out; absent if it declares none. */
    static Optional<StructType> declared(TableClauses clauses, Optional<ScdType> type) {
        if (clauses.columns().isEmpty()) {
            return Optional.empty();
        }
        List<StructField> fields = new ArrayList<>();
        for (ColumnDefinition column : clauses.columns()) {
            boolean reserved = type.isPresent() && ReservedColumns.isReserved(type.get(), column.name());
            if (!reserved) {
                fields.add(field(column));
            }
        }
        return Optional.of(new StructType(fields));
    }

    /**
     * Checks declared reserved columns against the types that a flow gives them.
     *
     * @throws TidemarkException {@code SCHEMA_MISMATCH}
     */
    static void checkReserved(TableClauses clauses, StructType schema) {
        Faults faults = new Faults();
        for (ColumnDefinition column : clauses.columns()) {
            Optional<StructField> field = schema.field(column.name());
            if (field.isPresent() && !field.get().type().equals(column.type())) {
                faults.add(TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "column " + column.name() + " is declared as "
                                        + column.type().sql() + ", but the flow gives it "
                                        + field.get().type().sql())
                        .at(column.location())
                        .hint("declare it as " + field.get().type().sql())
                        .build());
            }
        }
        faults.throwAny();
    }

    /** Makes a table; if another writer was faster, its table is taken. */
    static Snapshot create(
            DeltaTable table, TableName name, TableClauses clauses, StructType schema, TargetEntry entry) {
        Map<String, String> properties = new LinkedHashMap<>(DEFAULTS);
        properties.putAll(clauses.properties());
        TableDefinition definition = new TableDefinition(
                withNotNull(schema, clauses),
                List.of(),
                clauses.clusterBy().stream().map(ColumnReference::name).toList(),
                properties,
                clauses.comment().orElse(null));
        Transaction transaction;
        try {
            transaction = table.create(definition);
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.TABLE_EXISTS && table.exists()) {
                return table.snapshot();
            }
            throw e;
        }
        transaction.setDomain(TargetEntry.DOMAIN, entry.json());
        CommitOutcome outcome = transaction.commit();
        if (outcome instanceof CommitOutcome.Rejected && table.exists()) {
            return table.snapshot();
        }
        long version = outcome.version();
        return table.at(version);
    }

    /**
     * Sets what a definition says otherwise than the table does.
     *
     * @return the table afterwards
     */
    static Snapshot align(DeltaTable table, Snapshot snapshot, TableClauses clauses) {
        Map<String, String> different = new HashMap<>();
        clauses.properties().forEach((key, value) -> {
            boolean feature = key.startsWith("delta.feature.");
            if (!feature && !value.equals(snapshot.properties().get(key))) {
                different.put(key, value);
            }
        });
        boolean comment = clauses.comment().isPresent() && !clauses.comment().equals(snapshot.description());
        if (different.isEmpty() && !comment) {
            return snapshot;
        }
        Transaction transaction = snapshot.begin("SET TBLPROPERTIES");
        if (!different.isEmpty()) {
            transaction.setProperties(different, List.of());
        }
        if (comment) {
            transaction.setComment(clauses.comment().get());
        }
        return table.at(transaction.commit().version());
    }

    /**
     * Checks that a table may be rebuilt.
     *
     * @throws TidemarkException {@code RESET_NOT_ALLOWED}
     */
    static void checkResetAllowed(StreamingTable target, Snapshot snapshot) {
        if (!CdcProperties.resetAllowed(snapshot.properties())) {
            throw TidemarkException.of(
                            ErrorCode.RESET_NOT_ALLOWED,
                            "table " + target.name() + " forbids a full refresh: its property "
                                    + CdcProperties.RESET_ALLOWED + " is false")
                    .at(target.location())
                    .hint("leave the table out of --full-refresh, or set the property to true")
                    .build();
        }
    }

    /** A schema whose columns are NOT NULL where the definition says so. */
    static StructType withNotNull(StructType schema, TableClauses clauses) {
        Map<String, ColumnDefinition> declared = new HashMap<>();
        clauses.columns().forEach(column -> declared.put(column.name().toLowerCase(java.util.Locale.ROOT), column));
        List<StructField> fields = new ArrayList<>();
        for (StructField field : schema.fields()) {
            ColumnDefinition column = declared.get(field.name().toLowerCase(java.util.Locale.ROOT));
            fields.add(column == null ? field : field(column));
        }
        return new StructType(fields);
    }

    private static StructField field(ColumnDefinition column) {
        Map<String, Object> metadata = column.comment()
                .<Map<String, Object>>map(text -> Map.of("comment", text))
                .orElse(Map.of());
        return new StructField(column.name(), column.type(), column.nullable(), metadata);
    }
}
