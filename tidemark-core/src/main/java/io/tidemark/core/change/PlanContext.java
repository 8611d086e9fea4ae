package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the plans of all storage types share: names of columns and relations, and the relations of touched keys, their
 * existing rows and their remembered events.
 */
final class PlanContext {
    /** A BIGINT in place of a key, see {@link #numberKeys}. */
    static final String KEY_NUMBER = "kid";

    final ChangeSpec spec;
    final Dialect dialect;
    final PlanInputs inputs;
    final List<ChangePlan.Step> steps = new ArrayList<>();
    /** Whether touched keys, and with them existing rows and remembered events, bear a number in {@link #KEY_NUMBER}. */
    private boolean keysNumbered;

    /** Internal names: keys, columns that every event authors, units and masks, sequence leaves. */
    final List<String> keys;

    final List<String> solids;
    final List<String> units;
    final List<String> masks;
    final List<String> sequence;
    /** Internal names of all value columns, {@code x0 …}. */
    final List<String> values;
    /** Internal names of the periods of a history. */
    final PeriodColumns periods;

    PlanContext(ChangeSpec spec, Dialect dialect, PlanInputs inputs) {
        this.spec = spec;
        this.dialect = dialect;
        this.inputs = inputs;
        this.keys = Sql.numbered("k", spec.keys().size());
        this.solids = spec.solidColumns().stream().map(i -> "x" + i).toList();
        this.units = Sql.numbered("u", spec.units().size());
        this.masks = Sql.numbered("m", spec.units().size());
        this.sequence = Sql.numbered("s", spec.sequenceShape().leafCount());
        this.values = Sql.numbered("x", spec.values().size());
        this.periods = new PeriodColumns(this);
    }

    /** The full name of one of this plan's relations. */
    String relation(String name) {
        return inputs.prefix() + name;
    }

    /** Adds a step that keeps rows, and returns the relation's name. */
    String materialize(String name, String sql) {
        steps.add(new ChangePlan.Materialize(relation(name), sql, Optional.empty()));
        return relation(name);
    }

    /** Adds a step that keeps rows and numbers them in a further column. */
    String materialize(String name, String sql, String ordinal) {
        steps.add(new ChangePlan.Materialize(relation(name), sql, Optional.of(ordinal)));
        return relation(name);
    }

    /** Adds a step that names SQL, and returns the relation's name. */
    String view(String name, String sql) {
        steps.add(new ChangePlan.View(relation(name), sql));
        return relation(name);
    }

    /** Adds a step that fails if the target's own rows contradict each other. */
    void checkTarget(String sql, String problem) {
        steps.add(new ChangePlan.Check(
                sql,
                ErrorCode.TARGET_ROWS_INVALID,
                "table " + spec.flow().target() + " has rows of one key " + problem,
                "another writer left them: correct these rows, or rebuild the table with --full-refresh="
                        + spec.flow().target()));
    }

    /** Key columns of the target under their internal names. */
    List<String> targetKeys(String alias) {
        return spec.keys().stream().map(key -> column(alias, key.name())).toList();
    }

    /** Value columns of the target. */
    List<String> targetValues(String alias) {
        return spec.values().stream().map(field -> column(alias, field.name())).toList();
    }

    String column(String alias, String name) {
        return alias + "." + dialect.name(name);
    }

    /** {@code x<i>} of solid columns and {@code u<j>} of units, taken from whole value columns {@code x<i>}. */
    List<String> partsOfValues(String alias) {
        List<String> parts = new ArrayList<>(Sql.of(alias, solids));
        List<ColumnUnit> all = spec.units();
        for (int j = 0; j < all.size(); j++) {
            parts.add(all.get(j).extract(alias + ".x" + all.get(j).column(), dialect) + " AS u" + j);
        }
        return parts;
    }

    /** Expressions that compare and group like the value columns of an alias, for the given columns by name. */
    List<String> comparable(String alias, List<String> names) {
        List<String> expressions = new ArrayList<>();
        for (int i = 0; i < spec.values().size(); i++) {
            StructField field = spec.values().get(i);
            if (names.contains(field.name())) {
                expressions.add(dialect.comparable(alias + ".x" + i, field.type()));
            }
        }
        return expressions;
    }

    /** All value columns of an alias in comparable form. */
    List<String> comparable(String alias) {
        return comparable(alias, spec.values().stream().map(StructField::name).toList());
    }

    /** NULLs for sequence leaves. */
    List<String> nullLeaves(SequenceShape shape) {
        return shape.leafTypes().stream().map(dialect::nullOf).toList();
    }

    /** The truncate's sequence, or an empty list if the target never saw one. */
    List<String> truncation() {
        return inputs.truncation()
                .map(texts -> new EventStaging(spec, dialect).literals(texts))
                .orElse(List.of());
    }

    /** A condition on sequence columns: not wiped by the newest truncate. */
    String survives(List<String> leaves) {
        List<String> truncation = truncation();
        return truncation.isEmpty() ? "TRUE" : "NOT " + Sql.less(leaves, truncation);
    }

    /** From now on touched keys are numbered, and their existing rows and remembered events tell the numbers. */
    void numberKeys() {
        keysNumbered = true;
    }

    private List<String> keyNumber(String alias) {
        return keysNumbered ? List.of(alias + "." + KEY_NUMBER) : List.of();
    }

    /**
     * The keys of this update: those of its events and of rows that others changed. With partial updates a new truncate
     * also touches the keys that remember older events: single columns of their rows may be wiped.
     */
    String touched() {
        StringBuilder sql = new StringBuilder("SELECT ")
                .append(Sql.list(keys))
                .append(" FROM ")
                .append(inputs.events())
                .append(" WHERE op <> ")
                .append(EventStaging.TRUNCATE);
        inputs.manual().ifPresent(manual -> {
            for (String relation : List.of(manual.removed(), manual.added())) {
                sql.append(" UNION ALL SELECT ")
                        .append(Sql.list(Sql.as(targetKeys("t"), keys)))
                        .append(" FROM ")
                        .append(relation)
                        .append(" AS t WHERE NOT ")
                        .append(Sql.anyNull(targetKeys("t")));
            }
        });
        if (inputs.newTruncation() && spec.isPartial() && inputs.state().isPresent()) {
            List<String> columns = stateColumns();
            List<String> leaves = columns.subList(keys.size(), keys.size() + sequence.size());
            sql.append(" UNION ALL SELECT ")
                    .append(Sql.list(Sql.as(columns.subList(0, keys.size()), keys)))
                    .append(" FROM ")
                    .append(inputs.state().get())
                    .append(" AS h WHERE NOT ")
                    .append(survives(leaves));
        }
        String distinct = "SELECT DISTINCT " + Sql.list(keys) + " FROM (" + sql + ") AS q";
        return keysNumbered ? materialize("touched", distinct, KEY_NUMBER) : materialize("touched", distinct);
    }

    /** Target rows in internal columns: keys, values, the given further columns, {@code file} and {@code pos}. */
    String targetRows(String relation, List<String> further, boolean positions) {
        List<String> where = positions ? places() : List.of();
        return "SELECT "
                + Sql.lists(Sql.as(targetKeys("t"), keys), Sql.as(targetValues("t"), values), further, where)
                + " FROM " + relation + " AS t";
    }

    /** Leaves of a reserved column of the target under the given prefix. */
    List<String> reservedLeaves(String column, SequenceShape shape, String prefix) {
        List<String> leaves = shape.split(column("t", column), dialect);
        return Sql.as(leaves, Sql.numbered(prefix, leaves.size()));
    }

    /** Keeps the existing rows of touched keys. */
    String existingRows(String touched, List<String> further) {
        return ofTouchedKeys(touched, targetRows(inputs.target(), further, true));
    }

    /** Keeps where the existing rows of touched keys stand, with the given further columns but without their values. */
    String existingPlaces(String touched, List<String> further) {
        return ofTouchedKeys(
                touched,
                "SELECT " + Sql.lists(Sql.as(targetKeys("t"), keys), further, places()) + " FROM " + inputs.target()
                        + " AS t");
    }

    private String ofTouchedKeys(String touched, String rows) {
        return materialize(
                "existing",
                "SELECT " + Sql.lists(List.of("p.*"), keyNumber("u")) + " FROM (" + rows + ") AS p JOIN " + touched
                        + " AS u ON " + Sql.equal(Sql.of("p", keys), Sql.of("u", keys)));
    }

    private List<String> places() {
        return List.of(
                "t." + dialect.name(PlanInputs.FILE) + " AS file", "t." + dialect.name(PlanInputs.ROW) + " AS pos");
    }

    /**
     * Keeps the remembered events of touched keys: of each key what the newest state file says. Markers of forgotten
     * keys are among them.
     */
    String remembered(String touched) {
        List<String> columns = stateColumns();
        List<String> names = stateNames();
        if (inputs.state().isEmpty()) {
            List<String> nulls = new ArrayList<>();
            List<StructField> fields = StateColumns.schema(spec).fields();
            for (int i = 0; i < fields.size(); i++) {
                nulls.add(dialect.nullOf(fields.get(i).type()) + " AS " + names.get(i));
            }
            if (keysNumbered) {
                nulls.add(dialect.nullOf(ScalarType.LONG) + " AS " + KEY_NUMBER);
            }
            return materialize("remembered", "SELECT " + Sql.list(nulls) + " WHERE 1 = 0");
        }
        List<String> stateKeys = columns.subList(0, keys.size());
        String run = "h." + dialect.name(PlanInputs.RUN);
        List<String> own = new ArrayList<>(Sql.as(columns, names));
        own.addAll(keyNumber("u"));
        if (keysNumbered) {
            names = new ArrayList<>(names);
            names.add(KEY_NUMBER);
        }
        String mine = "SELECT " + Sql.list(own) + ", " + run + " AS run, max(" + run
                + ") OVER (PARTITION BY " + Sql.list(stateKeys) + ") AS newest_run FROM "
                + inputs.state().get() + " AS h JOIN " + touched + " AS u ON "
                + Sql.equal(stateKeys, Sql.of("u", keys));
        return materialize(
                "remembered", "SELECT " + Sql.list(names) + " FROM (" + mine + ") AS q WHERE run = newest_run");
    }

    /** The greatest remembered upsert of every key of the target: a scan of the whole state, for truncates. */
    String latestSequences() {
        if (inputs.state().isEmpty()) {
            List<String> nulls = new ArrayList<>();
            for (int i = 0; i < keys.size(); i++) {
                nulls.add(dialect.nullOf(spec.keys().get(i).type()) + " AS " + keys.get(i));
            }
            nulls.addAll(Sql.as(nullLeaves(spec.sequenceShape()), sequence));
            return "SELECT " + Sql.list(nulls) + " WHERE 1 = 0";
        }
        List<String> columns = stateColumns();
        List<String> names = stateNames();
        String run = "h." + dialect.name(PlanInputs.RUN);
        String newest = "SELECT " + Sql.list(Sql.as(columns, names)) + ", " + run + " AS run, max(" + run
                + ") OVER (PARTITION BY " + Sql.list(columns.subList(0, keys.size())) + ") AS newest_run FROM "
                + inputs.state().get() + " AS h";
        String ranked = "SELECT " + Sql.lists(keys, sequence) + ", row_number() OVER (PARTITION BY " + Sql.list(keys)
                + " ORDER BY " + Sql.descending(sequence) + ") AS rn FROM (" + newest
                + ") AS q WHERE run = newest_run AND kind = " + StateColumns.UPSERT;
        return "SELECT " + Sql.lists(keys, sequence) + " FROM (" + ranked + ") AS z WHERE rn = 1";
    }

    /** Columns of the state relation {@code h}. */
    private List<String> stateColumns() {
        return StateColumns.schema(spec).fields().stream()
                .map(field -> column("h", field.name()))
                .toList();
    }

    /** Internal names of the state's columns, in the order of its schema. */
    List<String> stateNames() {
        List<String> names = new ArrayList<>(keys);
        names.addAll(sequence);
        if (spec.storedAs() == ScdType.SCD2) {
            names.addAll(Sql.numbered("r", sequence.size()));
        }
        if (spec.storedAs() == ScdType.BITEMPORAL) {
            names.addAll(periods.system);
            names.add(StateColumns.IN_ROW);
        }
        names.addAll(List.of(StateColumns.KIND, StateColumns.RESET, StateColumns.ARRIVED));
        if (StateColumns.holdsValues(spec)) {
            names.addAll(solids);
        }
        for (int j = 0; j < units.size(); j++) {
            if (spec.storedAs() != ScdType.SCD1) {
                names.add(units.get(j));
            }
            names.add(masks.get(j));
        }
        return names;
    }

    /** Names the outcome's state relation: internal columns under the names of the state's schema. */
    String stateOutput(String sql) {
        return stateOutput("state", sql);
    }

    String stateOutput(String name, String sql) {
        List<StructField> fields = StateColumns.schema(spec).fields();
        List<String> names = stateNames();
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            columns.add("CAST(q." + names.get(i) + " AS "
                    + dialect.type(fields.get(i).type()) + ") AS "
                    + dialect.name(fields.get(i).name()));
        }
        return view(name, "SELECT " + Sql.list(columns) + " FROM (" + sql + ") AS q");
    }

    /** A record that says that nothing is remembered of a key any more, with the given keys. */
    String forgottenRecord(String keysSql) {
        List<StructField> fields = StateColumns.schema(spec).fields();
        List<String> names = stateNames();
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            String name = names.get(i);
            if (i < keys.size()) {
                columns.add("n." + name);
            } else if (name.equals(StateColumns.KIND)) {
                columns.add(StateColumns.NOTHING + " AS " + name);
            } else if (name.equals(StateColumns.ARRIVED)) {
                columns.add(arrived() + " AS " + name);
            } else {
                columns.add(dialect.nullOf(fields.get(i).type()) + " AS " + name);
            }
        }
        return "SELECT " + Sql.list(columns) + " FROM (" + keysSql + ") AS n";
    }

    /**
     * All records to remember: those of a fold, and a marker for each key that had records and has none any more.
     *
     * @param records relation with the state's internal columns
     * @param remembered the remembered events before
     */
    String stateOf(String records, String remembered) {
        String gone = "SELECT DISTINCT " + Sql.list(Sql.of("h", keys)) + " FROM " + remembered
                + " AS h LEFT JOIN (SELECT DISTINCT " + Sql.list(keys) + ", 1 AS there FROM " + records
                + ") AS n ON " + Sql.equal(Sql.of("h", keys), Sql.of("n", keys))
                + " WHERE n.there IS NULL AND h." + StateColumns.KIND + " <> " + StateColumns.NOTHING;
        return stateOutput(
                "SELECT " + Sql.list(stateNames()) + " FROM " + records + " UNION ALL " + forgottenRecord(gone));
    }

    /** The arrival time as a BIGINT literal. */
    String arrived() {
        return "CAST(" + inputs.arrivedMicros() + " AS " + dialect.type(ScalarType.LONG) + ")";
    }

    /** Names the outcome's relation of rows to add, from internal key and value columns and further expressions. */
    String insertedOutput(String sql, List<String> reserved) {
        return insertedOutput("inserted", sql, reserved);
    }

    String insertedOutput(String name, String sql, List<String> reserved) {
        List<String> columns = new ArrayList<>();
        for (StructField field : spec.dataColumns().fields()) {
            columns.add("CAST(q." + internalName(field.name()) + " AS " + dialect.type(field.type()) + ") AS "
                    + dialect.name(field.name()));
        }
        columns.addAll(reserved);
        return view(name, "SELECT " + Sql.list(columns) + " FROM (" + sql + ") AS q");
    }

    private String internalName(String column) {
        for (int i = 0; i < spec.keys().size(); i++) {
            if (spec.keys().get(i).name().equalsIgnoreCase(column)) {
                return "k" + i;
            }
        }
        for (int i = 0; i < spec.values().size(); i++) {
            if (spec.values().get(i).name().equalsIgnoreCase(column)) {
                return "x" + i;
            }
        }
        throw TidemarkException.of(ErrorCode.INTERNAL, "column " + column + " is neither key nor value")
                .build();
    }

    /** A reserved column put together from its leaves. */
    String reservedColumn(String name, SequenceShape shape, String leafPrefix) {
        List<String> leaves = Sql.of("q", Sql.numbered(leafPrefix, shape.leafCount()));
        return "CAST(" + shape.join(leaves, dialect) + " AS " + dialect.type(shape.type()) + ") AS "
                + dialect.name(name);
    }

    /** Types of the sequence leaves. */
    List<DataType> leafTypes() {
        return spec.sequenceShape().leafTypes();
    }
}
