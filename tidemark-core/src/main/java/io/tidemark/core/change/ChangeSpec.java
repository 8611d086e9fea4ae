package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ColumnSelection;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A change flow whose columns and types are known: all that a plan needs beside the names of its inputs.
 *
 * @param flow the definition
 * @param sourceColumns columns of the flow's query
 * @param keys key columns with their types in the target
 * @param values the target's data columns that are not keys, in the target's order
 * @param dataColumns all data columns of the target in its order
 * @param sequence type of SEQUENCE BY
 * @param systemSequence type of SYSTEM SEQUENCE BY; present for bitemporal storage only
 * @param tracked names of the tracked value columns
 * @param partialColumns value columns that an event may leave alone, by index in {@code values}
 * @param partialFields whether it may leave fields of structs in them alone, too
 * @param rowSequence SCD type 1: the expression over the target's columns that tells the sequence of a row's last event,
 *     if there is one
 * @param remembersSequences SCD type 1: whether the sequences of live rows are remembered, because no such expression
 *     tells all of them
 */
public record ChangeSpec(
        AutoCdcFlow flow,
        StructType sourceColumns,
        List<StructField> keys,
        List<StructField> values,
        StructType dataColumns,
        DataType sequence,
        Optional<DataType> systemSequence,
        List<String> tracked,
        List<Integer> partialColumns,
        boolean partialFields,
        Optional<QueryText> rowSequence,
        boolean remembersSequences) {
    /** Name prefix of key columns in state files. */
    static final String STATE_KEY = "k:";

    private static final String TRACKED = "tracked";
    private static final String ALL = "*";

    /** Copies the lists. */
    public ChangeSpec {
        keys = List.copyOf(keys);
        values = List.copyOf(values);
        tracked = List.copyOf(tracked);
        partialColumns = List.copyOf(partialColumns);
    }

    /**
     * Resolves a definition against its source and target.
     *
     * @param flow the definition
     * @param source columns of the flow's query
     * @param sequence type of SEQUENCE BY
     * @param systemSequence type of SYSTEM SEQUENCE BY, if the flow has one
     * @param target data columns of the existing or declared target, reserved columns left out; absent = from the source
     * @param mayAddColumns whether source columns that the target lacks are added to it
     * @throws io.tidemark.core.error.TidemarkException if a clause names what does not exist or types do not fit
     */
    public static ChangeSpec resolve(
            AutoCdcFlow flow,
            StructType source,
            DataType sequence,
            Optional<DataType> systemSequence,
            Optional<StructType> target,
            boolean mayAddColumns) {
        return new ChangeSpecResolver(flow, source, target, mayAddColumns).resolve(sequence, systemSequence);
    }

    /**
     * The definition of a flow whose target is written by snapshots, too. A row of a snapshot does not tell its sequence,
     * so sequences are remembered; and a snapshot's row must not undo what is remembered of partial events.
     *
     * @param others the other flows into the target
     * @param otherSequence the expression that tells the sequence of rows of another flow of events, if there is one
     */
    public ChangeSpec besideSnapshots(List<AutoCdcFlow> others, Optional<QueryText> otherSequence) {
        if (storedAs() != ScdType.SCD1 && !flow.isSnapshot()) {
            return this;
        }
        List<Integer> partial = new ArrayList<>(partialColumns);
        boolean fields = partialFields;
        if (flow.isSnapshot()) {
            for (AutoCdcFlow other : others) {
                ChangeSpecResolver.partial(other, values).stream()
                        .filter(column -> !partial.contains(column))
                        .forEach(partial::add);
                fields |= other.ignoreNullUpdates().isPresent();
            }
            partial.sort(null);
        }
        boolean typeOne = storedAs() == ScdType.SCD1;
        return new ChangeSpec(
                flow,
                sourceColumns,
                keys,
                values,
                dataColumns,
                sequence,
                systemSequence,
                tracked,
                partial,
                fields,
                typeOne ? rowSequence.or(() -> otherSequence) : rowSequence,
                typeOne);
    }

    /** The storage type. */
    public ScdType storedAs() {
        return flow.storedAs();
    }

    /** Whether events may leave columns alone. */
    boolean isPartial() {
        return !partialColumns.isEmpty();
    }

    /** Whether all value columns are tracked, so that the events of a run are equal in all of them. */
    boolean tracksEverything() {
        return tracked.size() == values.size();
    }

    /** The target's whole schema: data columns, then the reserved ones. */
    public StructType targetSchema() {
        List<StructField> fields = new ArrayList<>(dataColumns.fields());
        for (String reserved : ReservedColumns.of(storedAs())) {
            boolean system =
                    reserved.equals(ReservedColumns.SYSTEM_START_AT) || reserved.equals(ReservedColumns.SYSTEM_END_AT);
            fields.add(StructField.of(reserved, system ? systemSequence.orElseThrow() : sequence));
        }
        return new StructType(fields);
    }

    /** Engine SQL over the target's columns: rows of equal values are states of one row, see the change data feed. */
    public List<String> rowIdentity(Dialect dialect) {
        return ReservedColumns.identity(
                storedAs(), keys.stream().map(StructField::name).toList(), dialect);
    }

    /** Columns by which data files of the target are sorted: the keys, then the start of a version. */
    public List<String> sortColumns() {
        List<String> columns =
                new ArrayList<>(keys.stream().map(StructField::name).toList());
        if (storedAs() != ScdType.SCD1 && sequence.kind() != DataType.Kind.STRUCT) {
            columns.add(ReservedColumns.START_AT);
        }
        return columns;
    }

    /**
     * What must not change between updates without a full refresh. Under default tracking the tracked columns are
     * {@code *}, also if that is written, so that an added column is no change; {@code * EXCEPT (x)} is
     * {@code * except x}.
     */
    public Map<String, String> fingerprint() {
        Map<String, String> parts = new LinkedHashMap<>();
        parts.put(
                "keys",
                String.join(
                        ", ",
                        keys.stream()
                                .map(key -> key.name() + " " + key.type().sql())
                                .toList()));
        parts.put("storedAs", storedAs().sql());
        parts.put("sequence", sequence.sql());
        systemSequence.ifPresent(type -> parts.put("systemSequence", type.sql()));
        if (storedAs() != ScdType.SCD1) {
            parts.put(TRACKED, trackedText());
        }
        return parts;
    }

    /** A list stays a list, even of all columns: a column that is added later is not among them. */
    private String trackedText() {
        boolean listed = flow.trackHistory()
                .filter(list -> list.mode() == ColumnSelection.Mode.INCLUDE)
                .isPresent();
        if (listed) {
            return String.join(", ", tracked);
        }
        List<String> left = values.stream()
                .map(StructField::name)
                .filter(name -> !tracked.contains(name))
                .toList();
        return left.isEmpty() ? ALL : ALL + " except " + String.join(", ", left);
    }

    /**
     * The part of {@link #fingerprint} in which this flow no longer is what an earlier update stored.
     *
     * @param stored the stored fingerprint
     * @param existing columns of the table as that update left it
     */
    public Optional<String> differsFrom(Map<String, String> stored, StructType existing) {
        Map<String, String> now = fingerprint();
        return Stream.concat(now.keySet().stream(), stored.keySet().stream())
                .filter(part -> !Objects.equals(now.get(part), stored.get(part)))
                .filter(part -> !part.equals(TRACKED) || !tracksTheSame(stored.get(part), existing))
                .findFirst();
    }

    /** Earlier releases stored {@code *} and {@code * EXCEPT} as the list of columns that they meant at that time. */
    private boolean tracksTheSame(@Nullable String stored, StructType existing) {
        String now = trackedText();
        if (stored == null || stored.startsWith(ALL) || !now.startsWith(ALL)) {
            return false;
        }
        return stored.equals(tracked.stream().filter(existing::has).collect(Collectors.joining(", ")));
    }

    SequenceShape sequenceShape() {
        return new SequenceShape(sequence);
    }

    SequenceShape systemShape() {
        return new SequenceShape(systemSequence.orElseThrow());
    }

    /** The units of all partial columns, column after column. */
    List<ColumnUnit> units() {
        List<ColumnUnit> units = new ArrayList<>();
        for (int column : partialColumns) {
            DataType type = values.get(column).type();
            units.addAll(partialFields ? ColumnUnit.nested(column, type) : ColumnUnit.whole(column, type));
        }
        return units;
    }

    /** Indexes of the value columns that every event authors. */
    List<Integer> solidColumns() {
        List<Integer> solid = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            if (!partialColumns.contains(i)) {
                solid.add(i);
            }
        }
        return solid;
    }

    /**
     * Whether the target's rows tell the sequence of their last event: all columns that SEQUENCE BY reads are data
     * columns of the target, with the types of the source.
     */
    static boolean sequenceStandsInTarget(AutoCdcFlow flow, StructType source, StructType dataColumns) {
        List<StructField> read = source.fields().stream()
                .filter(field -> ExpressionColumns.mentions(flow.sequenceBy().sql(), field.name()))
                .toList();
        return !read.isEmpty()
                && read.stream()
                        .allMatch(field -> dataColumns
                                .field(field.name())
                                .filter(column -> column.type().equals(field.type()))
                                .isPresent());
    }

    /** Whether relations over the target's rows need a column {@link PlanInputs#SEQUENCE}. */
    public boolean needsTargetSequence() {
        return rowSequence.isPresent();
    }

    /** A SELECT in Spark SQL that adds {@link PlanInputs#SEQUENCE} to a relation over the target's rows. */
    public QueryText withTargetSequence(String relation) {
        QueryText expression = rowSequence.orElseThrow();
        return new QueryText(
                "SELECT *, (" + expression.sql() + "\n) AS " + PlanInputs.SEQUENCE + " FROM `" + relation + "`",
                expression.location());
    }

    /** Schema of the target's state files; unknown columns of older files read NULL. */
    public StructType stateSchema() {
        return StateColumns.schema(this);
    }

    /** The values of all value columns, rebuilt from solid columns {@code x<i>} and units {@code u<j>}. */
    List<String> rebuiltValues(Dialect dialect) {
        List<ColumnUnit> units = units();
        List<String> expressions = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            if (!partialColumns.contains(i)) {
                expressions.add("x" + i);
                continue;
            }
            List<String> parts = new ArrayList<>();
            for (int j = 0; j < units.size(); j++) {
                if (units.get(j).column() == i) {
                    parts.add("u" + j);
                }
            }
            expressions.add(ColumnUnit.rebuild(values.get(i).type(), parts, dialect));
        }
        return expressions;
    }

    /** Types that cannot be keys. */
    static boolean isKeyType(DataType type) {
        return type.kind() != DataType.Kind.MAP && type != ScalarType.VARIANT && type.isOrderable();
    }
}
