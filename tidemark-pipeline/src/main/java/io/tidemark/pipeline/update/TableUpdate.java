package io.tidemark.pipeline.update;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.FlowDefinition.AppendFlow;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.source.FlowSources;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Updates one dataset of a pipeline: the entry to this package. */
public final class TableUpdate {
    private final UpdateContext context;

    /** Updates with the given means. */
    public TableUpdate(UpdateContext context) {
        this.context = context;
    }

    /** Updates a streaming table by its flows, in order. */
    public List<FlowResult> update(StreamingTable table, List<FlowDefinition> flows) {
        List<AutoCdcFlow> changes = new ArrayList<>();
        List<AppendFlow> appends = new ArrayList<>();
        for (FlowDefinition flow : flows) {
            if (flow instanceof AutoCdcFlow change) {
                changes.add(change);
            } else if (flow instanceof AppendFlow append) {
                appends.add(append);
            }
        }
        boolean refresh = context.options().refreshes(table.name())
                && context.table(table.name()).exists();
        if (flows.isEmpty()) {
            return List.of();
        }
        return changes.isEmpty() ? append(table, appends, refresh) : change(table, changes, refresh);
    }

    private List<FlowResult> change(StreamingTable table, List<AutoCdcFlow> flows, boolean refresh) {
        if (refresh) {
            return timedAll(names(flows), table.name(), () -> new ChangeTargetRefresh(context, table).run(flows));
        }
        checkAgreement(table, flows);
        List<FlowResult> results = new ArrayList<>();
        for (AutoCdcFlow flow : flows) {
            results.add(timed(flow.name(), table.name(), () -> new ChangeTargetUpdate(context, table).run(flow)));
        }
        return results;
    }

    private List<FlowResult> append(StreamingTable table, List<AppendFlow> flows, boolean refresh) {
        AppendTargetUpdate update = new AppendTargetUpdate(context, table);
        if (refresh) {
            return timedAll(names(flows), table.name(), () -> update.refresh(flows));
        }
        List<FlowResult> results = new ArrayList<>();
        for (AppendFlow flow : flows) {
            results.add(timed(flow.name(), table.name(), () -> update.run(flow)));
        }
        return results;
    }

    /** Makes a materialized view equal to its query. */
    public FlowResult refresh(MaterializedView view) {
        return timed(view.name().name(), view.name(), () -> new MaterializedViewUpdate(context, view).run());
    }

    /** Flows into one table are opened once before the first of them commits, so that they cannot disagree later. */
    private void checkAgreement(StreamingTable table, List<AutoCdcFlow> flows) {
        if (flows.size() < 2) {
            return;
        }
        List<ChangeFlowRun> runs = new ArrayList<>();
        try {
            for (AutoCdcFlow flow : flows) {
                runs.add(ChangeFlowRun.open(
                        context,
                        flow,
                        FlowSources.Progress.START,
                        TargetTables.declared(table.table(), Optional.of(flow.storedAs())),
                        table.table().columns().isEmpty()));
            }
            FlowAgreement.check(table.name(), runs);
        } finally {
            runs.forEach(ChangeFlowRun::close);
        }
    }

    private static List<String> names(List<? extends FlowDefinition> flows) {
        return flows.stream().map(FlowDefinition::name).toList();
    }

    private FlowResult timed(String flow, TableName target, Supplier<FlowResult> body) {
        return timedAll(List.of(flow), target, () -> List.of(body.get())).get(0);
    }

    private List<FlowResult> timedAll(List<String> flows, TableName target, Supplier<List<FlowResult>> body) {
        String together = String.join(", ", flows);
        context.listener().started(together, target.toString(), context.engine());
        long begin = System.nanoTime();
        try {
            List<FlowResult> results = new ArrayList<>();
            for (FlowResult result : body.get()) {
                FlowResult timed = result.took((System.nanoTime() - begin) / 1_000_000);
                results.add(timed);
                context.listener().finished(timed);
            }
            return results;
        } catch (TidemarkException e) {
            throw e;
        }
    }
}
