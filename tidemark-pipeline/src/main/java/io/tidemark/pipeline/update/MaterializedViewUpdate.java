package io.tidemark.pipeline.update;

import io.tidemark.core.change.PlanInputs;
import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.ColumnReference;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
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
import io.tidemark.pipeline.state.TargetEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes a materialized view equal to its query; only rows that differ are deleted and added. */
final class MaterializedViewUpdate {
    private final UpdateContext context;
    private final MaterializedView view;
    private final TableName name;
    private final Engine engine;

    MaterializedViewUpdate(UpdateContext context, MaterializedView view) {
        this.context = context;
        this.view = view;
        this.name = view.name();
        this.engine = context.engine();
    }

    FlowResult run() {
        return Attempts.run(this::attempt);
    }

    private Attempts.Attempt<FlowResult> attempt() {
        DeltaTable table = context.table(name);
        String prefix = context.freshPrefix();
        try (FlowSources sources = new FlowSources(context.sources(), FlowSources.Progress.START, prefix + "source_")) {
            PreparedQuery query = sources.prepare(view.query());
            checkBatch(sources);
            StructType schema = TargetTables.declared(view.table(), Optional.empty())
                    .orElseGet(() -> Projection.columns(query, view.query().location()));
            Snapshot snapshot = table.latest()
                    .map(found -> TargetTables.align(table, found, view.table()))
                    .orElseGet(() -> TargetTables.create(
                            table,
                            name,
                            view.table(),
                            schema,
                            new TargetEntry(
                                    Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Map.of())));
            checkOwner(snapshot);
            String wanted = prefix + "wanted";
            boolean byName = view.table().columns().isEmpty();
            engine.materialize(
                    wanted,
                    Projection.onto(query, schema, byName, name, view.query().location(), engine.dialect()),
                    Optional.empty());
            try {
                return sameColumns(schema, snapshot.schema())
                        ? difference(snapshot, schema, wanted, prefix)
                        : replace(snapshot, schema, wanted);
            } finally {
                engine.drop(wanted);
            }
        }
    }

    /**
     * Checks the view, without a row being read.
     *
     * @return the columns that it will have
     */
    Optional<StructType> check(Faults faults) {
        context.table(name).latest().ifPresent(snapshot -> faults.check(() -> checkOwner(snapshot)));
        String prefix = context.freshPrefix();
        Optional<StructType> declared = TargetTables.declared(view.table(), Optional.empty());
        Optional<StructType> columns = faults.find(() -> {
            try (FlowSources sources =
                    new FlowSources(context.sources(), FlowSources.Progress.START, prefix + "source_")) {
                PreparedQuery query = sources.prepare(view.query());
                checkBatch(sources);
                StructType schema = declared.orElseGet(
                        () -> Projection.columns(query, view.query().location()));
                boolean byName = view.table().columns().isEmpty();
                Projection.onto(query, schema, byName, name, view.query().location(), engine.dialect());
                return schema;
            }
        });
        return columns.or(() -> declared);
    }

    private void checkBatch(FlowSources sources) {
        if (sources.isStreaming()) {
            throw TidemarkException.of(ErrorCode.SOURCE_NOT_BATCH, "materialized view " + name + " reads a stream")
                    .at(new StreamRules(engine, context.sources().views()).firstStream(view.query()))
                    .hint("leave out STREAM, or make a STREAMING TABLE")
                    .build();
        }
    }

    private void checkOwner(Snapshot snapshot) {
        Optional<FlowEntry> entry =
                snapshot.domain(FlowEntry.domain(flowName())).map(json -> FlowEntry.parse(flowName(), json));
        boolean foreign = entry.isPresent()
                && !entry.get().pipeline().equals(context.options().pipelineId());
        if (foreign) {
            throw TidemarkException.of(
                            ErrorCode.FOREIGN_PIPELINE,
                            "materialized view " + name + " belongs to pipeline "
                                    + entry.get().pipeline())
                    .at(view.location())
                    .hint("give it another name, or SET tidemark.pipeline.id = '"
                            + entry.get().pipeline() + "'")
                    .build();
        }
        if (entry.isEmpty() && !snapshot.files().isEmpty()) {
            throw TidemarkException.of(ErrorCode.TARGET_KIND, "table " + name + " has rows and is no materialized view")
                    .at(view.location())
                    .hint("give the view another name, or drop the table")
                    .build();
        }
    }

    private String flowName() {
        return name.name();
    }

    private static boolean sameColumns(StructType wanted, StructType actual) {
        List<String> left = new ArrayList<>();
        List<String> right = new ArrayList<>();
        wanted.fields()
                .forEach(field -> left.add(field.name() + " " + field.type().sql()));
        actual.fields()
                .forEach(field -> right.add(field.name() + " " + field.type().sql()));
        return left.equals(right);
    }

    /** Matches equal rows one to one, duplicates counted, and changes the rest. */
    private Attempts.Attempt<FlowResult> difference(
            Snapshot snapshot, StructType schema, String wanted, String prefix) {
        Dialect dialect = engine.dialect();
        TableRows rows = TableRows.register(engine, snapshot, schema, prefix + "current");
        String matched = prefix + "matched";
        String deleted = prefix + "deleted";
        String inserted = prefix + "inserted";
        List<String> columns = schema.names().stream().map(dialect::name).toList();
        String all = String.join(", ", columns);
        String file = dialect.name(PlanInputs.FILE);
        String row = dialect.name(PlanInputs.ROW);
        List<String> comparable = new ArrayList<>();
        List<String> equal = new ArrayList<>();
        for (StructField field : schema.fields()) {
            comparable.add(dialect.comparable("t." + dialect.name(field.name()), field.type()));
            equal.add(dialect.comparable("w." + dialect.name(field.name()), field.type())
                    + " IS NOT DISTINCT FROM "
                    + dialect.comparable("c." + dialect.name(field.name()), field.type()));
        }
        String number = "row_number() OVER (PARTITION BY " + String.join(", ", comparable) + " ORDER BY 1) AS copy";
        String wantedRows = "SELECT t.*, " + number + " FROM " + wanted + " AS t";
        String currentRows = "SELECT t.*, " + number + " FROM " + rows.relation() + " AS t";
        String own =
                String.join(", ", columns.stream().map(column -> "w." + column).toList());
        try {
            engine.materialize(
                    matched,
                    "SELECT " + own + ", w.copy AS wanted_copy, c." + file + " AS file, c." + row + " AS pos FROM ("
                            + wantedRows + ") AS w FULL OUTER JOIN (" + currentRows + ") AS c ON w.copy = c.copy AND "
                            + String.join(" AND ", equal) + " WHERE w.copy IS NULL OR c.copy IS NULL",
                    Optional.empty());
            engine.createView(deleted, "SELECT file, pos FROM " + matched + " WHERE wanted_copy IS NULL");
            engine.createView(inserted, "SELECT " + all + " FROM " + matched + " WHERE wanted_copy IS NOT NULL");
            long changes = Counts.count(engine, "SELECT count(*) AS n FROM " + matched);
            boolean first = snapshot.domain(FlowEntry.domain(flowName())).isEmpty();
            if (changes == 0 && !first) {
                return Attempts.Attempt.done(result(FlowResult.Status.UNCHANGED, 0, Map.of(), OptionalLong.empty()));
            }
            Transaction transaction = snapshot.begin("REFRESH MATERIALIZED VIEW");
            transaction.readWholeTable();
            long added = Counts.count(engine, "SELECT count(*) AS n FROM " + inserted);
            transaction.readWholeTable();
            StructType stored = TargetTables.withNotNull(schema, view.table());
            rows.stage(transaction, deleted, inserted, stored, sortBy(), List.of());
            return commit(transaction, snapshot, added);
        } finally {
            List.of(inserted, deleted, matched).forEach(engine::drop);
            rows.drop();
        }
    }

    private Attempts.Attempt<FlowResult> replace(Snapshot snapshot, StructType schema, String wanted) {
        Transaction transaction = snapshot.begin("REFRESH MATERIALIZED VIEW");
        transaction.setSchema(TargetTables.withNotNull(schema, view.table()));
        TableRows.removeAll(transaction, snapshot);
        long rows = Counts.count(engine, "SELECT count(*) AS n FROM " + wanted);
        EngineFiles.add(transaction, TableRows.write(engine, snapshot, "SELECT * FROM " + wanted, schema, sortBy()));
        return commit(transaction, snapshot, rows);
    }

    private Attempts.Attempt<FlowResult> commit(Transaction transaction, Snapshot snapshot, long rows) {
        CrashPoints.reach(ChangeTargetUpdate.AFTER_DATA_FILES);
        long updates = snapshot.domain(FlowEntry.domain(flowName()))
                .map(json -> FlowEntry.parse(flowName(), json).updates())
                .orElse(0L);
        FlowEntry entry = new FlowEntry(
                context.options().pipelineId(), snapshot.tableId(), updates + 1, Optional.empty(), List.of());
        transaction.setDomain(FlowEntry.domain(flowName()), entry.json());
        transaction.metric(FlowResult.OUTPUT_ROWS, rows);
        CommitOutcome outcome = transaction.commit();
        CrashPoints.reach(ChangeTargetUpdate.AFTER_COMMIT);
        if (outcome instanceof CommitOutcome.Rejected) {
            return Attempts.Attempt.lost(outcome);
        }
        return Attempts.Attempt.done(result(
                FlowResult.Status.UPDATED,
                rows,
                Map.of(FlowResult.OUTPUT_ROWS, rows),
                OptionalLong.of(outcome.version())));
    }

    private List<String> sortBy() {
        return view.table().clusterBy().stream().map(ColumnReference::name).toList();
    }

    private FlowResult result(FlowResult.Status status, long rows, Map<String, Long> metrics, OptionalLong version) {
        return new FlowResult(flowName(), name.toString(), status, rows, metrics, version, 0);
    }
}
