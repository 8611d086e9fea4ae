package io.tidemark.pipeline.update;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.DatasetDefinition.TableClauses;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.FlowDefinition.AppendFlow;
import io.tidemark.core.flow.TableName;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.Snapshot;
import io.tidemark.pipeline.graph.DataflowGraph;
import io.tidemark.pipeline.source.FlowSources;
import io.tidemark.pipeline.source.PlannedTables;
import io.tidemark.pipeline.source.StreamRules;
import io.tidemark.sql.session.PropertyNames;
import io.tidemark.sql.warehouse.ViewColumns;
import io.tidemark.sql.warehouse.WarehouseObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Binds every dataset of a pipeline, in the order of the dataflow graph, before any of them is written: queries over
 * empty relations with the columns that the tables will have. So all that is wrong with a definition is found in one
 * run, and a refused pipeline changes nothing.
 */
public final class DefinitionCheck {
    private final UpdateContext context;
    private final DataflowGraph graph;
    private final PlannedTables planned = new PlannedTables();
    private final StreamRules rules;
    private final Set<TableName> unbound = new HashSet<>();
    private final Faults faults = new Faults();

    private DefinitionCheck(UpdateContext context, DataflowGraph graph) {
        this.context = context.binding(planned);
        this.graph = graph;
        this.rules = new StreamRules(context.engine(), context.sources().views());
    }

    /**
     * Checks a pipeline and changes nothing.
     *
     * @return all faults, in the order of the graph; of a dataset that reads one whose columns cannot be told, nothing
     *     is said
     */
    public static List<TidemarkException> run(UpdateContext context, DataflowGraph graph) {
        DefinitionCheck check = new DefinitionCheck(context, graph);
        graph.ordered().forEach(check::check);
        return check.faults.list();
    }

    private void check(DatasetDefinition dataset) {
        TableName name = dataset.name();
        if (graph.readBy(name).stream().anyMatch(unbound::contains)) {
            unbound.add(name);
            return;
        }
        Faults found = new Faults();
        boolean bound;
        if (dataset instanceof View view) {
            bound = found.find(() -> bind(view)).isPresent();
            found.check(() -> rules.check("view " + name, view.query()));
        } else {
            Optional<StructType> columns =
                    found.find(() -> columns(dataset, found)).flatMap(known -> known);
            columns.ifPresent(schema -> planned.put(name, schema));
            bound = columns.isPresent();
        }
        if (!bound) {
            unbound.add(name);
        }
        found.list().forEach(fault -> faults.add(fault.at(dataset.location())));
    }

    private Optional<StructType> columns(DatasetDefinition dataset, Faults found) {
        if (context.warehouse().view(dataset.name()).isPresent()) {
            found.add(TidemarkException.of(
                            ErrorCode.TABLE_EXISTS, "the warehouse has a stored view called " + dataset.name())
                    .at(dataset.location())
                    .hint("tables and views share their names: choose another one, or DROP VIEW " + dataset.name())
                    .build());
        }
        if (dataset instanceof MaterializedView view) {
            checkProperties(view.table(), view.location(), found);
            return new MaterializedViewUpdate(context, view).check(found);
        }
        StreamingTable table = (StreamingTable) dataset;
        checkProperties(table.table(), table.location(), found);
        List<FlowDefinition> flows = graph.flowsInto(table.name());
        Optional<Snapshot> existing = context.latest(table.name());
        boolean refresh = context.options().refreshes(table.name()) && existing.isPresent();
        for (FlowDefinition flow : flows) {
            boolean streams = !flow.once() && !(flow instanceof AutoCdcFlow change && change.isSnapshot());
            if (streams) {
                found.check(() -> rules.check("flow " + flow.name(), flow.query()));
            }
        }
        if (flows.isEmpty()) {
            return existing.map(Snapshot::schema)
                    .or(() -> TargetTables.declared(table.table(), Optional.empty()))
                    .or(() -> {
                        found.add(withoutColumns(table));
                        return Optional.empty();
                    });
        }
        if (existing.isPresent() && !refresh && found.list().isEmpty() && isCheckedByItsUpdate(flows)) {
            return existing.map(Snapshot::schema);
        }
        List<AutoCdcFlow> changes = TableUpdate.only(AutoCdcFlow.class, flows);
        return changes.isEmpty()
                ? new AppendTargetUpdate(context, table)
                        .check(TableUpdate.only(AppendFlow.class, flows), refresh, found)
                : new ChangeTargetUpdate(context, table, changes).check(refresh, found);
    }

    /**
     * The update of a change flow begins with the checks that this class would make. If nothing is written before it, it
     * need not be bound twice: that is half the work of an update that finds nothing new.
     */
    private boolean isCheckedByItsUpdate(List<FlowDefinition> flows) {
        boolean alone = graph.ordered().stream()
                .allMatch(dataset -> dataset instanceof StreamingTable || isTemporaryView(dataset));
        long tables = graph.ordered().stream()
                .filter(StreamingTable.class::isInstance)
                .count();
        return alone
                && tables == 1
                && flows.size() == 1
                && flows.get(0) instanceof AutoCdcFlow flow
                && !flow.isSnapshot()
                && !context.options().dryRun();
    }

    private static boolean isTemporaryView(DatasetDefinition dataset) {
        return dataset instanceof View view && view.temporary();
    }

    private Boolean bind(View view) {
        boolean taken = !view.temporary() && context.warehouse().lookup(view.name()) instanceof WarehouseObject.Table;
        if (taken) {
            throw TidemarkException.of(ErrorCode.TABLE_EXISTS, "there is a table called " + view.name())
                    .at(view.location())
                    .hint("give the view another name")
                    .build();
        }
        try (FlowSources sources =
                new FlowSources(context.sources(), FlowSources.Progress.START, context.freshPrefix() + "source_")) {
            PreparedQuery query = sources.prepare(view.query());
            ViewColumns.rename(context.engine(), view, query);
        }
        return Boolean.TRUE;
    }

    private static TidemarkException withoutColumns(StreamingTable table) {
        return TidemarkException.of(
                        ErrorCode.COLUMNS_MISSING, "table " + table.name() + " has neither columns nor a flow")
                .at(table.location())
                .hint("declare its columns: CREATE STREAMING TABLE " + table.name()
                        + " (id BIGINT, …), or write a flow into it")
                .build();
    }

    private static void checkProperties(TableClauses clauses, TextLocation location, Faults found) {
        clauses.properties().forEach((name, value) -> {
            TextLocation place = clauses.propertyPlaces().getOrDefault(name, location);
            found.check(() -> {
                try {
                    PropertyNames.check(Map.of(name, value));
                } catch (TidemarkException e) {
                    throw e.at(place);
                }
            });
        });
    }
}
