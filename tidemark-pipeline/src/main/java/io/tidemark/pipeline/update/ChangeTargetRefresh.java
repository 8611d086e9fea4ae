package io.tidemark.pipeline.update;

import io.tidemark.core.change.ChangePlan;
import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.change.StateMerge;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.CdcProperties;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.ChangeImages;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.state.FlowEntry;
import io.tidemark.pipeline.state.Manifest;
import io.tidemark.pipeline.state.ProcessedFiles;
import io.tidemark.pipeline.state.RememberedEvents;
import io.tidemark.pipeline.state.StateFolder;
import io.tidemark.pipeline.state.TargetEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Rebuilds a target from the start of all its flows' sources, in one commit. The flows are folded one after the other
 * into a target and a state that exist in the engine only; then all old files go and the new ones come.
 */
final class ChangeTargetRefresh {
    private final UpdateContext context;
    private final StreamingTable definition;
    private final TableName name;
    private final Engine engine;

    ChangeTargetRefresh(UpdateContext context, StreamingTable definition) {
        this.context = context;
        this.definition = definition;
        this.name = definition.name();
        this.engine = context.engine();
    }

    /** Rebuilds the target. */
    List<FlowResult> run(List<AutoCdcFlow> flows) {
        return Attempts.run(() -> attempt(flows));
    }

    private Attempts.Attempt<List<FlowResult>> attempt(List<AutoCdcFlow> flows) {
        DeltaTable table = context.table(name);
        Snapshot snapshot = TargetTables.align(table, table.snapshot(), definition.table());
        TargetTables.checkResetAllowed(definition, snapshot);
        List<ChangeFlowRun> runs = new ArrayList<>();
        String prefix = context.freshPrefix();
        try {
            Optional<StructType> columns = TargetTables.declared(
                    definition.table(), Optional.of(flows.get(0).storedAs()));
            boolean mayAdd = columns.isEmpty();
            long startMicros = context.nowMicros();
            for (AutoCdcFlow flow : flows) {
                Optional<SnapshotVersions.Found> first =
                        flow.isSnapshot() ? firstSnapshot(flow, startMicros) : Optional.empty();
                ChangeFlowRun run = open(flow, flows, first, columns, mayAdd);
                runs.add(run);
                TargetTables.checkReserved(definition.table(), run.spec().targetSchema());
                columns = Optional.of(run.spec().dataColumns());
            }
            FlowAgreement.check(name, runs);
            SourceStart start = new SourceStart(context, snapshot);
            runs.forEach(run -> start.check(run.flow(), run.sources()));
            // Flows that came first know fewer columns than the last one: open them again with all columns.
            for (int i = 0; i < runs.size() - 1; i++) {
                runs.get(i).close();
                runs.set(i, open(flows.get(i), flows, runs.get(i).snapshot(), columns, false));
            }
            return rebuild(snapshot, flows, runs, prefix);
        } finally {
            runs.forEach(ChangeFlowRun::close);
        }
    }

    /** The first snapshot; if there is none, what is needed to know the columns all the same. */
    private Optional<SnapshotVersions.Found> firstSnapshot(AutoCdcFlow flow, long startMicros) {
        SnapshotVersions versions = new SnapshotVersions(context, flow);
        Optional<SnapshotVersions.Found> found = versions.next(Optional.empty(), startMicros);
        Optional<SnapshotVersions.Found> known = found.isPresent() ? found : versions.unknown(Optional.empty());
        if (known.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.COLUMNS_MISSING,
                            "flow " + flow.name() + " has no snapshot, so the columns of table " + name
                                    + " cannot be told")
                    .at(flow.location())
                    .hint("refresh the table when there is a snapshot")
                    .build();
        }
        return known;
    }

    private ChangeFlowRun open(
            AutoCdcFlow flow,
            List<AutoCdcFlow> flows,
            Optional<SnapshotVersions.Found> snapshot,
            Optional<StructType> columns,
            boolean mayAdd) {
        ChangeFlowRun.Target target = new ChangeFlowRun.Target(
                columns,
                mayAdd,
                flows.stream()
                        .filter(other -> !other.name().equalsIgnoreCase(flow.name()))
                        .toList(),
                flows.stream().anyMatch(AutoCdcFlow::isSnapshot));
        return snapshot.isPresent()
                ? ChangeFlowRun.open(context, flow, snapshot.get(), target)
                : ChangeFlowRun.open(context, flow, FlowSources.Progress.START, target);
    }

    private Attempts.Attempt<List<FlowResult>> rebuild(
            Snapshot snapshot, List<AutoCdcFlow> flows, List<ChangeFlowRun> runs, String prefix) {
        ChangeSpec spec = runs.get(runs.size() - 1).spec();
        FoldedTarget folded = new FoldedTarget(engine, spec, prefix);
        List<Read> read = new ArrayList<>();
        Map<String, String> properties = snapshot.properties();
        try {
            for (int i = 0; i < runs.size(); i++) {
                ChangeFlowRun run = runs.get(i);
                if (run.snapshot().isPresent()) {
                    read.add(applySnapshots(flows, runs, i, folded, properties));
                } else {
                    String events = run.stage(CdcProperties.dropsFaulty(properties));
                    folded.apply(run, events, context.nowMicros());
                    read.add(new Read(run.events(), run.dropped()));
                }
            }
            return commit(snapshot, runs, spec, folded, read);
        } finally {
            folded.drop();
        }
    }

    /**
     * What a flow read.
     *
     * @param rows number of rows
     * @param dropped how many of them were dropped
     */
    private record Read(long rows, long dropped) {}

    /** Applies the snapshots of a flow, first to last; afterwards its run is that of the last one. */
    private Read applySnapshots(
            List<AutoCdcFlow> flows,
            List<ChangeFlowRun> runs,
            int index,
            FoldedTarget folded,
            Map<String, String> properties) {
        AutoCdcFlow flow = flows.get(index);
        SnapshotVersions versions = new SnapshotVersions(context, flow);
        boolean single = flow.snapshot().orElseThrow() instanceof SnapshotSource.Periodic;
        long rows = 0;
        long dropped = 0;
        while (runs.get(index).snapshot().orElseThrow().version().isPresent()) {
            ChangeFlowRun run = runs.get(index);
            ChangeFlowRun.SnapshotEvents events =
                    run.stageSnapshot(folded.rows(), CdcProperties.dropsFaulty(properties));
            folded.apply(run, events.relation(), context.nowMicros());
            rows += run.events();
            dropped += run.dropped();
            SnapshotVersion last = run.snapshot().orElseThrow().at();
            Optional<SnapshotVersions.Found> next =
                    single ? Optional.empty() : versions.next(Optional.of(last), context.nowMicros());
            boolean old = next.isPresent() && !next.get().at().isAbove(last);
            if (next.isEmpty() || (old && CdcProperties.skipsOldVersions(properties))) {
                break;
            }
            if (old) {
                throw SnapshotVersions.outOfOrder(flow, next.get().at(), last);
            }
            run.close();
            runs.set(index, open(flow, flows, next, Optional.of(folded.columns()), false));
        }
        return new Read(rows, dropped);
    }

    private Attempts.Attempt<List<FlowResult>> commit(
            Snapshot snapshot, List<ChangeFlowRun> runs, ChangeSpec spec, FoldedTarget folded, List<Read> read) {
        StateFolder folder = StateFolder.of(context.warehouse().storage(), snapshot);
        Manifest manifest = writeState(snapshot, runs, spec, folded, folder);
        Transaction transaction = snapshot.begin("FULL REFRESH");
        StructType schema = TargetTables.withNotNull(spec.targetSchema(), definition.table());
        if (!schema.equals(snapshot.schema())) {
            transaction.setSchema(schema);
        }
        TableRows.removeAll(transaction, snapshot);
        EngineFiles.add(
                transaction,
                TableRows.write(
                        engine,
                        snapshot,
                        folded.rowsSql(),
                        schema,
                        spec.sortColumns(),
                        runs.get(0).separation(),
                        folded.prefix() + "all"));
        Map<String, Long> changes = stageChanges(snapshot, transaction, spec, schema, folded);
        // Flows of snapshots do not count what changes; of flows of events the first one does for all.
        int counting = 0;
        while (counting < runs.size() && runs.get(counting).snapshot().isPresent()) {
            counting++;
        }
        if (counting < runs.size()) {
            changes.forEach(transaction::metric);
        }
        transaction
                .parameter(
                        "flow",
                        String.join(
                                ", ",
                                runs.stream().map(run -> run.flow().name()).toList()))
                .parameter("storedAs", spec.storedAs().sql());
        TargetState state = new TargetState(
                snapshot,
                new TargetEntry(Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Map.of()),
                manifest,
                folder,
                snapshot,
                OptionalLong.empty());
        ChangeTargetUpdate.stageEntries(transaction, state, spec, manifest);
        stageFlows(transaction, snapshot, runs);
        CommitOutcome outcome = transaction.commit();
        if (outcome instanceof CommitOutcome.Rejected) {
            return Attempts.Attempt.lost(outcome);
        }
        OptionalLong version = OptionalLong.of(outcome.version());
        List<FlowResult> results = new ArrayList<>();
        for (int i = 0; i < runs.size(); i++) {
            ChangeFlowRun run = runs.get(i);
            results.add(new FlowResult(
                    run.flow().name(),
                    name.toString(),
                    FlowResult.Status.UPDATED,
                    read.get(i).rows(),
                    counts(
                            run.snapshot().isPresent() ? Map.of() : changes,
                            i == counting,
                            read.get(i).dropped()),
                    version,
                    0));
        }
        return Attempts.Attempt.done(results);
    }

    /** What the one commit did to the rows cannot be told flow by flow: the first flow reports it. */
    private static Map<String, Long> counts(Map<String, Long> changes, boolean first, long dropped) {
        Map<String, Long> counts = new LinkedHashMap<>();
        changes.forEach((name, count) -> counts.put(name, first ? count : 0L));
        if (dropped > 0) {
            counts.put(FlowResult.DROPPED_ROWS, dropped);
        }
        return counts;
    }

    /**
     * Compares the rows with the old ones. The change data feed shows those that the refresh really changed, not all.
     *
     * @return how many rows were inserted or changed, and how many are gone
     */
    private Map<String, Long> stageChanges(
            Snapshot snapshot, Transaction transaction, ChangeSpec spec, StructType schema, FoldedTarget folded) {
        boolean sameTypes = snapshot.schema().fields().stream()
                .allMatch(field -> schema.field(field.name())
                        .map(StructField::type)
                        .map(field.type()::equals)
                        .orElse(true));
        TableRows old = TableRows.register(engine, snapshot, schema, folded.prefix() + "old");
        try {
            if (!sameTypes) {
                return changes(
                        Counts.count(engine, "SELECT count(*) AS n FROM (" + folded.rowsSql() + ") AS r"),
                        Counts.count(engine, "SELECT count(*) AS n FROM " + old.relation()));
            }
            String columns = String.join(
                    ", ", schema.names().stream().map(engine.dialect()::name).toList());
            String relation = folded.keep(
                    "changes",
                    new ChangeImages(engine.dialect(), schema, spec.rowIdentity(engine.dialect()))
                            .difference("SELECT " + columns + " FROM " + old.relation(), folded.rowsSql()));
            boolean feed = TableRows.hasChangeFeed(snapshot);
            if (feed
                    && TableRows.stageChanges(engine, snapshot, transaction, "SELECT * FROM " + relation, schema)
                            .isEmpty()) {
                // Without files of changes readers would take all rows as deleted and inserted.
                transaction.rearrangesOnly();
            }
            return changes(
                    ofType(relation, ChangeImages.INSERT) + ofType(relation, ChangeImages.AFTER),
                    ofType(relation, ChangeImages.DELETE));
        } finally {
            old.drop();
        }
    }

    private long ofType(String relation, String type) {
        return Counts.count(
                engine,
                "SELECT count(*) AS n FROM " + relation + " WHERE "
                        + engine.dialect().name(ChangeImages.CHANGE_TYPE) + " = "
                        + engine.dialect().string(type));
    }

    private static Map<String, Long> changes(long upserted, long deleted) {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put(FlowResult.UPSERTED_ROWS, upserted);
        counts.put(FlowResult.DELETED_ROWS, deleted);
        return counts;
    }

    private Manifest writeState(
            Snapshot snapshot, List<ChangeFlowRun> runs, ChangeSpec spec, FoldedTarget folded, StateFolder folder) {
        folder.create();
        Manifest empty = Manifest.empty(StateFolder.freshId(), snapshot.tableId());
        RememberedEvents memory = new RememberedEvents(folder, engine, spec);
        RememberedEvents.Outcome outcome =
                memory.write(empty, folded.stateRelation(), folded.prefix(), StateMerge.Horizon.NONE);
        Map<String, List<Manifest.StateFile>> processed = new LinkedHashMap<>();
        for (ChangeFlowRun run : runs) {
            if (!run.sources().newFiles().isEmpty()) {
                processed.put(
                        ProcessedFiles.key(run.flow().name()),
                        new ProcessedFiles(folder, engine)
                                .write(empty, run.flow().name(), run.sources().newFiles(), run.prefix()));
            }
        }
        Manifest manifest = new Manifest(
                empty.id(), snapshot.tableId(), folded.truncation(), Optional.empty(), outcome.files(), processed);
        folder.write(manifest, Optional.empty());
        return manifest;
    }

    private void stageFlows(Transaction transaction, Snapshot snapshot, List<ChangeFlowRun> runs) {
        List<String> kept = new ArrayList<>();
        for (ChangeFlowRun run : runs) {
            String domain = FlowEntry.domain(run.flow().name());
            kept.add(domain);
            long updates = snapshot.domain(domain)
                    .map(json -> FlowEntry.parse(run.flow().name(), json).updates())
                    .orElse(0L);
            FlowEntry entry = new FlowEntry(
                    context.options().pipelineId(),
                    snapshot.tableId(),
                    updates + 1,
                    run.flow().once() ? Optional.of(OnceFlows.fingerprint(run.flow())) : Optional.empty(),
                    run.sources().positions(),
                    run.lastSnapshot());
            transaction.setDomain(domain, entry.json());
            transaction.setTransaction(
                    OnceFlows.applicationId(
                            context.options().pipelineId(), run.flow().name()),
                    updates + 1);
        }
        for (String domain : snapshot.domains().keySet()) {
            if (domain.startsWith(FlowEntry.DOMAIN_PREFIX) && !kept.contains(domain)) {
                transaction.removeDomain(domain);
            }
        }
    }

    /** A target and its state in the engine. */
    private static final class FoldedTarget {
        private final Engine engine;
        private final ChangeSpec spec;
        private final String prefix;
        private final List<String> made = new ArrayList<>();
        private int applied;
        private String rows;
        private String state = "";
        private Optional<List<String>> truncation = Optional.empty();

        FoldedTarget(Engine engine, ChangeSpec spec, String prefix) {
            this.engine = engine;
            this.spec = spec;
            this.prefix = prefix;
            List<StructField> fields = new ArrayList<>(spec.targetSchema().fields());
            fields.add(StructField.of(PlanInputs.FILE, ScalarType.LONG));
            fields.add(StructField.of(PlanInputs.ROW, ScalarType.LONG));
            this.rows = keep("rows", engine.dialect().emptySelect(new StructType(fields)));
        }

        String prefix() {
            return prefix;
        }

        /** The relation of the rows so far. */
        String rows() {
            return rows;
        }

        /** The data columns. */
        StructType columns() {
            return spec.dataColumns();
        }

        Optional<List<String>> truncation() {
            return truncation;
        }

        /** Applies the events of one flow. */
        void apply(ChangeFlowRun run, String events, long nowMicros) {
            Optional<List<String>> newest = run.newestTruncate(events, truncation);
            PlanInputs inputs = new PlanInputs(
                    run.prefix(),
                    events,
                    run.withSequence(rows, "target_sequence"),
                    state.isEmpty() ? Optional.empty() : Optional.of(state),
                    Optional.empty(),
                    applied++ == 0,
                    newest,
                    !newest.equals(truncation),
                    nowMicros);
            ChangePlan plan = ChangePlan.compile(run.spec(), engine.dialect(), inputs);
            try {
                plan.execute(engine);
                take(run, plan);
                truncation = newest;
            } finally {
                plan.drop(engine);
            }
        }

        private void take(ChangeFlowRun run, ChangePlan plan) {
            String columns = columnList();
            String file = engine.dialect().name(PlanInputs.FILE);
            String row = engine.dialect().name(PlanInputs.ROW);
            String big = engine.dialect().type(ScalarType.LONG);
            int number = made.size();
            String next = keep(
                    run.prefix() + "rows",
                    "SELECT " + columns + ", " + file + ", " + row + " FROM " + rows
                            + " AS t LEFT JOIN (SELECT file, pos FROM " + plan.deleted() + ") AS d ON t." + file
                            + " = d.file AND t." + row + " = d.pos WHERE d.file IS NULL UNION ALL SELECT " + columns
                            + ", CAST(" + number + " AS " + big + ") AS " + file
                            + ", CAST(row_number() OVER (ORDER BY 1) AS " + big + ") AS " + row + " FROM "
                            + plan.inserted());
            String runColumn = engine.dialect().name(PlanInputs.RUN);
            String before = state.isEmpty() ? "" : "SELECT * FROM " + state + " UNION ALL ";
            state = keep(
                    run.prefix() + "state",
                    before + "SELECT *, CAST(" + number + " AS " + big + ") AS " + runColumn + " FROM " + plan.state());
            rows = next;
        }

        /** All rows, to be written. */
        String rowsSql() {
            return "SELECT " + columnList() + " FROM " + rows;
        }

        /** What must be remembered, without the numbers of runs: of each key the newest records. */
        String stateRelation() {
            String columns = String.join(
                    ", ",
                    spec.stateSchema().names().stream()
                            .map(engine.dialect()::name)
                            .toList());
            String merged = new StateMerge(spec, engine.dialect())
                    .merged(List.of("SELECT * FROM " + state), true, StateMerge.Horizon.NONE);
            return keep("state_merged", "SELECT " + columns + " FROM (" + merged + ") AS m");
        }

        private String columnList() {
            return String.join(
                    ", ",
                    spec.targetSchema().names().stream()
                            .map(engine.dialect()::name)
                            .toList());
        }

        private String keep(String suffix, String sql) {
            String relation = prefix + suffix;
            engine.materialize(relation, sql, Optional.empty());
            made.add(relation);
            return relation;
        }

        void drop() {
            made.forEach(engine::drop);
        }
    }
}
