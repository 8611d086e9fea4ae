package io.tidemark.pipeline;

import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.graph.DataflowGraph;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.update.TableUpdate;
import io.tidemark.pipeline.update.UpdateContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Updates the datasets of a checked pipeline in order; what does not depend on a failed one goes on. */
final class DatasetUpdates {
    /** After these the next dataset would fail in the same way, or must not be tried. */
    private static final Set<ErrorCode> FINAL = Set.of(ErrorCode.INTERRUPTED, ErrorCode.DISK_FULL);

    private final DataflowGraph graph;
    private final UpdateContext context;
    private final TableUpdate update;
    private final List<FlowResult> results = new ArrayList<>();
    private final Faults faults = new Faults();
    /** Datasets that are not up to date, each with the one that failed. */
    private final Map<TableName, TableName> behind = new HashMap<>();

    DatasetUpdates(DataflowGraph graph, UpdateContext context) {
        this.graph = graph;
        this.context = context;
        this.update = new TableUpdate(context);
    }

    /**
     * Updates all datasets.
     *
     * @throws TidemarkException the errors of all that failed, together
     */
    List<FlowResult> run() {
        for (DatasetDefinition dataset : graph.ordered()) {
            Optional<TableName> failed = graph.readBy(dataset.name()).stream()
                    .filter(behind::containsKey)
                    .map(behind::get)
                    .findFirst();
            if (failed.isPresent()) {
                behind.put(dataset.name(), failed.get());
            }
            if (failed.isPresent() && !(dataset instanceof View)) {
                skip(dataset, failed.get());
            } else if (!attempt(dataset)) {
                break;
            }
        }
        faults.throwAny();
        return results;
    }

    /** Updates a dataset and returns whether to go on with others. */
    private boolean attempt(DatasetDefinition dataset) {
        try {
            update(dataset);
            return true;
        } catch (TidemarkException e) {
            faults.add(e);
            behind.put(dataset.name(), dataset.name());
            return !FINAL.contains(e.code()) && e.code().category() != ErrorCategory.BUG;
        }
    }

    private void update(DatasetDefinition dataset) {
        if (dataset instanceof StreamingTable table) {
            results.addAll(update.update(table, graph.flowsInto(table.name())));
        } else if (dataset instanceof MaterializedView view) {
            results.add(update.refresh(view));
        } else if (dataset instanceof View view && !view.temporary()) {
            context.warehouse().putView(view, true);
        }
    }

    private void skip(DatasetDefinition dataset, TableName failed) {
        TableName name = dataset.name();
        context.listener().warned("table " + name + " was skipped, because it reads " + failed + ", which failed");
        List<String> updates = dataset instanceof MaterializedView
                ? List.of(name.name())
                : graph.flowsInto(name).stream().map(FlowDefinition::name).toList();
        for (String each : updates) {
            FlowResult result = new FlowResult(
                    each, name.toString(), FlowResult.Status.SKIPPED, 0, Map.of(), OptionalLong.empty(), 0);
            context.listener().finished(result);
            results.add(result);
        }
    }
}
