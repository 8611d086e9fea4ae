package io.tidemark.compile;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.state.StateShape;
import io.tidemark.compile.state.StateTable;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** What a task remembers. Each relation is opened when it is asked for. */
final class TaskState {
    /** Which input partition contributes what to which output. */
    static final StateShape CONTRIBUTIONS = new StateShape(
            "contributions",
            StructType.of(
                    StructField.of("subject", ScalarType.STRING),
                    StructField.of("out", ScalarType.STRING),
                    StructField.of("idx", ScalarType.LONG),
                    StructField.of("hash", ScalarType.BINARY),
                    StructField.of("value", ScalarType.BINARY)),
            1);
    /** Which partition refers to which. */
    static final StateShape REFERENCES = new StateShape(
            "references",
            StructType.of(
                    StructField.of("source", ScalarType.STRING),
                    StructField.of("node", ScalarType.STRING),
                    StructField.of("name", ScalarType.STRING),
                    StructField.of("target", ScalarType.STRING)),
            2);
    /** Which partition has read which others. */
    static final StateShape READS = new StateShape(
            "reads",
            StructType.of(StructField.of("subject", ScalarType.STRING), StructField.of("target", ScalarType.STRING)),
            1);
    /** The dependency graph of the patterns Dep and IncrementalDep. */
    static final StateShape EDGES = new StateShape(
            "edges",
            StructType.of(
                    StructField.of("subject", ScalarType.STRING),
                    StructField.of("out", ScalarType.STRING),
                    StructField.of("target", ScalarType.STRING)),
            1);
    /** What each output was made from. */
    static final StateShape RECIPES = new StateShape(
            "recipes",
            StructType.of(StructField.of("out", ScalarType.STRING), StructField.of("recipe", ScalarType.BINARY)),
            1);
    /** All shapes, for those who take a task's state away. */
    static final List<StateShape> SHAPES = List.of(CONTRIBUTIONS, REFERENCES, READS, EDGES, RECIPES);

    private final Function<StateShape, StateTable> open;
    private final Map<StateShape, StateTable> tables = new HashMap<>();

    private TaskState(Function<StateShape, StateTable> open) {
        this.open = open;
    }

    /** The state at a version. */
    static TaskState at(Relations relations, Catalog catalog, CatalogVersion version, String task) {
        return new TaskState(shape -> StateTable.of(relations, catalog, version, task, shape));
    }

    /** No state, from which a full run starts. */
    static TaskState empty(Relations relations, String task) {
        return new TaskState(shape -> StateTable.empty(relations, task, shape));
    }

    /** A relation of the state. */
    StateTable table(StateShape shape) {
        return tables.computeIfAbsent(shape, open);
    }

    StateTable contributions() {
        return table(CONTRIBUTIONS);
    }

    StateTable references() {
        return table(REFERENCES);
    }

    StateTable reads() {
        return table(READS);
    }

    StateTable edges() {
        return table(EDGES);
    }

    StateTable recipes() {
        return table(RECIPES);
    }
}
