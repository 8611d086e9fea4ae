package io.tidemark.pipeline.update;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.error.Faults;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.FlowDefinition.AppendFlow;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.CrashPoints;
import io.tidemark.delta.DeltaTable;
import io.tidemark.delta.EngineFiles;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.delta.rows.TableRows;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.source.StreamRules;
import io.tidemark.pipeline.state.FlowEntry;
import io.tidemark.pipeline.state.Manifest;
import io.tidemark.pipeline.state.ProcessedFiles;
import io.tidemark.pipeline.state.StateFolder;
import io.tidemark.pipeline.state.TargetEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Updates a table by its append flows, one commit for each flow that has something new; a full refresh is one commit. */
final class AppendTargetUpdate {
    private final UpdateContext context;
    private final StreamingTable definition;
    private final TableName name;
    private final Engine engine;

    AppendTargetUpdate(UpdateContext context, StreamingTable definition) {
        this.context = context;
        this.definition = definition;
        this.name = definition.name();
        this.engine = context.engine();
    }

    /** Runs one flow. */
    FlowResult run(AppendFlow flow) {
        int[] attempts = new int[1];
        return Attempts.run(() -> attempt(flow, attempts[0]++ > 0));
    }

    private Attempts.Attempt<FlowResult> attempt(AppendFlow flow, boolean again) {
        DeltaTable table = context.table(name);
        Optional<Snapshot> existing =
                context.latest(name).map(snapshot -> TargetTables.align(table, snapshot, definition.table()));
        Optional<TargetState> before =
                existing.map(snapshot -> TargetState.read(context, definition, table, snapshot, false));
        Optional<FlowEntry> entry =
                before.flatMap(state -> state.flow(flow, context.options().pipelineId()));
        if (flow.once() && entry.flatMap(FlowEntry::onceText).isPresent()) {
            OnceFlows.warnIfChanged(context, flow, entry.get());
            return Attempts.Attempt.done(unchanged(flow, FlowResult.Status.SKIPPED));
        }
        try (FlowSources sources =
                new FlowSources(context.sources(), progress(flow, before, entry), context.freshPrefix() + "source_")) {
            PreparedQuery query = sources.prepare(flow.query());
            checkStreaming(flow, sources);
            if (before.isPresent() && !sources.hasNewInput() && !flow.once()) {
                return Attempts.Attempt.done(
                        unchanged(flow, again ? FlowResult.Status.ALREADY_APPLIED : FlowResult.Status.UNCHANGED));
            }
            TargetState state = before.orElseGet(() -> created(table, query, flow));
            StructType schema = schema(state.snapshot().schema(), query, flow);
            String sql = Projection.onto(
                    query, schema, flow.byName(), name, flow.query().location(), engine.dialect());
            List<WrittenFile> files = TableRows.write(engine, state.snapshot(), sql, schema, sortBy());
            CrashPoints.reach(ChangeTargetUpdate.AFTER_DATA_FILES);
            return commit(state, flow, entry, sources, schema, files);
        } catch (FlowSources.NoFilesException e) {
            return Attempts.Attempt.done(unchanged(flow, FlowResult.Status.UNCHANGED));
        }
    }

    /**
     * Checks all flows against the table as it is, without a row being read.
     *
     * @return the columns that the table will have
     */
    Optional<StructType> check(List<AppendFlow> flows, boolean refresh, Faults faults) {
        DeltaTable table = context.table(name);
        Optional<Snapshot> existing = table.latest();
        if (refresh) {
            existing.ifPresent(snapshot -> faults.check(() -> TargetTables.checkResetAllowed(definition, snapshot)));
        }
        Optional<Snapshot> kept = refresh ? Optional.empty() : existing;
        Optional<TargetState> before = kept.flatMap(
                snapshot -> faults.find(() -> TargetState.read(context, definition, table, snapshot, false)));
        Optional<StructType> columns =
                kept.map(Snapshot::schema).or(() -> TargetTables.declared(definition.table(), Optional.empty()));
        for (AppendFlow flow : flows) {
            Optional<StructType> known = columns;
            Optional<StructType> next =
                    faults.find(() -> checked(flow, before, known, faults)).flatMap(found -> found);
            columns = next.or(() -> known);
        }
        return columns;
    }

    private Optional<StructType> checked(
            AppendFlow flow, Optional<TargetState> before, Optional<StructType> known, Faults faults) {
        Optional<FlowEntry> entry =
                before.flatMap(state -> state.flow(flow, context.options().pipelineId()));
        if (flow.once() && entry.flatMap(FlowEntry::onceText).isPresent()) {
            return Optional.empty();
        }
        try (FlowSources sources =
                new FlowSources(context.sources(), progress(flow, before, entry), context.freshPrefix() + "source_")) {
            PreparedQuery query = sources.prepare(flow.query());
            faults.check(() -> checkStreaming(flow, sources));
            StructType schema = known.map(columns -> schema(columns, query, flow))
                    .orElseGet(() -> Projection.columns(query, flow.query().location()));
            Projection.onto(query, schema, flow.byName(), name, flow.query().location(), engine.dialect());
            return Optional.of(schema);
        } catch (FlowSources.NoFilesException e) {
            return Optional.empty();
        }
    }

    private Attempts.Attempt<FlowResult> commit(
            TargetState state,
            AppendFlow flow,
            Optional<FlowEntry> entry,
            FlowSources sources,
            StructType schema,
            List<WrittenFile> files) {
        Snapshot snapshot = state.snapshot();
        Manifest manifest = nextManifest(state, List.of(new FlowFiles(flow.name(), sources)));
        Transaction transaction = snapshot.begin("STREAMING UPDATE");
        if (schema.fields().size() > snapshot.schema().fields().size()) {
            transaction.setSchema(schema);
        }
        EngineFiles.add(transaction, files);
        stageTarget(transaction, snapshot, manifest);
        stageFlow(transaction, snapshot, flow, entry.map(FlowEntry::updates).orElse(0L) + 1, sources);
        long rows = files.stream().mapToLong(WrittenFile::rowCount).sum();
        transaction.metric(FlowResult.OUTPUT_ROWS, rows).parameter("flow", flow.name());
        CommitOutcome outcome = transaction.commit();
        CrashPoints.reach(ChangeTargetUpdate.AFTER_COMMIT);
        if (outcome instanceof CommitOutcome.Rejected) {
            return Attempts.Attempt.lost(outcome);
        }
        return Attempts.Attempt.done(updated(flow, rows, OptionalLong.of(outcome.version())));
    }

    /** Rebuilds the table from the start of all its flows' sources. */
    List<FlowResult> refresh(List<AppendFlow> flows) {
        return Attempts.run(() -> attemptRefresh(flows));
    }

    private Attempts.Attempt<List<FlowResult>> attemptRefresh(List<AppendFlow> flows) {
        DeltaTable table = context.table(name);
        Snapshot snapshot = TargetTables.align(table, table.snapshot(), definition.table());
        TargetTables.checkResetAllowed(definition, snapshot);
        List<FlowSources> opened = new ArrayList<>();
        try {
            List<PreparedQuery> queries = new ArrayList<>();
            for (AppendFlow flow : flows) {
                FlowSources sources = new FlowSources(
                        context.sources(), FlowSources.Progress.START, context.freshPrefix() + "source_");
                opened.add(sources);
                queries.add(sources.prepare(flow.query()));
                checkStreaming(flow, sources);
                new SourceStart(context, snapshot).check(flow, sources);
            }
            StructType schema = refreshedSchema(flows, queries);
            Transaction transaction = snapshot.begin("FULL REFRESH");
            if (!schema.equals(snapshot.schema())) {
                transaction.setSchema(schema);
            }
            TableRows.removeAll(transaction, snapshot);
            List<Long> rows = new ArrayList<>();
            List<FlowFiles> read = new ArrayList<>();
            for (int i = 0; i < flows.size(); i++) {
                AppendFlow flow = flows.get(i);
                String sql = Projection.onto(
                        queries.get(i),
                        schema,
                        flow.byName(),
                        name,
                        flow.query().location(),
                        engine.dialect());
                List<WrittenFile> files = TableRows.write(engine, snapshot, sql, schema, sortBy());
                EngineFiles.add(transaction, files);
                rows.add(files.stream().mapToLong(WrittenFile::rowCount).sum());
                read.add(new FlowFiles(flow.name(), opened.get(i)));
                long updates = snapshot.domain(FlowEntry.domain(flow.name()))
                        .map(json -> FlowEntry.parse(flow.name(), json).updates())
                        .orElse(0L);
                stageFlow(transaction, snapshot, flow, updates + 1, opened.get(i));
            }
            TargetState empty = new TargetState(
                    snapshot,
                    new TargetEntry(Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Map.of()),
                    Manifest.empty(StateFolder.freshId(), snapshot.tableId()),
                    StateFolder.of(context.warehouse().storage(), snapshot),
                    snapshot,
                    OptionalLong.empty());
            stageTarget(transaction, snapshot, nextManifest(empty, read));
            transaction
                    .metric(
                            FlowResult.OUTPUT_ROWS,
                            rows.stream().mapToLong(Long::longValue).sum())
                    .parameter(
                            "flow",
                            String.join(
                                    ", ", flows.stream().map(AppendFlow::name).toList()));
            CommitOutcome outcome = transaction.commit();
            if (outcome instanceof CommitOutcome.Rejected) {
                return Attempts.Attempt.lost(outcome);
            }
            List<FlowResult> results = new ArrayList<>();
            for (int i = 0; i < flows.size(); i++) {
                results.add(updated(flows.get(i), rows.get(i), OptionalLong.of(outcome.version())));
            }
            return Attempts.Attempt.done(results);
        } finally {
            opened.forEach(FlowSources::close);
        }
    }

    private StructType refreshedSchema(List<AppendFlow> flows, List<PreparedQuery> queries) {
        Optional<StructType> declared = TargetTables.declared(definition.table(), Optional.empty());
        if (declared.isPresent()) {
            return declared.get();
        }
        List<StructField> fields = new ArrayList<>();
        for (int i = 0; i < flows.size(); i++) {
            StructType given =
                    Projection.columns(queries.get(i), flows.get(i).query().location());
            StructType known = new StructType(fields);
            if (i == 0 || flows.get(i).byName()) {
                given.fields().stream()
                        .filter(field -> !known.has(field.name()))
                        .forEach(fields::add);
            }
        }
        return new StructType(fields);
    }

    /** The table's columns after the update: a flow BY NAME may bring new ones unless columns are declared. */
    private StructType schema(StructType existing, PreparedQuery query, AppendFlow flow) {
        if (!flow.byName() || !definition.table().columns().isEmpty()) {
            return existing;
        }
        List<StructField> fields = new ArrayList<>(existing.fields());
        Projection.columns(query, flow.query().location()).fields().stream()
                .filter(field -> !existing.has(field.name()))
                .forEach(fields::add);
        return new StructType(fields);
    }

    private TargetState created(DeltaTable table, PreparedQuery query, AppendFlow flow) {
        StructType schema = TargetTables.declared(definition.table(), Optional.empty())
                .orElseGet(() -> Projection.columns(query, flow.query().location()));
        TargetEntry entry = new TargetEntry(Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Map.of());
        Snapshot snapshot = TargetTables.create(table, name, definition.table(), schema, entry);
        return TargetState.read(context, definition, table, snapshot, false);
    }

    private record FlowFiles(String flow, FlowSources sources) {}

    private Manifest nextManifest(TargetState state, List<FlowFiles> read) {
        Map<String, List<Manifest.StateFile>> processed =
                new LinkedHashMap<>(state.manifest().processed());
        boolean changed = false;
        for (FlowFiles files : read) {
            if (!files.sources().newFiles().isEmpty()) {
                changed = true;
                processed.put(
                        ProcessedFiles.key(files.flow()),
                        new ProcessedFiles(state.folder(), engine)
                                .write(
                                        state.manifest(),
                                        files.flow(),
                                        files.sources().newFiles(),
                                        context.freshPrefix()));
            }
        }
        boolean pinned = state.entry().manifest().isPresent();
        if (!changed && pinned) {
            return state.manifest();
        }
        Manifest manifest = new Manifest(
                StateFolder.freshId(),
                state.snapshot().tableId(),
                state.manifest().truncation(),
                state.manifest().greatestForgotten(),
                state.manifest().remembered(),
                processed);
        state.folder().create();
        state.folder().write(manifest, state.entry().manifest().map(id -> state.manifest()));
        return manifest;
    }

    private static void stageTarget(Transaction transaction, Snapshot snapshot, Manifest manifest) {
        TargetEntry entry = new TargetEntry(
                Optional.of(snapshot.tableId()), Optional.of(manifest.id()), Optional.empty(), List.of(), Map.of());
        transaction.setDomain(TargetEntry.DOMAIN, entry.json());
    }

    private void stageFlow(
            Transaction transaction, Snapshot snapshot, AppendFlow flow, long updates, FlowSources sources) {
        FlowEntry entry = new FlowEntry(
                context.options().pipelineId(),
                snapshot.tableId(),
                updates,
                flow.once() ? Optional.of(OnceFlows.fingerprint(flow)) : Optional.empty(),
                sources.positions());
        transaction.setDomain(FlowEntry.domain(flow.name()), entry.json());
        transaction.setTransaction(OnceFlows.applicationId(context.options().pipelineId(), flow.name()), updates);
    }

    private List<String> sortBy() {
        return definition.table().clusterBy().stream()
                .map(ColumnReference::name)
                .toList();
    }

    private FlowSources.Progress progress(AppendFlow flow, Optional<TargetState> state, Optional<FlowEntry> entry) {
        if (state.isEmpty() || entry.isEmpty()) {
            return FlowSources.Progress.START;
        }
        ProcessedFiles files = new ProcessedFiles(state.get().folder(), engine);
        String relation = context.freshPrefix() + "processed";
        return new FlowSources.Progress(
                entry, source -> files.read(state.get().manifest(), flow.name(), source, relation));
    }

    private void checkStreaming(AppendFlow flow, FlowSources sources) {
        StreamRules rules = new StreamRules(engine, context.sources().views());
        SourceKind.check(
                flow,
                sources,
                () -> rules.firstStream(flow.query()),
                () -> rules.firstRelation(flow.query()),
                "load it once with INSERT INTO ONCE, or make a MATERIALIZED VIEW");
    }

    private FlowResult unchanged(AppendFlow flow, FlowResult.Status status) {
        return new FlowResult(flow.name(), name.toString(), status, 0, Map.of(), OptionalLong.empty(), 0);
    }

    private FlowResult updated(AppendFlow flow, long rows, OptionalLong version) {
        Map<String, Long> metrics = Map.of(FlowResult.OUTPUT_ROWS, rows);
        return new FlowResult(flow.name(), name.toString(), FlowResult.Status.UPDATED, rows, metrics, version, 0);
    }
}
