package io.tidemark.core.change;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.ScdType;
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
    private final Faults faults = new Faults();

    ChangeSpecResolver(AutoCdcFlow flow, StructType source, Optional<StructType> target, boolean mayAddColumns) {
        this.flow = flow;
        this.source = source;
        this.target = target;
        this.mayAddColumns = mayAddColumns;
    }

    ChangeSpec resolve(DataType sequence, Optional<DataType> systemSequence) {
        checkNames();
        checkSequence(sequence, flow.sequenceBy().location());
        TextLocation systemPlace =
                flow.systemSequenceBy().map(QueryText::location).orElse(flow.place(Clause.SYSTEM_SEQUENCE_BY));
        systemSequence.ifPresent(type -> checkSequence(type, systemPlace));
        StructType data = dataColumns(selectedColumns());
        List<StructField> keys = keys(data);
        List<StructField> values = data.fields().stream()
                .filter(field ->
                        flow.keys().stream().noneMatch(key -> key.name().equalsIgnoreCase(field.name())))
                .toList();
        requireTarget(flow.trackHistory(), data, "TRACK HISTORY ON");
        requireTarget(flow.ignoreNullUpdates(), data, "IGNORE NULL UPDATES ON");
        faults.throwAny();
        boolean typeOne = flow.storedAs() == ScdType.SCD1;
        Optional<QueryText> rowSequence = typeOne && ChangeSpec.sequenceStandsInTarget(flow, source, data)
                ? Optional.of(flow.sequenceBy())
                : Optional.empty();
        return new ChangeSpec(
                flow,
                source,
                keys,
                values,
                data,
                sequence,
                systemSequence,
                tracked(values),
                partial(flow, values),
                flow.ignoreNullUpdates().isPresent(),
                rowSequence,
                typeOne && rowSequence.isEmpty());
    }

    private void checkNames() {
        flow.keys().forEach(key -> findSource(key, "KEYS"));
        findSources(flow.columns(), "COLUMNS");
        findSources(flow.ignoreNullUpdates(), "IGNORE NULL UPDATES");
        findSources(flow.trackHistory(), "TRACK HISTORY ON");
        flow.columnsToUpdate().ifPresent(this::checkColumnsToUpdate);
    }

    private void checkColumnsToUpdate(ColumnReference column) {
        Optional<DataType> type = findSource(column, "COLUMNS TO UPDATE").map(StructField::type);
        boolean strings =
                type.isPresent() && type.get() instanceof ArrayType array && array.element() == ScalarType.STRING;
        if (type.isPresent() && !strings) {
            faults.add(TidemarkException.of(
                            ErrorCode.COLUMNS_TO_UPDATE_TYPE,
                            "column " + column.name() + " of COLUMNS TO UPDATE is "
                                    + type.get().sql() + " and not ARRAY<STRING>")
                    .at(column.location())
                    .hint("each event lists the names of the columns that it authors")
                    .build());
        }
    }

    private void findSources(Optional<ColumnSelection> list, String clause) {
        list.ifPresent(selection -> selection.columns().forEach(column -> findSource(column, clause)));
    }

    private Optional<StructField> findSource(ColumnReference column, String clause) {
        Optional<StructField> field = source.field(column.name());
        if (field.isEmpty()) {
            faults.add(TidemarkException.of(
                            ErrorCode.UNKNOWN_COLUMN,
                            "column " + column.name() + " of " + clause + " is not in the source of flow "
                                    + flow.name())
                    .at(column.location())
                    .detail("Columns of the source: " + String.join(", ", source.names()) + ".")
                    .hint("correct the name, or add the column to the source")
                    .build());
        }
        return field;
    }

    /** A column that the target does not have has no history, and none of its values can stay as they are. */
    private void requireTarget(Optional<ColumnSelection> list, StructType data, String clause) {
        if (list.isEmpty() || list.get().mode() != ColumnSelection.Mode.INCLUDE) {
            return;
        }
        for (ColumnReference column : list.get().columns()) {
            if (source.has(column.name()) && !data.has(column.name())) {
                faults.add(TidemarkException.of(
                                ErrorCode.UNKNOWN_COLUMN,
                                "column " + column.name() + " of " + clause + " is not a column of table "
                                        + flow.target())
                        .at(column.location())
                        .detail("The source has it, but the target gets only the columns that COLUMNS selects.")
                        .hint("add it to COLUMNS, or leave it out of " + clause)
                        .build());
            }
        }
    }

    private List<StructField> selectedColumns() {
        List<StructField> selected = new ArrayList<>();
        for (StructField field : source.fields()) {
            if (isSelected(field.name())) {
                if (ReservedColumns.isReserved(flow.storedAs(), field.name())) {
                    faults.add(reserved(field.name()));
                } else {
                    selected.add(field);
                }
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
                .at(flow.columns().isPresent() ? flow.place(Clause.COLUMNS) : flow.place(Clause.FROM))
                .hint(
                        flow.isSnapshot()
                                ? "leave it out of the snapshot's query, or rename it there"
                                : "leave it out with COLUMNS * EXCEPT (" + name
                                        + "), or rename it in a view over the source")
                .build();
    }

    /** The target's columns: those it has or declares, then new ones of the source. */
    private StructType dataColumns(List<StructField> selected) {
        if (target.isEmpty()) {
            selected.forEach(this::checkStorable);
            return new StructType(selected.stream()
                    .map(field -> new StructField(field.name(), field.type(), true, field.metadata()))
                    .toList());
        }
        List<StructField> columns = new ArrayList<>(target.get().fields());
        for (StructField field : selected) {
            Optional<StructField> existing = target.get().field(field.name());
            if (existing.isPresent()) {
                if (!Assignment.isAllowed(field.type(), existing.get().type())) {
                    faults.add(mismatch(field, existing.get()));
                }
            } else if (mayAddColumns) {
                checkStorable(field);
                columns.add(new StructField(field.name(), field.type(), true, field.metadata()));
            } else {
                faults.add(TidemarkException.of(
                                ErrorCode.SCHEMA_MISMATCH,
                                "source column " + field.name() + " of flow " + flow.name()
                                        + " is not among the declared columns of table " + flow.target())
                        .at(flow.place(flow.columns().isPresent() ? Clause.COLUMNS : Clause.FROM))
                        .hint(
                                flow.isSnapshot()
                                        ? "declare it, or leave it out of the snapshot's query"
                                        : "declare it, or leave it out with COLUMNS * EXCEPT (" + field.name() + ")")
                        .build());
            }
        }
        return new StructType(columns);
    }

    private void checkStorable(StructField field) {
        if (field.type() == ScalarType.VOID) {
            faults.add(TidemarkException.of(
                            ErrorCode.SCHEMA_MISMATCH,
                            "source column " + field.name() + " of flow " + flow.name()
                                    + " is always NULL and has no type")
                    .at(flow.place(Clause.FROM))
                    .hint("give it one: CAST(NULL AS STRING) AS " + field.name())
                    .build());
        }
    }

    private TidemarkException mismatch(StructField field, StructField existing) {
        boolean key = flow.keys().stream().anyMatch(column -> column.name().equalsIgnoreCase(field.name()));
        // Columns that may not be added are declared ones: then the declaration is wrong, and not a later change.
        boolean declared = !mayAddColumns;
        return TidemarkException.of(
                        key && !declared ? ErrorCode.FLOW_CHANGED : ErrorCode.SCHEMA_MISMATCH,
                        "source column " + field.name() + " is " + field.type().sql() + ", but table " + flow.target()
                                + (declared ? " declares " : " has ")
                                + existing.type().sql())
                .at(key ? flow.place(Clause.KEYS) : flow.place(Clause.FROM))
                .hint(
                        declared
                                ? "cast it in the source, or declare it as "
                                        + field.type().sql()
                                : "cast it in the source, or rebuild the table: --full-refresh=" + flow.target())
                .build();
    }

    private List<StructField> keys(StructType data) {
        List<StructField> keys = new ArrayList<>();
        for (ColumnReference key : flow.keys()) {
            Optional<StructField> found = data.field(key.name());
            if (found.isEmpty()) {
                if (source.has(key.name())) {
                    faults.add(missingKey(key));
                }
                continue;
            }
            StructField field = found.get();
            if (!ChangeSpec.isKeyType(field.type())) {
                faults.add(TidemarkException.of(
                                ErrorCode.KEY_TYPE,
                                "key " + key.name() + " is " + field.type().sql() + ", which cannot be compared")
                        .at(key.location())
                        .hint("use a key of a simple type")
                        .build());
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
            faults.add(TidemarkException.of(
                            ErrorCode.SEQUENCE_TYPE,
                            "the sequence of flow " + flow.name() + " is " + type.sql() + ", which has no order")
                    .at(place)
                    .hint("use a number, a string, a date, a timestamp or a STRUCT of those")
                    .build());
        }
    }

    private List<String> tracked(List<StructField> values) {
        return values.stream()
                .map(StructField::name)
                .filter(name ->
                        flow.trackHistory().map(list -> list.selects(name)).orElse(true))
                .toList();
    }

    /** The value columns that events of a flow may leave alone. */
    static List<Integer> partial(AutoCdcFlow flow, List<StructField> values) {
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
