package io.tidemark.tests.change;

import io.tidemark.core.change.ChangePlan;
import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.EventStaging;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a flow's plans on an engine without any Delta table: target and state are relations of the engine, and each update
 * replaces them. What is left is the semantics alone.
 */
final class PlanRunner {
    private final Engine engine;
    private final Dialect dialect;
    private final AutoCdcFlow flow;
    private final StructType source;
    private final String name;
    private final ChangeSpec spec;
    private int updates;
    private String target;
    private @Nullable String state;
    private Optional<List<String>> truncation = Optional.empty();

    PlanRunner(Engine engine, String name, AutoCdcFlow flow, StructType source) {
        this.engine = engine;
        this.dialect = engine.dialect();
        this.flow = flow;
        this.source = source;
        this.name = name;
        engine.materialize(name + "_nothing", dialect.emptySelect(source), Optional.empty());
        DataType sequence = typeOf(flow.sequenceBy());
        Optional<DataType> system = flow.systemSequenceBy().map(this::typeOf);
        this.spec = ChangeSpec.resolve(flow, source, sequence, system, Optional.empty(), true);
        this.target = name + "_target";
        engine.materialize(target, dialect.emptySelect(withPositions(spec.targetSchema())), Optional.empty());
    }

    private DataType typeOf(QueryText expression) {
        String relation = name + "_nothing";
        return prepare(EventStaging.probe(expression, relation))
                .schema()
                .fields()
                .get(0)
                .type();
    }

    private PreparedQuery prepare(QueryText query) {
        return new PreparedQuery(query.sql(), engine.describe(query.sql()));
    }

    private static StructType withPositions(StructType schema) {
        List<StructField> fields = new ArrayList<>(schema.fields());
        fields.add(StructField.of(PlanInputs.FILE, ScalarType.LONG));
        fields.add(StructField.of(PlanInputs.ROW, ScalarType.LONG));
        return new StructType(fields);
    }

    ChangeSpec spec() {
        return spec;
    }

    /** The current target relation. */
    String target() {
        return target;
    }

    /** Applies the rows of engine SQL, in their order, as one update. */
    void update(String rowsSql) {
        int number = ++updates;
        String prefix = name + "_" + number + "_";
        String input = prefix + "input";
        engine.createView(input, rowsSql);
        EventStaging staging = new EventStaging(spec, dialect);
        String expressions = prepare(staging.expressions(input)).sql();
        String events = prefix + "events";
        engine.materialize(events, staging.events(expressions), Optional.of(EventStaging.ORDINAL));
        boolean newTruncation = readTruncation(staging, events);
        PlanInputs inputs = new PlanInputs(
                prefix,
                events,
                targetForPlan(prefix),
                Optional.ofNullable(state),
                Optional.empty(),
                truncation,
                newTruncation,
                number);
        ChangePlan plan = ChangePlan.compile(spec, dialect, inputs);
        plan.execute(engine);
        apply(plan, prefix, number);
        plan.drop(engine);
        engine.drop(events);
        engine.drop(input);
    }

    private boolean readTruncation(EventStaging staging, String events) {
        if (flow.truncateWhen().isEmpty()) {
            return false;
        }
        List<String> newest = new ArrayList<>();
        engine.stream(staging.newestTruncate(events, truncation), row -> {
            row.forEach(value -> newest.add((String) value));
            return true;
        });
        Optional<List<String>> now = newest.isEmpty() ? Optional.empty() : Optional.of(newest);
        boolean changed = !now.equals(truncation);
        truncation = now;
        return changed;
    }

    private String targetForPlan(String prefix) {
        if (!spec.needsTargetSequence()) {
            return target;
        }
        String view = prefix + "target_sequence";
        engine.createView(view, prepare(spec.withTargetSequence(target)).sql());
        return view;
    }

    private void apply(ChangePlan plan, String prefix, int number) {
        String columns = String.join(
                ", ", spec.targetSchema().names().stream().map(dialect::name).toList());
        String file = dialect.name(PlanInputs.FILE);
        String row = dialect.name(PlanInputs.ROW);
        String next = prefix + "target";
        engine.materialize(
                next,
                "SELECT " + columns + ", " + file + ", " + row + " FROM " + target
                        + " AS t LEFT JOIN (SELECT file, pos FROM "
                        + plan.deleted() + ") AS d ON t." + file + " = d.file AND t." + row
                        + " = d.pos WHERE d.file IS NULL UNION ALL SELECT " + columns + ", CAST(" + number
                        + " AS BIGINT) AS " + file + ", CAST(row_number() OVER (ORDER BY 1) AS BIGINT) AS " + row
                        + " FROM "
                        + plan.inserted(),
                Optional.empty());
        String run = dialect.name(PlanInputs.RUN);
        String remembered = prefix + "remembered_state";
        String before = state == null ? "" : "SELECT * FROM " + state + " UNION ALL ";
        engine.materialize(
                remembered,
                before + "SELECT *, CAST(" + number + " AS BIGINT) AS " + run + " FROM " + plan.state(),
                Optional.empty());
        engine.drop(target);
        if (state != null) {
            engine.drop(state);
        }
        target = next;
        state = remembered;
    }

    /** Reads the target's rows as lists of Java values in the order of its columns, sorted as text. */
    List<List<@Nullable Object>> rows() {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        String columns = String.join(
                ", ", spec.targetSchema().names().stream().map(dialect::name).toList());
        engine.stream("SELECT " + columns + " FROM " + target, values -> {
            rows.add(new ArrayList<>(values));
            return true;
        });
        return rows;
    }

    /** Schema of the source. */
    StructType source() {
        return source;
    }
}
