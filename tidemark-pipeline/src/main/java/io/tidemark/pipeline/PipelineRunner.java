package io.tidemark.pipeline;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.AutoCdcRules;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.graph.DataflowGraph;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunListener;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.source.PipelineViews;
import io.tidemark.pipeline.update.TableUpdate;
import io.tidemark.pipeline.update.UpdateContext;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a pipeline once: each dataset in the order of the dataflow graph, each flow with at most one commit. What was
 * committed before an error stays; the flow that failed left nothing behind.
 */
public final class PipelineRunner {
    private final Warehouse warehouse;
    private final Engine engine;
    private final Path baseFolder;
    private final RunListener listener;
    private final Clock clock;

    /**
     * A runner.
     *
     * @param warehouse where tables are
     * @param engine what computes
     * @param baseFolder where relative paths of sources begin
     * @param listener hears of progress
     * @param clock tells when events arrive
     */
    public PipelineRunner(Warehouse warehouse, Engine engine, Path baseFolder, RunListener listener, Clock clock) {
        this.warehouse = warehouse;
        this.engine = engine;
        this.baseFolder = baseFolder;
        this.listener = listener;
        this.clock = clock;
    }

    /**
     * Runs the pipeline.
     *
     * @return what each flow and materialized view did, in the order of the updates
     * @throws TidemarkException the first error
     */
    public List<FlowResult> run(PipelineDefinition pipeline, RunOptions options) {
        checkFlows(pipeline);
        checkRefresh(pipeline, options);
        DataflowGraph graph = DataflowGraph.of(pipeline, engine, warehouse);
        listener.planned(steps(graph, options));
        if (options.dryRun()) {
            return List.of();
        }
        PipelineViews views = new PipelineViews(
                pipeline.datasets().stream()
                        .filter(View.class::isInstance)
                        .map(View.class::cast)
                        .toList(),
                warehouse);
        FlowSources.Setting sources = new FlowSources.Setting(
                engine, warehouse, views, baseFolder, FlowSources.SkippedChanges.of(pipeline.settings()));
        UpdateContext context =
                new UpdateContext(engine, warehouse, sources, options, listener, clock, new AtomicLong());
        return update(graph, new TableUpdate(context));
    }

    private List<FlowResult> update(DataflowGraph graph, TableUpdate update) {
        List<FlowResult> results = new ArrayList<>();
        for (DatasetDefinition dataset : graph.ordered()) {
            if (dataset instanceof StreamingTable table) {
                results.addAll(update.update(table, graph.flowsInto(table.name())));
            } else if (dataset instanceof MaterializedView view) {
                results.add(update.refresh(view));
            } else if (dataset instanceof View view && !view.temporary()) {
                warehouse.putView(view, true);
            }
        }
        return results;
    }

    private static void checkFlows(PipelineDefinition pipeline) {
        for (FlowDefinition flow : pipeline.flows()) {
            if (flow instanceof AutoCdcFlow change) {
                List<TidemarkException> faults = AutoCdcRules.check(change);
                if (!faults.isEmpty()) {
                    throw faults.get(0);
                }
            }
        }
    }

    private static void checkRefresh(PipelineDefinition pipeline, RunOptions options) {
        Set<TableName> unknown = new TreeSet<>(options.refresh());
        pipeline.datasets().forEach(dataset -> unknown.remove(dataset.name()));
        if (!unknown.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_TABLE,
                            "the pipeline has no table " + unknown.iterator().next() + ", which is to be refreshed")
                    .hint("name tables of the pipeline, or refresh all with --full-refresh")
                    .build();
        }
    }

    private static List<String> steps(DataflowGraph graph, RunOptions options) {
        List<String> steps = new ArrayList<>();
        for (DatasetDefinition dataset : graph.ordered()) {
            TableName name = dataset.name();
            Set<TableName> read = graph.readBy(name);
            String from = read.isEmpty()
                    ? ""
                    : "  after "
                            + String.join(
                                    ", ", read.stream().map(TableName::toString).toList());
            if (dataset instanceof StreamingTable) {
                String refresh = options.refreshes(name) ? "  (full refresh)" : "";
                for (FlowDefinition flow : graph.flowsInto(name)) {
                    String kind = flow instanceof AutoCdcFlow change
                            ? change.storedAs().sql()
                            : "append";
                    steps.add("flow " + flow.name() + " -> " + name + "  " + kind + refresh + from);
                }
                if (graph.flowsInto(name).isEmpty()) {
                    steps.add("table " + name + "  no flow");
                }
            } else if (dataset instanceof MaterializedView) {
                steps.add("materialized view " + name + from);
            } else {
                steps.add("view " + name + from);
            }
        }
        return steps;
    }
}
