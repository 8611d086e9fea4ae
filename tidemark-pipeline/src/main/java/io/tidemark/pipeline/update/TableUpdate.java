package io.tidemark.pipeline.update;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.FlowDefinition.AppendFlow;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.delta.maintenance.AutoCompaction;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.state.TargetEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        boolean exists = context.table(table.name()).exists();
        if (flows.isEmpty()) {
            if (!exists) {
                create(table);
            }
            return List.of();
        }
        boolean refresh = context.options().refreshes(table.name()) && exists;
        List<AutoCdcFlow> changes = only(AutoCdcFlow.class, flows);
        List<AppendFlow> appends = only(AppendFlow.class, flows);
        return changes.isEmpty() ? append(table, appends, refresh) : change(table, changes, refresh);
    }

    static <F extends FlowDefinition> List<F> only(Class<F> kind, List<FlowDefinition> flows) {
        return flows.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** A table without flows is there all the same, empty, so that queries can read it. */
    private void create(StreamingTable table) {
        TargetTables.declared(table.table(), Optional.empty())
                .ifPresent(columns -> TargetTables.create(
                        context.table(table.name()),
                        table.name(),
                        table.table(),
                        columns,
                        new TargetEntry(Optional.empty(), Optional.empty(), Optional.empty(), List.of(), Map.of())));
    }

    private List<FlowResult> change(StreamingTable table, List<AutoCdcFlow> flows, boolean refresh) {
        if (refresh) {
            return timedAll(names(flows), table, () -> new ChangeTargetRefresh(context, table).run(flows));
        }
        List<FlowResult> results = new ArrayList<>();
        for (AutoCdcFlow flow : flows) {
            FlowResult result = change(table, flows, flow);
            results.add(result);
            // Each snapshot is an update of its own, so that a crash between two of them loses neither.
            while (hasFurtherSnapshots(flow) && result.status() == FlowResult.Status.UPDATED) {
                result = change(table, flows, flow);
                if (result.status() == FlowResult.Status.UPDATED) {
                    results.add(result);
                }
            }
        }
        return results;
    }

    private FlowResult change(StreamingTable table, List<AutoCdcFlow> flows, AutoCdcFlow flow) {
        return timed(flow.name(), table, () -> new ChangeTargetUpdate(context, table, flows).run(flow));
    }

    private static boolean hasFurtherSnapshots(AutoCdcFlow flow) {
        return flow.snapshot()
                .filter(source -> !(source instanceof SnapshotSource.Periodic))
                .isPresent();
    }

    private List<FlowResult> append(StreamingTable table, List<AppendFlow> flows, boolean refresh) {
        AppendTargetUpdate update = new AppendTargetUpdate(context, table);
        if (refresh) {
            return timedAll(names(flows), table, () -> update.refresh(flows));
        }
        List<FlowResult> results = new ArrayList<>();
        for (AppendFlow flow : flows) {
            results.add(timed(flow.name(), table, () -> update.run(flow)));
        }
        return results;
    }

    /** Makes a materialized view equal to its query. */
    public FlowResult refresh(MaterializedView view) {
        return timed(view.name().name(), view, () -> new MaterializedViewUpdate(context, view).run());
    }

    /** Small updates must not make a table slow; what was updated stands whether this succeeds or not. */
    private void compact(DatasetDefinition target, List<FlowResult> results) {
        if (results.stream().noneMatch(result -> result.status() == FlowResult.Status.UPDATED)) {
            return;
        }
        AutoCompaction.run(
                context.engine(),
                context.warehouse().storage(),
                () -> context.table(target.name()),
                snapshot -> snapshot.domain(TargetEntry.DOMAIN)
                        .map(json -> TargetEntry.parse(json).keyColumns())
                        .orElse(List.of()));
    }

    private static List<String> names(List<? extends FlowDefinition> flows) {
        return flows.stream().map(FlowDefinition::name).toList();
    }

    private FlowResult timed(String flow, DatasetDefinition target, Supplier<FlowResult> body) {
        return timedAll(List.of(flow), target, () -> List.of(body.get())).get(0);
    }

    private List<FlowResult> timedAll(List<String> flows, DatasetDefinition target, Supplier<List<FlowResult>> body) {
        String together = String.join(", ", flows);
        context.listener().started(together, target.name().toString(), context.engine());
        long begin = System.nanoTime();
        try {
            List<FlowResult> results = new ArrayList<>();
            for (FlowResult result : body.get()) {
                FlowResult timed = result.took((System.nanoTime() - begin) / 1_000_000);
                results.add(timed);
                context.listener().finished(timed);
            }
            compact(target, results);
            return results;
        } catch (TidemarkException e) {
            throw e.at(target.location());
        }
    }
}
