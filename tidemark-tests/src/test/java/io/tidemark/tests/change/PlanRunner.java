package io.tidemark.tests.change;

import io.tidemark.core.change.ChangePlan;
import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.EventStaging;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.change.SnapshotStaging;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.core.type.DataType;
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
    private final String name;
    private final ChangeSpec spec;
    private final TargetRelation target;
    private int updates;
    private @Nullable String state;
    private Optional<List<String>> truncation = Optional.empty();

    PlanRunner(Engine engine, String name, AutoCdcFlow flow, StructType source) {
        this(engine, name, flow, source, Optional.empty());
    }

    /**
     * Runs a flow.
     *
     * @param version type of the versions of a flow of snapshots
     */
    PlanRunner(Engine engine, String name, AutoCdcFlow flow, StructType source, Optional<DataType> version) {
        this.engine = engine;
        this.dialect = engine.dialect();
        this.flow = flow;
        this.name = name;
        engine.materialize(name + "_nothing", dialect.emptySelect(source), Optional.empty());
        DataType sequence = version.orElseGet(() -> typeOf(flow.sequenceBy()));
        Optional<DataType> system = version.isPresent() && flow.storedAs() == ScdType.BITEMPORAL
                ? version
                : flow.systemSequenceBy().map(this::typeOf);
        this.spec = ChangeSpec.resolve(flow, source, sequence, system, Optional.empty(), true);
        this.target = new TargetRelation(engine, name + "_target", spec.targetSchema());
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
        return engine.prepare(query, (parts, location) -> parts.get(parts.size() - 1));
    }

    ChangeSpec spec() {
        return spec;
    }

    /** The target, for changes by hand. */
    TargetRelation target() {
        return target;
    }

    /**
     * Applies the rows of engine SQL, in their order, as one update.
     *
     * @throws TidemarkException if events have faults or the target's rows are not valid; nothing has changed then
     */
    void update(String rowsSql) {
        int number = ++updates;
        String prefix = name + "_" + number + "_";
        String input = prefix + "input";
        engine.createView(input, rowsSql);
        EventStaging staging = new EventStaging(spec, dialect);
        String expressions = prepare(staging.expressions(input)).sql();
        String events = prefix + "events";
        engine.materialize(events, staging.events(expressions), Optional.of(EventStaging.ORDINAL));
        refuseFaults(staging, events);
        boolean newTruncation = readTruncation(staging, events);
        apply(prefix, number, events, target.relation(), newTruncation, false);
        engine.drop(events);
        engine.drop(input);
    }

    /** Applies the rows of engine SQL as a whole snapshot; rows that have ended before are left out where plans allow it. */
    void snapshot(String rowsSql, SnapshotVersion version) {
        int number = ++updates;
        String prefix = name + "_" + number + "_";
        String input = prefix + "input";
        engine.createView(input, rowsSql);
        SnapshotStaging staging = new SnapshotStaging(spec, dialect, version);
        String events = prefix + "events";
        try (SnapshotDifference difference = new SnapshotDifference(
                engine,
                prefix,
                staging.snapshot(input),
                staging.current(target.relation()),
                spec.keys().stream().map(StructField::name).toList())) {
            difference.load();
            difference.checkKeys("the snapshot", false, "");
            difference.compare(difference.differs(), "FALSE");
            engine.materialize(events, staging.events(difference), Optional.of(EventStaging.ORDINAL));
        }
        boolean openOnly = spec.storedAs() == ScdType.SCD2;
        String open = prefix + "open";
        engine.createView(open, "SELECT * FROM " + target.relation() + " WHERE " + staging.mayChange());
        apply(prefix, number, events, open, false, openOnly);
        List.of(open, events, input).forEach(engine::drop);
    }

    private void apply(String prefix, int number, String events, String rows, boolean newTruncation, boolean openOnly) {
        PlanInputs inputs = new PlanInputs(
                prefix,
                events,
                withSequence(prefix + "target_sequence", rows),
                Optional.ofNullable(state),
                manualRows(prefix),
                number == 1 && !target.isChangedByHand(),
                truncation,
                newTruncation,
                number,
                openOnly);
        ChangePlan plan = ChangePlan.compile(spec, dialect, inputs);
        plan.execute(engine);
        target.apply(plan);
        remember(plan, prefix, number);
        plan.drop(engine);
        List.of("target_sequence", "removed_rows", "removed_sequence", "added_rows", "added_sequence")
                .forEach(relation -> engine.drop(prefix + relation));
    }

    private void refuseFaults(EventStaging staging, String events) {
        List<EventStaging.Fault> faults = staging.faults();
        List<String> counts = new ArrayList<>();
        for (int i = 0; i < faults.size(); i++) {
            counts.add("count(CASE WHEN " + faults.get(i).condition() + " THEN 1 END) AS n" + i);
        }
        engine.stream("SELECT " + String.join(", ", counts) + " FROM " + events, row -> {
            for (int i = 0; i < faults.size(); i++) {
                if (!Long.valueOf(0).equals(row.get(i))) {
                    EventStaging.Fault fault = faults.get(i);
                    throw TidemarkException.of(fault.code(), row.get(i) + " events with " + fault.text())
                            .build();
                }
            }
            return true;
        });
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

    private String withSequence(String view, String relation) {
        if (!spec.needsTargetSequence()) {
            return relation;
        }
        engine.createView(view, prepare(spec.withTargetSequence(relation)).sql());
        return view;
    }

    private Optional<PlanInputs.ManualRows> manualRows(String prefix) {
        if (!target.isChangedByHand()) {
            return Optional.empty();
        }
        engine.createView(prefix + "removed_rows", target.removedByHand());
        engine.createView(prefix + "added_rows", target.addedByHand());
        return Optional.of(new PlanInputs.ManualRows(
                withSequence(prefix + "removed_sequence", prefix + "removed_rows"),
                withSequence(prefix + "added_sequence", prefix + "added_rows")));
    }

    private void remember(ChangePlan plan, String prefix, int number) {
        String run = dialect.name(PlanInputs.RUN);
        String remembered = prefix + "remembered_state";
        String before = state == null ? "" : "SELECT * FROM " + state + " UNION ALL ";
        engine.materialize(
                remembered,
                before + "SELECT *, CAST(" + number + " AS BIGINT) AS " + run + " FROM " + plan.state(),
                Optional.empty());
        if (state != null) {
            engine.drop(state);
        }
        state = remembered;
    }

    /** Reads the target's rows as lists of Java values in the order of its columns. */
    List<List<@Nullable Object>> rows() {
        return target.rows();
    }

    /** How many records the state holds, those of older updates included. */
    long stateRecords() {
        List<Long> counts = new ArrayList<>();
        engine.stream("SELECT count(*) AS n FROM " + state, row -> counts.add((Long) row.get(0)));
        return counts.get(0);
    }

    /** Forgets all relations of this flow. */
    void close() {
        target.close();
        engine.drop(name + "_nothing");
        if (state != null) {
            engine.drop(state);
        }
    }
}
