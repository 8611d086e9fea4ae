package io.tidemark.core.change;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Resolves the clauses of a change flow against the columns of its source and target. */
final class ChangeSpecResolver {
    /** The hidden column with facts about the file that a row was read from. */
    private static final String FILE_METADATA = "_metadata";

    private final AutoCdcFlow flow;
    private final StructType source;
    private final Optional<StructType> target;
    private final boolean mayAddColumns;

    ChangeSpecResolver(AutoCdcFlow flow, StructType source, Optional<StructType> target, boolean mayAddColumns) {
        this.flow = flow;
        this.source = source;
        this.target = target;
        this.mayAddColumns = mayAddColumns;
    }

    ChangeSpec resolve(DataType sequence, Optional<DataType> systemSequence) {
        checkNames();
        List<StructField> selected = selectedColumns();
        StructType data = dataColumns(selected);
        List<StructField> keys = keys(data);
        List<StructField> values = data.fields().stream()
                .filter(field ->
                        flow.keys().stream().noneMatch(key -> key.name().equalsIgnoreCase(field.name())))
                .toList();
        checkSequence(sequence, flow.sequenceBy().location());
        systemSequence.ifPresent(type ->
                checkSequence(type, flow.systemSequenceBy().orElseThrow().location()));
        return new ChangeSpec(
                flow, source, keys, values, data, sequence, systemSequence, tracked(values), partial(values));
    }

    private void checkNames() {
        flow.keys().forEach(key -> requireSource(key, "KEYS"));
        flow.columns().ifPresent(list -> list.columns().forEach(column -> requireSource(column, "COLUMNS")));
        flow.ignoreNullUpdates()
                .ifPresent(list -> list.columns().forEach(column -> requireSource(column, "IGNORE NULL UPDATES")));
        flow.trackHistory()
                .ifPresent(list -> list.columns().forEach(column -> requireSource(column, "TRACK HISTORY ON")));
        if (flow.columnsToUpdate().isPresent()) {
            ColumnReference column = flow.columnsToUpdate().get();
            StructField field = requireSource(column, "COLUMNS TO UPDATE");
            boolean strings = field.type() instanceof ArrayType array && array.element() == ScalarType.STRING;
            if (!strings) {
                throw TidemarkException.of(
                                ErrorCode.COLUMNS_TO_UPDATE_TYPE,
                                "column " + column.name() + " of COLUMNS TO UPDATE is "
                                        + field.type().sql() + " and not ARRAY<STRING>")
                        .at(column.location())
                        .hint("each event lists the names of the columns that it authors")
                        .build();
            }
        }
    }

    private StructField requireSource(ColumnReference column, String clause) {
        return source.field(column.name())
                .orElseThrow(() -> TidemarkException.of(
                                ErrorCode.UNKNOWN_COLUMN,
                                "column " + column.name() + " of " + clause + " is not in the source of flow "
                                        + flow.name())
                        .at(column.location())
                        .detail("Columns of the source: " + String.join(", ", source.names()) + ".")
                        .hint("correct the name, or add the column to the source")
                        .build());
    }

    private List<StructField> selectedColumns() {
        List<StructField> selected = new ArrayList<>();
        for (StructField field : source.fields()) {
            if (isSelected(field.name())) {
                if (ReservedColumns.isReserved(flow.storedAs(), field.name())) {
                    throw reserved(field.name());
                }
                selected.add(field);
            }
        }
        return selected;
    }

    private boolean isSelected(String name) {
        boolean named = flow.columns().isPresent()
                && flow.columns().get().mode() == ColumnSelection.Mode.INCLUDE
                && flow.columns().get().names(name);
        boolean control = name.equalsIgnoreCase(FILE_METADATA)
                || flow.columnsToUpdate()
                        .filter(column -> column.name().equalsIgnoreCase(name))
                        .isPresent();
        boolean selected = flow.columns().map(list -> list.selects(name)).orElse(true);
        return named || (!control && selected);
    }

    private TidemarkException reserved(String name) {
        return TidemarkException.of(
                        ErrorCode.RESERVED_COLUMN,
                        "source column " + name + " of flow " + flow.name() + " bears a name that "
                                + flow.storedAs().sql() + " reserves")
                .at(flow.columns().map(ColumnSelection::location).orElse(flow.location()))
                .hint("leave it out with COLUMNS * EXCEPT (" + name + "), or rename it in a view over the source")
                .build();
    }

    /** The target's columns: those it has or declares, then new ones of the source. */
    private StructType dataColumns(List<StructField> selected) {
        if (target.isEmpty()) {
            return new StructType(selected.stream()
                    .map(field -> new StructField(field.name(), storable(field), true, field.metadata()))
                    .toList());
        }
        List<StructField> columns = new ArrayList<>(target.get().fields());
        for (StructField field : selected) {
            Optional<StructField> existing = target.get().field(field.name());
            if (existing.isPresent()) {
                if (!Assignment.isAllowed(field.type(), existing.get().type())) {
                    throw mismatch(field, existing.get());
                }
            } else if (mayAddColumns) {
                columns.add(new StructField(field.name(), storable(field), true, field.metadata()));
            } else {
                throw TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "source column " + field.name() + " of flow " + flow.name()
                                        + " is not among the declared columns of table " + flow.target())
                        .at(flow.location())
                        .hint("declare it, or leave it out with COLUMNS * EXCEPT (" + field.name() + ")")
                        .build();
            }
        }
        return new StructType(columns);
    }

    private DataType storable(StructField field) {
        if (field.type() == ScalarType.VOID) {
            throw TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "source column " + field.name() + " of flow " + flow.name()
                                    + " is always NULL and has no type")
                    .at(flow.location())
                    .hint("give it one: CAST(NULL AS STRING) AS " + field.name())
                    .build();
        }
        return field.type();
    }

    private TidemarkException mismatch(StructField field, StructField existing) {
        boolean key = flow.keys().stream().anyMatch(column -> column.name().equalsIgnoreCase(field.name()));
        return TidemarkException.of(
                        key ? ErrorCode.FLOW_CHANGED : ErrorCode.SCHEMA_MISMATCH,
                        "source column " + field.name() + " is " + field.type().sql() + ", but table " + flow.target()
                                + " has " + existing.type().sql())
                .at(flow.location())
                .hint("cast it in the source, or rebuild the table: --full-refresh=" + flow.target())
                .build();
    }

    private List<StructField> keys(StructType data) {
        List<StructField> keys = new ArrayList<>();
        for (ColumnReference key : flow.keys()) {
            StructField field = data.field(key.name()).orElseThrow(() -> missingKey(key));
            if (!ChangeSpec.isKeyType(field.type())) {
                throw TidemarkException.of(
                                ErrorCode.KEY_TYPE,
                                "key " + key.name() + " is " + field.type().sql() + ", which cannot be compared")
                        .at(key.location())
                        .hint("use a key of a simple type")
                        .build();
            }
            keys.add(field);
        }
        return keys;
    }

    private TidemarkException missingKey(ColumnReference key) {
        return TidemarkException.of(
                        ErrorCode.KEY_NOT_IN_COLUMNS, "key " + key.name() + " is not a column of the target")
                .at(key.location())
                .hint("add it to COLUMNS")
                .build();
    }

    private void checkSequence(DataType type, TextLocation place) {
        if (!type.isOrderable()) {
            throw TidemarkException.of(
                            ErrorCode.SEQUENCE_TYPE,
                            "the sequence of flow " + flow.name() + " is " + type.sql() + ", which has no order")
                    .at(place)
                    .hint("use a number, a string, a date, a timestamp or a STRUCT of those")
                    .build();
        }
    }

    private List<String> tracked(List<StructField> values) {
        return values.stream()
                .map(StructField::name)
                .filter(name ->
                        flow.trackHistory().map(list -> list.selects(name)).orElse(true))
                .toList();
    }

    private List<Integer> partial(List<StructField> values) {
        List<Integer> partial = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            String name = values.get(i).name();
            boolean chosen = flow.columnsToUpdate().isPresent()
                    || flow.ignoreNullUpdates()
                            .filter(list -> list.selects(name))
                            .isPresent();
            // A column that the sequence reads is authored by every event.
            boolean sequence = ExpressionColumns.mentions(flow.sequenceBy().sql(), name)
                    || flow.systemSequenceBy()
                            .filter(expression -> ExpressionColumns.mentions(expression.sql(), name))
                            .isPresent();
            if (chosen && !sequence) {
                partial.add(i);
            }
        }
        return partial;
    }
}
