package io.tidemark.pipeline.graph;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.Faults;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcFlow;
import io.tidemark.core.flow.DatasetDefinition;
import io.tidemark.core.flow.DatasetDefinition.MaterializedView;
import io.tidemark.core.flow.DatasetDefinition.StreamingTable;
import io.tidemark.core.flow.DatasetDefinition.View;
import io.tidemark.core.flow.FlowDefinition;
import io.tidemark.core.flow.PipelineDefinition;
import io.tidemark.core.flow.SnapshotSource;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.query.QueryScanner;
import io.tidemark.sql.query.RelationReference;
import io.tidemark.sql.query.ScannedQuery;
import io.tidemark.sql.query.SnapshotFunctions;
import io.tidemark.sql.warehouse.Warehouse;
import io.tidemark.sql.warehouse.WarehouseObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which dataset of a pipeline reads which, and the order in which they are updated: a dataset after all that it reads,
 * otherwise in the order of the text.
 */
public final class DataflowGraph {
    private final Engine engine;
    private final Warehouse warehouse;
    private final Map<TableName, DatasetDefinition> datasets = new LinkedHashMap<>();
    private final Map<TableName, List<FlowDefinition>> flows = new HashMap<>();
    private final Map<TableName, Map<TableName, TextLocation>> reads = new HashMap<>();
    private final List<TableName> order = new ArrayList<>();
    private final Faults faults = new Faults();

    private DataflowGraph(Engine engine, Warehouse warehouse) {
        this.engine = engine;
        this.warehouse = warehouse;
    }

    /**
     * Builds the graph of a pipeline.
     *
     * @throws TidemarkException {@code UNKNOWN_TARGET}, {@code TARGET_KIND}, {@code TWO_WRITERS},
     *     {@code DUPLICATE_NAME}, {@code UNKNOWN_TABLE} or {@code GRAPH_CYCLE}, each naming both ends; all faults together
     */
    public static DataflowGraph of(PipelineDefinition pipeline, Engine engine, Warehouse warehouse) {
        DataflowGraph graph = new DataflowGraph(engine, warehouse);
        pipeline.datasets().forEach(dataset -> graph.faults.check(() -> graph.add(dataset)));
        pipeline.flows().forEach(flow -> graph.faults.check(() -> graph.add(flow)));
        graph.datasets.keySet().forEach(graph::findReads);
        Set<TableName> done = new LinkedHashSet<>();
        for (TableName name : graph.datasets.keySet()) {
            graph.visit(name, done, new ArrayList<>());
        }
        graph.faults.throwAny();
        graph.order.addAll(done);
        return graph;
    }

    /** The datasets in the order of their updates. */
    public List<DatasetDefinition> ordered() {
        return order.stream().map(this::dataset).toList();
    }

    /** The flows into a table, in the order of the text. */
    public List<FlowDefinition> flowsInto(TableName table) {
        return flows.getOrDefault(table, List.of());
    }

    /** The datasets of the pipeline that a dataset reads. */
    public Set<TableName> readBy(TableName name) {
        return reads.getOrDefault(name, Map.of()).keySet();
    }

    private DatasetDefinition dataset(TableName name) {
        DatasetDefinition found = datasets.get(name);
        if (found == null) {
            throw new IllegalStateException("no dataset " + name);
        }
        return found;
    }

    private void add(DatasetDefinition dataset) {
        DatasetDefinition other = datasets.putIfAbsent(dataset.name(), dataset);
        if (other != null) {
            throw TidemarkException.of(ErrorCode.TWO_WRITERS, "dataset " + dataset.name() + " is defined twice")
                    .at(dataset.location())
                    .detail("It is also defined at " + other.location() + ".")
                    .hint("give one of them another name")
                    .build();
        }
    }

    private void add(FlowDefinition flow) {
        DatasetDefinition target = datasets.get(flow.target());
        if (target == null) {
            throw TidemarkException.of(
                            ErrorCode.UNKNOWN_TARGET,
                            "flow " + flow.name() + " writes table " + flow.target()
                                    + ", which the pipeline does not create")
                    .at(flow.location())
                    .hint("add CREATE OR REFRESH STREAMING TABLE " + flow.target() + ";")
                    .build();
        }
        if (!(target instanceof StreamingTable)) {
            throw TidemarkException.of(
                            ErrorCode.TARGET_KIND,
                            "flow " + flow.name() + " writes " + flow.target() + ", which is no streaming table")
                    .at(flow.location())
                    .detail(flow.target() + " is defined at " + target.location() + ".")
                    .hint("make it with CREATE OR REFRESH STREAMING TABLE")
                    .build();
        }
        List<FlowDefinition> others = flows.computeIfAbsent(flow.target(), name -> new ArrayList<>());
        for (FlowDefinition other : others) {
            boolean kinds = other instanceof AutoCdcFlow != flow instanceof AutoCdcFlow;
            boolean names = other.name().equalsIgnoreCase(flow.name());
            if (kinds || names) {
                throw TidemarkException.of(
                                kinds ? ErrorCode.TARGET_KIND : ErrorCode.DUPLICATE_NAME,
                                kinds
                                        ? "table " + flow.target() + " is written by change flows and by append flows"
                                        : "two flows into table " + flow.target() + " are called " + flow.name())
                        .at(flow.location())
                        .detail("The other one is flow " + other.name() + " at " + other.location() + ".")
                        .hint(kinds ? "write them to tables of their own" : "give one of them another name")
                        .build();
            }
        }
        others.add(flow);
    }

    private void findReads(TableName name) {
        Map<TableName, TextLocation> found = new TreeMap<>();
        for (QueryText query : faults.find(() -> queries(dataset(name))).orElse(List.of())) {
            faults.find(() -> names(query)).ifPresent(names -> names.forEach(found::putIfAbsent));
        }
        found.forEach((read, location) -> faults.check(() -> checkKnown(read, location)));
        found.keySet().retainAll(datasets.keySet());
        reads.put(name, found);
    }

    private List<QueryText> queries(DatasetDefinition dataset) {
        if (dataset instanceof View view) {
            return List.of(view.query());
        }
        if (dataset instanceof MaterializedView view) {
            return List.of(view.query());
        }
        return flowsInto(dataset.name()).stream()
                .flatMap(flow -> queries(flow).stream())
                .toList();
    }

    private static List<QueryText> queries(FlowDefinition flow) {
        Optional<SnapshotSource> snapshot = flow instanceof AutoCdcFlow change ? change.snapshot() : Optional.empty();
        if (snapshot.isEmpty()) {
            return List.of(flow.query());
        }
        if (snapshot.get() instanceof SnapshotSource.Provided) {
            // What a function will read is known only when it is asked.
            return List.of();
        }
        QueryText rows = SnapshotFunctions.withoutCurrent(flow.query(), "NULL");
        return snapshot.get() instanceof SnapshotSource.Versioned versioned
                ? List.of(rows, SnapshotFunctions.withLast(versioned.version(), "NULL"))
                : List.of(rows);
    }

    private Map<TableName, TextLocation> names(QueryText query) {
        ScannedQuery scanned = QueryScanner.scan(query);
        Map<TableName, TextLocation> names = new HashMap<>();
        for (RelationReference reference : scanned.references()) {
            if (reference instanceof RelationReference.TableReference table) {
                names.putIfAbsent(table.table(), table.location());
            } else if (reference instanceof RelationReference.ChangesReference changes) {
                names.putIfAbsent(changes.table(), changes.location());
            }
        }
        for (QueryShape.Read read : engine.shapeOf(scanned.text()).reads()) {
            List<String> parts = read.parts();
            boolean placeholder =
                    parts.size() == 1 && scanned.reference(parts.get(0)).isPresent();
            if (!placeholder && parts.size() <= 2) {
                TableName name =
                        parts.size() == 1 ? TableName.of(parts.get(0)) : new TableName(parts.get(0), parts.get(1));
                names.putIfAbsent(name, read.location());
            }
        }
        return names;
    }

    private void checkKnown(TableName name, TextLocation location) {
        if (datasets.containsKey(name) || !(warehouse.lookup(name) instanceof WarehouseObject.Nothing)) {
            return;
        }
        List<String> near = warehouse.near(name);
        List<String> own = datasets.keySet().stream().map(TableName::toString).toList();
        String hint = near.isEmpty()
                ? "the pipeline defines " + (own.isEmpty() ? "nothing" : String.join(", ", own))
                : "did you mean " + String.join(", ", near) + "?";
        throw TidemarkException.of(ErrorCode.UNKNOWN_TABLE, "there is no table or view " + name)
                .at(location)
                .hint(hint)
                .build();
    }

    private void visit(TableName name, Set<TableName> done, List<TableName> path) {
        if (done.contains(name)) {
            return;
        }
        if (path.contains(name)) {
            faults.add(cycle(path.subList(path.indexOf(name), path.size())));
            return;
        }
        path.add(name);
        for (TableName read : readBy(name)) {
            visit(read, done, path);
        }
        path.remove(path.size() - 1);
        done.add(name);
    }

    private TidemarkException cycle(List<TableName> circle) {
        TableName first = circle.get(0);
        TableName last = circle.get(circle.size() - 1);
        List<String> names =
                new ArrayList<>(circle.stream().map(TableName::toString).toList());
        names.add(first.toString());
        TextLocation place = Optional.ofNullable(
                        reads.getOrDefault(last, Map.of()).get(first))
                .orElse(dataset(last).location());
        return TidemarkException.of(
                        ErrorCode.GRAPH_CYCLE,
                        first.equals(last)
                                ? first + " reads itself"
                                : first + " and " + last + " read each other in a circle")
                .at(place)
                .detail("The circle is " + String.join(" reads ", names) + ".")
                .hint("break the circle by a table that another pipeline fills")
                .build();
    }
}
