package io.tidemark.pipeline.update;

import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.EventStaging;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.change.ReservedColumns;
import io.tidemark.core.change.SnapshotStaging;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcFlow.Clause;
import io.tidemark.core.flow.CdcProperties;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.snapshot.SnapshotDifference;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.source.SourceFingerprint;
import io.tidemark.pipeline.state.FlowEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One change flow in one update: its sources, its resolved definition and, once staged, its events.
 */
final class ChangeFlowRun implements AutoCloseable {
    private static final int SAMPLE_ROWS_MAX = 5;

    private final Engine engine;
    private final AutoCdcFlow flow;
    private final FlowSources sources;
    private final String prefix;
    private final String input;
    private final ChangeSpec spec;
    private final Optional<SnapshotVersions.Found> snapshot;
    private final boolean besideSnapshots;
    private long events;
    private long dropped;

    private ChangeFlowRun(
            Engine engine,
            AutoCdcFlow flow,
            FlowSources sources,
            String prefix,
            String input,
            ChangeSpec spec,
            Optional<SnapshotVersions.Found> snapshot,
            boolean besideSnapshots) {
        this.engine = engine;
        this.flow = flow;
        this.sources = sources;
        this.prefix = prefix;
        this.input = input;
        this.spec = spec;
        this.snapshot = snapshot;
        this.besideSnapshots = besideSnapshots;
    }

    /**
     * What a flow's target is like.
     *
     * @param columns data columns of the existing or declared target
     * @param mayAddColumns whether new source columns are added to it
     * @param others the other flows into it
     * @param hasSnapshots whether any flow into it, now or before, reads snapshots
     */
    record Target(Optional<StructType> columns, boolean mayAddColumns, List<AutoCdcFlow> others, boolean hasSnapshots) {
        /** This target with other columns. */
        Target with(Optional<StructType> otherColumns, boolean mayAdd) {
            return new Target(otherColumns, mayAdd, others, hasSnapshots);
        }
    }

    /** Opens a flow of events: its sources, and its definition resolved against them. */
    static ChangeFlowRun open(UpdateContext context, AutoCdcFlow flow, FlowSources.Progress progress, Target target) {
        return open(context, flow, progress, target, Optional.empty());
    }

    /** Opens a flow of snapshots for one of them. */
    static ChangeFlowRun open(UpdateContext context, AutoCdcFlow flow, SnapshotVersions.Found snapshot, Target target) {
        return open(context, flow.reading(snapshot.query()), FlowSources.Progress.START, target, Optional.of(snapshot));
    }

    private static ChangeFlowRun open(
            UpdateContext context,
            AutoCdcFlow flow,
            FlowSources.Progress progress,
            Target target,
            Optional<SnapshotVersions.Found> snapshot) {
        Engine engine = context.engine();
        String prefix = context.freshPrefix();
        FlowSources sources = new FlowSources(context.sources(), progress, prefix + "source_");
        if (snapshot.isPresent()) {
            sources.readingFilesLater();
        }
        try {
            PreparedQuery query = sources.prepare(flow.query());
            String input = prefix + "input";
            engine.createView(input, query.sql());
            ChangeSpec spec = snapshot.isPresent()
                    ? resolve(flow, snapshot.get(), query, sources, target)
                    : resolve(engine, flow, input, query, sources, target.columns(), target.mayAddColumns());
            if (target.hasSnapshots()) {
                spec = spec.besideSnapshots(target.others(), rowSequence(engine, spec, target, prefix + "columns"));
            }
            return new ChangeFlowRun(engine, flow, sources, prefix, input, spec, snapshot, target.hasSnapshots());
        } catch (TidemarkException | FlowSources.NoFilesException e) {
            engine.drop(prefix + "input");
            sources.close();
            throw e;
        }
    }

    private static ChangeSpec resolve(
            AutoCdcFlow flow,
            SnapshotVersions.Found snapshot,
            PreparedQuery query,
            FlowSources sources,
            Target target) {
        if (sources.isStreaming()) {
            throw TidemarkException.of(
                            ErrorCode.SOURCE_NOT_BATCH, "the snapshot of flow " + flow.name() + " reads a stream")
                    .at(flow.place(Clause.FROM))
                    .hint("leave out STREAM: a snapshot is all rows of its source")
                    .build();
        }
        Optional<DataType> system =
                flow.storedAs() == ScdType.BITEMPORAL ? Optional.of(snapshot.type()) : Optional.empty();
        return ChangeSpec.resolve(
                flow, query.schema(), snapshot.type(), system, target.columns(), target.mayAddColumns());
    }

    /** The expression that tells the sequence of a row that another flow, one of events, has written. */
    private static Optional<QueryText> rowSequence(Engine engine, ChangeSpec spec, Target target, String relation) {
        if (!spec.flow().isSnapshot()
                || spec.storedAs() != ScdType.SCD1
                || target.columns().isEmpty()) {
            return Optional.empty();
        }
        engine.createView(
                relation, engine.dialect().emptySelect(target.columns().get()));
        try {
            return target.others().stream()
                    .map(AutoCdcFlow::sequenceBy)
                    .filter(expression -> isOfType(engine, expression, relation, spec.sequence()))
                    .findFirst();
        } finally {
            engine.drop(relation);
        }
    }

    private static boolean isOfType(Engine engine, QueryText expression, String relation, DataType type) {
        if (expression.sql().isBlank()) {
            return false;
        }
        try {
            return typeOf(engine, expression, relation).equals(type);
        } catch (TidemarkException e) {
            // The target lacks a column of the expression: then its rows do not tell their sequence.
            return false;
        }
    }

    /** Reports all faults of the clauses, not only the first. */
    private static ChangeSpec resolve(
            Engine engine,
            AutoCdcFlow flow,
            String input,
            PreparedQuery query,
            FlowSources sources,
            Optional<StructType> target,
            boolean mayAddColumns) {
        Faults faults = new Faults();
        faults.check(() -> SourceKind.check(
                flow,
                sources,
                () -> flow.place(Clause.FROM),
                () -> flow.place(Clause.FROM),
                "or load it once with AUTO CDC ONCE INTO"));
        Optional<DataType> sequence = faults.find(() -> typeOf(engine, flow.sequenceBy(), input));
        Optional<DataType> system =
                flow.systemSequenceBy().flatMap(expression -> faults.find(() -> typeOf(engine, expression, input)));
        flow.deleteWhen()
                .ifPresent(condition -> faults.check(() -> checkCondition(engine, "DELETE", condition, input)));
        flow.truncateWhen()
                .ifPresent(condition -> faults.check(() -> checkCondition(engine, "TRUNCATE", condition, input)));
        boolean typed = sequence.isPresent()
                && system.isPresent() == flow.systemSequenceBy().isPresent();
        // Without the sequence's type the other clauses can be checked all the same, as if it were a number.
        DataType first = sequence.orElse(ScalarType.LONG);
        Optional<DataType> second =
                typed ? system : flow.systemSequenceBy().map(expression -> system.orElse(ScalarType.LONG));
        Optional<ChangeSpec> spec =
                faults.find(() -> ChangeSpec.resolve(flow, query.schema(), first, second, target, mayAddColumns));
        faults.throwAny();
        return spec.orElseThrow();
    }

    /** The same definition over a target with other columns, to learn its columns. */
    ChangeSpec over(StructType target, boolean mayAddColumns) {
        return ChangeSpec.resolve(
                flow, spec.sourceColumns(), spec.sequence(), spec.systemSequence(), Optional.of(target), mayAddColumns);
    }

    private static void checkCondition(Engine engine, String what, QueryText condition, String input) {
        DataType type = typeOf(engine, condition, input);
        if (type != ScalarType.BOOLEAN && type != ScalarType.VOID) {
            throw TidemarkException.of(
                            ErrorCode.CONDITION_TYPE,
                            "the condition of APPLY AS " + what + " WHEN is " + type.sql() + " and not BOOLEAN")
                    .at(condition.location())
                    .hint("write a comparison, for example op = 'D'")
                    .build();
        }
    }

    private static DataType typeOf(Engine engine, QueryText expression, String input) {
        return engine.prepare(EventStaging.probe(expression, input), (parts, place) -> input)
                .schema()
                .fields()
                .get(0)
                .type();
    }

    AutoCdcFlow flow() {
        return flow;
    }

    ChangeSpec spec() {
        return spec;
    }

    FlowSources sources() {
        return sources;
    }

    /** Start of the names of this run's relations. */
    String prefix() {
        return prefix;
    }

    /** The snapshot that is read, of flows that read snapshots. */
    Optional<SnapshotVersions.Found> snapshot() {
        return snapshot;
    }

    /** How written rows are kept apart: snapshots are compared with current rows only, and skip the files of others. */
    List<String> separation() {
        return besideSnapshots ? ReservedColumns.separation(spec.storedAs(), engine.dialect()) : List.of();
    }

    /** What decides the rows of the snapshot. */
    SourceFingerprint fingerprint() {
        return sources.fingerprint(snapshot.orElseThrow().said());
    }

    /** The snapshot as the flow's entry remembers it; nothing if there was none. */
    Optional<FlowEntry.LastSnapshot> lastSnapshot() {
        return snapshot.filter(found -> found.version().isPresent())
                .map(found -> new FlowEntry.LastSnapshot(
                        found.type().sql(),
                        found.at().text(),
                        flow.snapshot().orElseThrow() instanceof SnapshotSource.Periodic
                                ? Optional.of(fingerprint().sha256())
                                : Optional.empty()));
    }

    /** Number of events of this update, or of rows of its snapshot. */
    long events() {
        return events;
    }

    /** Number of events that were dropped for a NULL key or sequence. */
    long dropped() {
        return dropped;
    }

    /**
     * Reads the sources into a relation of events.
     *
     * @param dropFaulty whether events without key or sequence are dropped instead of failing the update
     * @return the relation's name
     */
    String stage(boolean dropFaulty) {
        EventStaging staging = new EventStaging(spec, engine.dialect());
        String expressions = engine.prepare(staging.expressions(input), (parts, place) -> input)
                .sql();
        String staged = prefix + "staged";
        engine.materialize(staged, staging.events(expressions), Optional.of(EventStaging.ORDINAL));
        List<EventStaging.Fault> faults = staging.faults();
        List<Long> counts = Counts.count(
                engine,
                staged,
                faults.stream().map(EventStaging.Fault::condition).toList());
        events = counts.get(0);
        String kept = "TRUE";
        for (int i = 0; i < faults.size(); i++) {
            long count = counts.get(i + 1);
            if (count == 0) {
                continue;
            }
            if (!dropFaulty || !faults.get(i).mayDrop()) {
                throw faulty(staging, staged, faults.get(i), count);
            }
            kept += " AND NOT " + faults.get(i).condition();
        }
        String relation = prefix + "events";
        engine.createView(relation, "SELECT * FROM " + staged + " WHERE " + kept);
        dropped = kept.equals("TRUE") ? 0 : events - count(relation, "TRUE");
        return relation;
    }

    /**
     * Reads a snapshot, compares it with the target and stages what differs as events.
     *
     * @param target relation of the target's rows, of which those open as of the version count
     * @param dropFaulty whether rows without key are dropped instead of failing the update
     * @return the events
     */
    SnapshotEvents stageSnapshot(String target, boolean dropFaulty) {
        SnapshotStaging staging = new SnapshotStaging(
                spec, engine.dialect(), snapshot.orElseThrow().at());
        try (SnapshotDifference difference = new SnapshotDifference(
                engine,
                prefix,
                staging.snapshot(input),
                staging.current(target),
                spec.keys().stream().map(StructField::name).toList())) {
            sources.readFiles();
            events = difference.load();
            dropped = checkKeys(difference, dropFaulty);
            SnapshotDifference.Counts counts = difference.compare(difference.differs(), "FALSE");
            String relation = prefix + "events";
            engine.materialize(relation, staging.events(difference), Optional.of(EventStaging.ORDINAL));
            return new SnapshotEvents(relation, counts.isEmpty());
        }
    }

    private long checkKeys(SnapshotDifference difference, boolean dropFaulty) {
        String what = "the snapshot of flow " + flow.name() + " into table " + flow.target();
        try {
            return difference.checkKeys(
                    what, dropFaulty, ", or set the table property " + CdcProperties.ON_NULL + " to drop");
        } catch (TidemarkException e) {
            throw e.at(flow.place(Clause.KEYS));
        }
    }

    /**
     * The events of a snapshot.
     *
     * @param relation relation of the events
     * @param isEmpty whether there are none, because nothing differs
     */
    record SnapshotEvents(String relation, boolean isEmpty) {}

    private TidemarkException faulty(EventStaging staging, String staged, EventStaging.Fault fault, long count) {
        List<String> sample = new ArrayList<>();
        List<String> names =
                new ArrayList<>(spec.keys().stream().map(key -> key.name()).toList());
        names.add("sequence");
        spec.systemSequence().ifPresent(type -> names.add("system sequence"));
        engine.stream(
                "SELECT " + String.join(", ", staging.sampleColumns()) + " FROM " + staged + " WHERE "
                        + fault.condition(),
                row -> {
                    List<String> parts = new ArrayList<>();
                    for (int i = 0; i < names.size(); i++) {
                        parts.add(names.get(i) + " = " + row.get(i));
                    }
                    sample.add(String.join(", ", parts));
                    return sample.size() < SAMPLE_ROWS_MAX;
                });
        TidemarkException.Builder error = TidemarkException.of(
                        fault.code(),
                        count + (count == 1 ? " event" : " events") + " of flow " + flow.name() + " into table "
                                + flow.target() + " with " + fault.text())
                .at(flow.place(fault.clause()))
                .detail("Nothing was committed. For example:\n" + String.join("\n", sample));
        return fault.mayDrop()
                ? error.hint("correct the source, filter such rows in a view over it, or set the table property "
                                + CdcProperties.ON_NULL + " to drop")
                        .build()
                : error.hint("correct the source").build();
    }

    /** The target's relation as plans want it: with the sequence of each row where they need it. */
    String withSequence(String relation, String name) {
        if (!spec.needsTargetSequence()) {
            return relation;
        }
        String view = prefix + name;
        engine.createView(
                view,
                engine.prepare(spec.withTargetSequence(relation), (parts, place) -> relation)
                        .sql());
        return view;
    }

    /** The target's relation without rows that no event at the snapshot's version concerns. */
    String openRows(String relation) {
        SnapshotStaging staging = new SnapshotStaging(
                spec, engine.dialect(), snapshot.orElseThrow().at());
        String view = prefix + "open_rows";
        engine.createView(view, "SELECT * FROM " + relation + " WHERE " + staging.mayChange());
        return view;
    }

    /** Rows by other writers as plans want them. */
    Optional<PlanInputs.ManualRows> withSequence(Optional<PlanInputs.ManualRows> manual) {
        return manual.map(rows -> new PlanInputs.ManualRows(
                withSequence(rows.removed(), "removed_sequence"), withSequence(rows.added(), "added_sequence")));
    }

    /** The newest truncate after this update, as text per leaf. */
    Optional<List<String>> newestTruncate(String eventsRelation, Optional<List<String>> remembered) {
        if (flow.truncateWhen().isEmpty()) {
            return remembered;
        }
        List<String> leaves = new ArrayList<>();
        EventStaging staging = new EventStaging(spec, engine.dialect());
        engine.rows(staging.newestTruncate(eventsRelation, remembered)).stream()
                .limit(1)
                .forEach(row -> row.forEach(value -> leaves.add((String) value)));
        return leaves.isEmpty() ? remembered : Optional.of(leaves);
    }

    long count(String relation, String condition) {
        return Counts.count(engine, "SELECT count(*) AS n FROM " + relation + " WHERE " + condition);
    }

    @Override
    public void close() {
        engine.drop(
                List.of(
                                "events",
                                "staged",
                                "input",
                                "target_sequence",
                                "open_rows",
                                "removed_sequence",
                                "added_sequence")
                        .stream()
                        .map(name -> prefix + name)
                        .toList());
        sources.close();
    }
}
