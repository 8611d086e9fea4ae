package io.tidemark.pipeline.update;

import io.tidemark.core.change.ChangePlan;
import io.tidemark.core.change.ChangeSpec;
import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.change.ReservedColumns;
import io.tidemark.core.change.StateMerge;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.CdcProperties;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.snapshot.SnapshotVersion;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.state.FlowEntry;
import io.tidemark.pipeline.state.Manifest;
import io.tidemark.pipeline.state.ProcessedFiles;
import io.tidemark.pipeline.state.RememberedEvents;
import io.tidemark.pipeline.state.StateFolder;
import io.tidemark.pipeline.state.TargetEntry;
import io.tidemark.pipeline.target.ForeignCommits;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/** Updates a target by its change flows, one commit for each flow that has something new. */
final class ChangeTargetUpdate {
    /** Crash point: events are staged. */
    static final String AFTER_STAGING = "pipeline.after-staging";
    /** Crash point: the plan has run, nothing is written. */
    static final String AFTER_PLAN = "pipeline.after-plan";
    /** Crash point: remembered events are written. */
    static final String AFTER_STATE_FILES = "pipeline.after-state-files";
    /** Crash point: data files are written. */
    static final String AFTER_DATA_FILES = "pipeline.after-data-files";
    /** Crash point: the commit is done, nobody was told. */
    static final String AFTER_COMMIT = "pipeline.after-commit";

    private final UpdateContext context;
    private final StreamingTable definition;
    private final List<AutoCdcFlow> flows;
    private final TableName name;
    private final Engine engine;

    ChangeTargetUpdate(UpdateContext context, StreamingTable definition, List<AutoCdcFlow> flows) {
        this.context = context;
        this.definition = definition;
        this.flows = flows;
        this.name = definition.name();
        this.engine = context.engine();
    }

    /** Updates the target by one flow, or by its next snapshot; loses and repeats if other writers come between. */
    FlowResult run(AutoCdcFlow flow) {
        int[] attempts = new int[1];
        long start = context.nowMicros();
        return Attempts.run(() -> attempt(flow, attempts[0]++ > 0, start));
    }

    private Attempts.Attempt<FlowResult> attempt(AutoCdcFlow flow, boolean again, long startMicros) {
        DeltaTable table = context.table(name);
        Optional<Snapshot> existing =
                context.latest(name).map(snapshot -> TargetTables.align(table, snapshot, definition.table()));
        Optional<TargetState> before =
                existing.map(snapshot -> TargetState.read(context, definition, table, snapshot, true));
        Optional<FlowEntry> entry =
                before.flatMap(state -> state.flow(flow, context.options().pipelineId()));
        if (flow.once() && entry.flatMap(FlowEntry::onceText).isPresent()) {
            OnceFlows.warnIfChanged(context, flow, entry.get());
            return Attempts.Attempt.done(result(flow, FlowResult.Status.SKIPPED, 0, Map.of(), OptionalLong.empty()));
        }
        warnIfRenamed(flow, before, entry);
        if (flow.isSnapshot()) {
            return attempt(flow, table, existing, before, entry, again, startMicros);
        }
        try (ChangeFlowRun run =
                ChangeFlowRun.open(context, flow, progress(flow, before, entry), target(flow, existing, before))) {
            TargetTables.checkReserved(definition.table(), run.spec().targetSchema());
            before.ifPresent(state -> FlowAgreement.checkUnchanged(flow, run.spec(), state));
            if (before.isPresent() && !run.sources().hasNewInput() && !flow.once()) {
                return nothingNew(flow, again);
            }
            // Staged before a table is made, so that faulty events leave no empty table behind.
            String events = run.stage(CdcProperties.dropsFaulty(
                    existing.map(Snapshot::properties).orElse(definition.table().properties())));
            TargetState state = before.orElseGet(() -> created(table, run.spec()));
            if (before.isEmpty() && isUsed(state)) {
                return attempt(flow, true, startMicros);
            }
            return update(table, state, entry, run, events);
        } catch (FlowSources.NoFilesException e) {
            return Attempts.Attempt.done(result(flow, FlowResult.Status.UNCHANGED, 0, Map.of(), OptionalLong.empty()));
        }
    }

    private Attempts.Attempt<FlowResult> nothingNew(AutoCdcFlow flow, boolean again) {
        FlowResult.Status status = again ? FlowResult.Status.ALREADY_APPLIED : FlowResult.Status.UNCHANGED;
        return Attempts.Attempt.done(result(flow, status, 0, Map.of(), OptionalLong.empty()));
    }

    private Attempts.Attempt<FlowResult> attempt(
            AutoCdcFlow flow,
            DeltaTable table,
            Optional<Snapshot> existing,
            Optional<TargetState> before,
            Optional<FlowEntry> entry,
            boolean again,
            long startMicros) {
        Optional<SnapshotVersion> last = SnapshotVersions.last(entry);
        Optional<SnapshotVersions.Found> found = new SnapshotVersions(context, flow).next(last, startMicros);
        if (found.isEmpty()) {
            return nothingNew(flow, again);
        }
        try (ChangeFlowRun run = ChangeFlowRun.open(context, flow, found.get(), target(flow, existing, before))) {
            TargetTables.checkReserved(definition.table(), run.spec().targetSchema());
            before.ifPresent(state -> FlowAgreement.checkUnchanged(flow, run.spec(), state));
            Map<String, String> properties =
                    existing.map(Snapshot::properties).orElse(definition.table().properties());
            if (last.isPresent() && !found.get().at().isAbove(last.get())) {
                return old(flow, found.get().at(), last.get(), properties);
            }
            boolean sameSources = entry.flatMap(FlowEntry::snapshot)
                    .flatMap(FlowEntry.LastSnapshot::sources)
                    .filter(run.fingerprint().sha256()::equals)
                    .isPresent();
            if (sameSources && run.fingerprint().isComplete()) {
                return nothingNew(flow, again);
            }
            ChangeFlowRun.SnapshotEvents events = compared(run, existing, CdcProperties.dropsFaulty(properties));
            if (sameSources && events.isEmpty()) {
                return nothingNew(flow, again);
            }
            TargetState state = before.orElseGet(() -> created(table, run.spec()));
            if (before.isEmpty() && isUsed(state)) {
                return attempt(flow, true, startMicros);
            }
            boolean nothingToDo = events.isEmpty()
                    && state.entry().manifest().isPresent()
                    && state.changedSince().isEmpty();
            return nothingToDo
                    ? finish(begin(state, run), state, entry, run, state.manifest(), droppedRows(run))
                    : update(table, state, entry, run, events.relation());
        }
    }

    /** Compares a snapshot with the rows of the target that are open as of its version. */
    private ChangeFlowRun.SnapshotEvents compared(ChangeFlowRun run, Optional<Snapshot> existing, boolean dropFaulty) {
        String current = run.prefix() + "current";
        if (existing.isEmpty()) {
            engine.createView(current, engine.dialect().emptySelect(run.spec().targetSchema()));
            try {
                return run.stageSnapshot(current, dropFaulty);
            } finally {
                engine.drop(current);
            }
        }
        SnapshotVersion version = run.snapshot().orElseThrow().at();
        List<DataFile> files = OpenRows.files(existing.get(), run.spec(), version);
        TableRows rows =
                TableRows.register(engine, existing.get(), files, run.spec().targetSchema(), current);
        try {
            return run.stageSnapshot(rows.relation(), dropFaulty);
        } finally {
            rows.drop();
        }
    }

    private Attempts.Attempt<FlowResult> old(
            AutoCdcFlow flow, SnapshotVersion version, SnapshotVersion last, Map<String, String> properties) {
        TidemarkException error = SnapshotVersions.outOfOrder(flow, version, last);
        if (CdcProperties.skipsOldVersions(properties)) {
            context.listener().warned(error.primary() + "; it was skipped");
            return nothingNew(flow, false);
        }
        throw error;
    }

    /** The rows that an update must see: those of a history that has ended before a snapshot are none of its business. */
    private TableRows rows(TargetState state, ChangeFlowRun run) {
        ChangeSpec spec = run.spec();
        List<DataFile> files = readsOpenRowsOnly(state, run)
                ? OpenRows.files(
                        state.snapshot(), spec, run.snapshot().orElseThrow().at())
                : state.snapshot().files();
        return TableRows.register(engine, state.snapshot(), files, spec.targetSchema(), run.prefix() + "target")
                .separating(run.separation());
    }

    /** Where events author single columns, an open row may have inherited values from one that has ended. */
    private static boolean readsOpenRowsOnly(TargetState state, ChangeFlowRun run) {
        return run.snapshot().isPresent()
                && run.spec().storedAs() == ScdType.SCD2
                && run.spec().partialColumns().isEmpty()
                && state.changedSince().isEmpty();
    }

    private Attempts.Attempt<FlowResult> update(
            DeltaTable table, TargetState state, Optional<FlowEntry> entry, ChangeFlowRun run, String events) {
        ChangeSpec spec = run.spec();
        CrashPoints.reach(AFTER_STAGING);
        Optional<List<String>> truncation =
                run.newestTruncate(events, state.manifest().truncation());
        TableRows rows = rows(state, run);
        boolean openOnly = readsOpenRowsOnly(state, run);
        RememberedEvents memory = new RememberedEvents(state.folder(), engine, spec);
        String remembered = run.prefix() + "remembered_files";
        Optional<PlanInputs.ManualRows> manual = manualRows(table, state, run);
        PlanInputs inputs = new PlanInputs(
                run.prefix(),
                events,
                openOnly ? run.openRows(rows.relation()) : run.withSequence(rows.relation(), "target_sequence"),
                memory.register(state.manifest(), remembered),
                run.withSequence(manual),
                state.snapshot().files().isEmpty()
                        && state.manifest().remembered().isEmpty(),
                truncation,
                !truncation.equals(state.manifest().truncation()),
                context.nowMicros(),
                openOnly);
        ChangePlan plan = ChangePlan.compile(spec, engine.dialect(), inputs);
        try {
            plan.execute(engine);
            CrashPoints.reach(AFTER_PLAN);
            Manifest manifest = nextManifest(state, run, memory, plan, truncation);
            return commit(state, entry, run, rows, plan, manifest);
        } finally {
            plan.drop(engine);
            rows.drop();
            engine.drop(remembered);
            manual.ifPresent(relations -> {
                engine.drop(relations.removed());
                engine.drop(relations.added());
            });
        }
    }

    private Optional<PlanInputs.ManualRows> manualRows(DeltaTable table, TargetState state, ChangeFlowRun run) {
        if (state.changedSince().isEmpty()) {
            return Optional.empty();
        }
        try {
            return new ForeignCommits(table, state.snapshot(), state.entry())
                    .register(
                            engine,
                            state.changedSince().getAsLong(),
                            run.prefix(),
                            run.spec().targetSchema());
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.FLOW_HISTORY_GONE && context.options().adoptRows()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Manifest nextManifest(
            TargetState state,
            ChangeFlowRun run,
            RememberedEvents memory,
            ChangePlan plan,
            Optional<List<String>> truncation) {
        RememberedEvents.Outcome outcome = memory.write(
                state.manifest(),
                plan.state(),
                run.prefix(),
                horizon(state.snapshot().properties()));
        Map<String, List<Manifest.StateFile>> processed =
                new LinkedHashMap<>(state.manifest().processed());
        if (!run.sources().newFiles().isEmpty()) {
            processed.put(
                    ProcessedFiles.key(run.flow().name()),
                    new ProcessedFiles(state.folder(), engine)
                            .write(
                                    state.manifest(),
                                    run.flow().name(),
                                    run.sources().newFiles(),
                                    run.prefix()));
        }
        CrashPoints.reach(AFTER_STATE_FILES);
        Manifest manifest = new Manifest(
                StateFolder.freshId(),
                state.snapshot().tableId(),
                truncation,
                outcome.greatestForgotten(),
                outcome.files(),
                processed);
        state.folder().create();
        state.folder().write(manifest, state.entry().manifest().map(pinned -> state.manifest()));
        return manifest;
    }

    private StateMerge.Horizon horizon(Map<String, String> properties) {
        long now = context.nowMicros();
        OptionalLong hidden = CdcProperties.hiddenEventSeconds(properties);
        return new StateMerge.Horizon(
                now - TimeUnit.SECONDS.toMicros(CdcProperties.tombstoneSeconds(properties)),
                hidden.isPresent() ? now - TimeUnit.SECONDS.toMicros(hidden.getAsLong()) : Long.MIN_VALUE);
    }

    private Attempts.Attempt<FlowResult> commit(
            TargetState state,
            Optional<FlowEntry> entry,
            ChangeFlowRun run,
            TableRows rows,
            ChangePlan plan,
            Manifest manifest) {
        ChangeSpec spec = run.spec();
        Transaction transaction = begin(state, run);
        List<Long> counts = Counts.both(engine, plan.upserted(), plan.vanished());
        rows.stage(
                transaction,
                plan.deleted(),
                plan.inserted(),
                TargetTables.withNotNull(spec.targetSchema(), definition.table()),
                spec.sortColumns(),
                spec.rowIdentity(engine.dialect()));
        CrashPoints.reach(AFTER_DATA_FILES);
        Map<String, Long> metrics =
                run.snapshot().isPresent() ? droppedRows(run) : metrics(run, state, counts.get(0), counts.get(1));
        return finish(transaction, state, entry, run, manifest, metrics);
    }

    private Transaction begin(TargetState state, ChangeFlowRun run) {
        StructType known = state.snapshot().schema();
        StructType wanted = run.spec().targetSchema();
        Transaction transaction = state.snapshot().begin("AUTO CDC");
        if (wanted.fields().size() > known.fields().size()) {
            transaction.setSchema(withKnownColumns(known, wanted));
        }
        return transaction;
    }

    private Attempts.Attempt<FlowResult> finish(
            Transaction transaction,
            TargetState state,
            Optional<FlowEntry> entry,
            ChangeFlowRun run,
            Manifest manifest,
            Map<String, Long> metrics) {
        stageEntries(transaction, state, run.spec(), manifest);
        stageFlow(transaction, run.flow(), nextEntry(state.snapshot(), run, entry));
        metrics.forEach(transaction::metric);
        transaction
                .parameter("flow", run.flow().name())
                .parameter("storedAs", run.spec().storedAs().sql());
        run.snapshot()
                .ifPresent(snapshot ->
                        transaction.parameter("snapshotVersion", snapshot.at().text()));
        // Rows that others change meanwhile must be seen as such by this update or the next, so none may slip in.
        transaction.dependsOnAbsentKeys().readWholeTable();
        CommitOutcome outcome = transaction.commit();
        CrashPoints.reach(AFTER_COMMIT);
        if (outcome instanceof CommitOutcome.Rejected) {
            return Attempts.Attempt.lost(outcome);
        }
        OptionalLong version = OptionalLong.of(outcome.version());
        return Attempts.Attempt.done(result(run.flow(), FlowResult.Status.UPDATED, run.events(), metrics, version));
    }

    private Map<String, Long> metrics(ChangeFlowRun run, TargetState state, long upserted, long vanished) {
        Map<String, Long> metrics = new LinkedHashMap<>();
        metrics.put(FlowResult.UPSERTED_ROWS, upserted);
        metrics.put(FlowResult.DELETED_ROWS, vanished);
        metrics.putAll(droppedRows(run));
        state.manifest().greatestForgotten().ifPresent(forgotten -> {
            StateMerge merge = new StateMerge(run.spec(), engine.dialect());
            long late = Counts.count(engine, merge.eventsBefore(run.prefix() + "events", forgotten));
            if (late > 0) {
                metrics.put(FlowResult.LATE_ROWS, late);
            }
        });
        return metrics;
    }

    private static Map<String, Long> droppedRows(ChangeFlowRun run) {
        return run.dropped() > 0 ? Map.of(FlowResult.DROPPED_ROWS, run.dropped()) : Map.of();
    }

    /** After a restore the table still knows of the later updates, and numbers never go back. */
    private FlowEntry nextEntry(Snapshot snapshot, ChangeFlowRun run, Optional<FlowEntry> entry) {
        String application = OnceFlows.applicationId(
                context.options().pipelineId(), run.flow().name());
        long updates = Math.max(
                entry.map(FlowEntry::updates).orElse(0L),
                snapshot.transactionVersion(application).orElse(0));
        return new FlowEntry(
                context.options().pipelineId(),
                snapshot.tableId(),
                updates + 1,
                run.flow().once() ? Optional.of(OnceFlows.fingerprint(run.flow())) : Optional.empty(),
                run.sources().positions(),
                run.lastSnapshot());
    }

    static void stageEntries(Transaction transaction, TargetState state, ChangeSpec spec, Manifest manifest) {
        TargetEntry entry = new TargetEntry(
                Optional.of(state.snapshot().tableId()),
                Optional.of(manifest.id()),
                Optional.of(spec.storedAs().sql()),
                spec.keys().stream().map(StructField::name).toList(),
                spec.fingerprint());
        transaction.setDomain(TargetEntry.DOMAIN, entry.json());
    }

    private void stageFlow(Transaction transaction, AutoCdcFlow flow, FlowEntry entry) {
        transaction.setDomain(FlowEntry.domain(flow.name()), entry.json());
        transaction.setTransaction(
                OnceFlows.applicationId(context.options().pipelineId(), flow.name()), entry.updates());
    }

    /** Another run was faster, made the table and has already updated it: then what was staged is out of date. */
    private static boolean isUsed(TargetState state) {
        return state.snapshot().version() > 0;
    }

    private TargetState created(DeltaTable table, ChangeSpec spec) {
        TargetEntry entry = new TargetEntry(
                Optional.empty(),
                Optional.empty(),
                Optional.of(spec.storedAs().sql()),
                spec.keys().stream().map(StructField::name).toList(),
                spec.fingerprint());
        Snapshot snapshot = TargetTables.create(table, name, definition.table(), spec.targetSchema(), entry);
        return TargetState.read(context, definition, table, snapshot, true);
    }

    private FlowSources.Progress progress(AutoCdcFlow flow, Optional<TargetState> state, Optional<FlowEntry> entry) {
        if (state.isEmpty() || entry.isEmpty()) {
            return FlowSources.Progress.START;
        }
        ProcessedFiles files = new ProcessedFiles(state.get().folder(), engine);
        String relation = context.freshPrefix() + "processed";
        return new FlowSources.Progress(
                entry, source -> files.read(state.get().manifest(), flow.name(), source, relation));
    }

    private ChangeFlowRun.Target target(AutoCdcFlow flow, Optional<Snapshot> existing, Optional<TargetState> before) {
        return new ChangeFlowRun.Target(
                targetColumns(flow, existing),
                mayAddColumns(),
                flows.stream()
                        .filter(other -> !other.name().equalsIgnoreCase(flow.name()))
                        .toList(),
                flows.stream().anyMatch(AutoCdcFlow::isSnapshot)
                        || before.filter(TargetState::hasSnapshots).isPresent());
    }

    /** The data columns of the existing table, else the declared ones. */
    private Optional<StructType> targetColumns(AutoCdcFlow flow, Optional<Snapshot> existing) {
        if (existing.isEmpty()) {
            return TargetTables.declared(definition.table(), Optional.of(flow.storedAs()));
        }
        List<StructField> fields = existing.get().schema().fields().stream()
                .filter(field -> !ReservedColumns.isReserved(flow.storedAs(), field.name()))
                .toList();
        return Optional.of(new StructType(fields));
    }

    private boolean mayAddColumns() {
        return definition.table().columns().isEmpty();
    }

    /**
     * Checks all flows against the target as it is, without a row being read.
     *
     * @return the columns that the target will have
     */
    Optional<StructType> check(boolean refresh, Faults faults) {
        DeltaTable table = context.table(name);
        Optional<Snapshot> existing = context.latest(name);
        if (refresh) {
            existing.ifPresent(snapshot -> faults.check(() -> TargetTables.checkResetAllowed(definition, snapshot)));
        }
        Optional<TargetState> before = refresh
                ? Optional.empty()
                : existing.flatMap(
                        snapshot -> faults.find(() -> TargetState.read(context, definition, table, snapshot, true)));
        List<ChangeFlowRun> runs = new ArrayList<>();
        try {
            for (AutoCdcFlow flow : flows) {
                faults.find(() -> opened(flow, before, refresh ? Optional.empty() : existing))
                        .flatMap(run -> run)
                        .ifPresent(runs::add);
            }
            return planned(runs, before, refresh ? Optional.empty() : existing, faults);
        } finally {
            runs.forEach(ChangeFlowRun::close);
        }
    }

    private Optional<ChangeFlowRun> opened(
            AutoCdcFlow flow, Optional<TargetState> before, Optional<Snapshot> existing) {
        Optional<FlowEntry> entry =
                before.flatMap(state -> state.flow(flow, context.options().pipelineId()));
        if (flow.once() && entry.flatMap(FlowEntry::onceText).isPresent()) {
            return Optional.empty();
        }
        try {
            ChangeFlowRun.Target target = target(flow, existing, before);
            return flow.isSnapshot()
                    ? new SnapshotVersions(context, flow)
                            .unknown(SnapshotVersions.last(entry))
                            .map(found -> ChangeFlowRun.open(context, flow, found, target))
                    : Optional.of(ChangeFlowRun.open(context, flow, progress(flow, before, entry), target));
        } catch (FlowSources.NoFilesException e) {
            return Optional.empty();
        }
    }

    private Optional<StructType> planned(
            List<ChangeFlowRun> runs, Optional<TargetState> before, Optional<Snapshot> existing, Faults faults) {
        if (runs.isEmpty()) {
            return existing.map(Snapshot::schema);
        }
        return faults.find(() -> {
            FlowAgreement.check(name, runs);
            Faults each = new Faults();
            for (ChangeFlowRun run : runs) {
                each.check(() -> TargetTables.checkReserved(
                        definition.table(), run.spec().targetSchema()));
                before.ifPresent(
                        state -> each.check(() -> FlowAgreement.checkUnchanged(run.flow(), run.spec(), state)));
            }
            each.throwAny();
            ChangeSpec spec = runs.get(0).spec();
            for (ChangeFlowRun run : runs.subList(1, runs.size())) {
                spec = run.over(spec.dataColumns(), mayAddColumns());
            }
            return spec.targetSchema();
        });
    }

    /** Flows that no longer are defined may have been the same flow under another name. */
    private void warnIfRenamed(AutoCdcFlow flow, Optional<TargetState> state, Optional<FlowEntry> entry) {
        if (entry.isPresent() || state.isEmpty()) {
            return;
        }
        List<String> gone = new ArrayList<>(state.get().flowNames());
        flows.forEach(defined -> gone.removeIf(defined.name()::equalsIgnoreCase));
        if (!gone.isEmpty()) {
            context.listener()
                    .warned("flow " + flow.name() + " is new to table " + name + ", which "
                            + (gone.size() == 1 ? "flow " : "flows ") + String.join(", ", gone)
                            + " have written; it reads its source from the start");
        }
    }

    private static StructType withKnownColumns(StructType existing, StructType wanted) {
        List<StructField> fields = new ArrayList<>(existing.fields());
        wanted.fields().stream().filter(field -> !existing.has(field.name())).forEach(fields::add);
        return new StructType(fields);
    }

    private FlowResult result(
            AutoCdcFlow flow, FlowResult.Status status, long read, Map<String, Long> metrics, OptionalLong version) {
        return new FlowResult(flow.name(), name.toString(), status, read, metrics, version, 0);
    }
}
