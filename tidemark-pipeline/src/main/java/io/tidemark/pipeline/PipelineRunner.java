package io.tidemark.pipeline;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
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
import io.tidemark.pipeline.update.DefinitionCheck;
import io.tidemark.pipeline.update.UpdateContext;
import io.tidemark.sql.warehouse.Warehouse;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Runs a pipeline once: each dataset in the order of the dataflow graph, each flow with at most one commit, or one for
 * each snapshot. The whole definition is checked before anything is written.
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
     * Checks the pipeline and runs it. If its definition has a fault, nothing is written. If a dataset fails while it is
     * updated, those that read it are skipped, and the others are updated all the same.
     *
     * @return what each flow and materialized view did, in the order of the updates
     * @throws TidemarkException all errors together
     */
    public List<FlowResult> run(PipelineDefinition pipeline, RunOptions options) {
        DataflowGraph graph = graph(pipeline, options);
        PipelineViews views = new PipelineViews(
                pipeline.datasets().stream()
                        .filter(View.class::isInstance)
                        .map(View.class::cast)
                        .toList(),
                warehouse);
        FlowSources.Setting sources = new FlowSources.Setting(
                engine,
                warehouse,
                views,
                baseFolder,
                FlowSources.SkippedChanges.of(pipeline.settings()),
                Optional.empty());
        UpdateContext context = new UpdateContext(
                engine, warehouse, sources, options, listener, clock, new AtomicLong(), new HashMap<>());
        List<TidemarkException> faults = DefinitionCheck.run(context, graph).stream()
                .filter(fault -> options.dryRun() || refusesRun(fault))
                .toList();
        if (!faults.isEmpty()) {
            throw TidemarkException.together(faults);
        }
        listener.planned(steps(graph, options));
        return options.dryRun() ? List.of() : new DatasetUpdates(graph, context).run();
    }

    /** What can be told from the definition alone and from names. */
    private DataflowGraph graph(PipelineDefinition pipeline, RunOptions options) {
        Faults faults = new Faults();
        for (FlowDefinition flow : pipeline.flows()) {
            if (flow instanceof AutoCdcFlow change) {
                AutoCdcRules.check(change).forEach(faults::add);
            }
        }
        faults.check(() -> checkRefresh(pipeline, options));
        Optional<DataflowGraph> graph = faults.find(() -> DataflowGraph.of(pipeline, engine, warehouse));
        faults.throwAny();
        return graph.orElseThrow();
    }

    /** Broken data of one dataset is no reason to leave the others as they are; a wrong definition is. */
    private static boolean refusesRun(TidemarkException fault) {
        return fault.code().category() == ErrorCategory.USER || fault.code() == ErrorCode.FILE_NOT_FOUND;
    }

    private static void checkRefresh(PipelineDefinition pipeline, RunOptions options) {
        Set<TableName> unknown = new TreeSet<>(options.refresh());
        pipeline.datasets().forEach(dataset -> unknown.remove(dataset.name()));
        if (!unknown.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.USAGE,
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
                            ? change.storedAs().sql() + (change.isSnapshot() ? " from snapshots" : "")
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
