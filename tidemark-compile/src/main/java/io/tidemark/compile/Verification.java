package io.tidemark.compile;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.state.StateShape;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Compares what an incremental run has found with a full run of the same task: its output, and its state. */
final class Verification {
    private static final int LISTED_MAX = 10;

    private final Catalog output;
    private final CatalogVersion base;
    private final TaskContext context;
    private final Relations relations;

    Verification(Catalog output, CatalogVersion base, TaskContext context) {
        this.output = output;
        this.base = base;
        this.context = context;
        this.relations = context.relations();
    }

    /** Runs the functions of a task. */
    @FunctionalInterface
    interface Execution {
        TaskResult run(TaskContext context, TaskState state, boolean full);
    }

    /** Checks that nothing was missed by not running the task. */
    void skipped(Execution execution) {
        TaskState state = TaskState.at(relations, output, base, context.task().id());
        compare(
                execution,
                "SELECT layer, partition, kind, checksum FROM (" + noDifference() + ") n",
                shape -> state.table(shape).live());
    }

    /** Checks the result of an incremental run. */
    void incremental(Execution execution, TaskResult result, Difference difference) {
        compare(
                execution,
                "SELECT layer, partition, kind, checksum FROM " + difference.relation(),
                shape -> result.state().stream()
                        .filter(step -> step.table().shape().equals(shape))
                        .map(TaskResult.StateStep::next)
                        .findFirst()
                        .orElseThrow());
    }

    private static String noDifference() {
        return "SELECT '' AS layer, '' AS partition, '' AS kind, '' AS checksum WHERE 1 = 0";
    }

    private void compare(Execution execution, String difference, Function<StateShape, String> state) {
        Task task = context.task();
        TaskResult full = execution.run(context, TaskState.empty(relations, task.id()), true);
        Difference expected = Difference.of(relations, output, base, task, full.candidates(), true);
        List<String> faults = new ArrayList<>();
        String wanted = "SELECT layer, partition, kind, checksum FROM " + expected.relation();
        faults(faults, "output", "concat(layer, '/', partition, ' ', kind)", wanted, difference);
        for (TaskResult.StateStep step : full.state()) {
            StateShape shape = step.table().shape();
            String columns = shape.columns().names().stream()
                    .filter(column -> !column.equals("value"))
                    .collect(Collectors.joining(", "));
            // Hashes are left out of the text; a person reads it.
            String text = shape.columns().names().stream()
                    .filter(column -> !List.of("value", "hash", "recipe").contains(column))
                    .map(column -> "CAST(" + column + " AS "
                            + relations.engine().dialect().type(io.tidemark.core.type.ScalarType.STRING) + ")")
                    .collect(Collectors.joining(", ' -> ', "));
            faults(
                    faults,
                    shape.name(),
                    "concat(" + text + ")",
                    "SELECT " + columns + " FROM " + step.next(),
                    "SELECT " + columns + " FROM " + state.apply(shape));
        }
        if (!faults.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.VERIFY_FAILED,
                            "the incremental run of task " + task.id() + " differs from a full run: " + faults.get(0))
                    .detail(String.join(".\n", faults) + ".")
                    .hint("a function of the task depends on something that it does not say, or is not deterministic")
                    .build();
        }
    }

    private void faults(List<String> faults, String what, String text, String full, String incremental) {
        String wanted = relations.table("verified_full", full);
        String found = relations.table("verified_incremental", incremental);
        List<String> missing = relations.texts(
                "SELECT DISTINCT " + text + " AS t FROM (SELECT * FROM " + wanted + " EXCEPT SELECT * FROM " + found
                        + ") m ORDER BY t",
                LISTED_MAX);
        List<String> surplus = relations.texts(
                "SELECT DISTINCT " + text + " AS t FROM (SELECT * FROM " + found + " EXCEPT SELECT * FROM " + wanted
                        + ") m ORDER BY t",
                LISTED_MAX);
        missing.forEach(each -> faults.add(what + " lacks " + each));
        surplus.forEach(each -> faults.add(what + " has " + each + ", which the full run has not"));
    }
}
