package io.tidemark.compile;

import io.tidemark.compile.work.Relations;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Runs a task of a pattern with intermediate values. A full run is an incremental one that starts from no state and in
 * which every partition has changed, so both are one algorithm.
 */
final class ContributionRun<T> {
    private final TaskContext context;
    private final Pattern.WithIntermediates<T> pattern;
    private final TaskState state;
    private final boolean full;
    private final Relations relations;
    private final CompileInRun compileIn;

    ContributionRun(TaskContext context, Pattern.WithIntermediates<T> pattern, TaskState state) {
        this.context = context;
        this.pattern = pattern;
        this.state = state;
        this.full = context.full();
        this.relations = context.relations();
        this.compileIn = new CompileInRun(context);
    }

    TaskResult run() {
        String subjects = context.subjects();
        String changed = full
                ? relations.view("changed", "SELECT k, 'added' AS kind FROM " + subjects)
                : relations.table("changed", "SELECT k, kind FROM " + context.changed());
        List<TaskResult.StateStep> steps = new ArrayList<>();
        Optional<String> reachNow = Optional.empty();
        List<String> causes = new ArrayList<>();
        causes.add("SELECT k FROM " + changed);
        causes.add(
                "SELECT r.subject AS k FROM " + state.reads().live() + " r JOIN " + changed + " c ON c.k = r.target");
        if (pattern instanceof Pattern.RefTree<?> tree) {
            ReferenceGraph graph = new ReferenceGraph(context, tree, state.references());
            TaskResult.StateStep step = graph.resolve(subjects, changed);
            steps.add(step);
            String reach = graph.reach(step.next());
            reachNow = Optional.of(reach);
            for (String each : List.of(graph.reach(state.references().live()), reach)) {
                causes.add("SELECT r.subject AS k FROM " + each + " r JOIN " + changed + " c ON c.k = r.target");
            }
        }
        String dirty = relations.table(
                "dirty_subjects",
                "SELECT k FROM " + subjects + " INTERSECT SELECT k FROM (" + String.join(" UNION ALL ", causes)
                        + ") a");
        String touched = relations.view(
                "touched",
                "SELECT k AS subject FROM " + dirty + " UNION ALL SELECT k AS subject FROM " + changed
                        + " WHERE kind = 'deleted'");
        CompileInRun.Result compiled = compileIn.run(
                dirty,
                new CompileInRun.Along(
                        reachNow,
                        full ? Optional.empty() : Optional.of(state.reads().live()),
                        Optional.empty()));
        return publishable(dirty, touched, compiled, reachNow, steps);
    }

    private TaskResult publishable(
            String dirty,
            String touched,
            CompileInRun.Result compiled,
            Optional<String> reach,
            List<TaskResult.StateStep> steps) {
        String old = state.contributions().live();
        String values =
                relations.table("fresh_values", "SELECT subject, out, idx, hash, value FROM " + compiled.values());
        String dirtyOuts = relations.table("dirty_outs", changedOuts(old, touched, values));
        String now = state.contributions().next(touched, values);
        String contributors = relations.table(
                "contributors",
                "SELECT c.subject, c.out, c.idx, c.hash, c.value FROM " + now + " c JOIN " + dirtyOuts
                        + " d ON d.out = c.out");
        if (pattern instanceof Pattern.Direct<?> direct && direct.oneToN()) {
            checkOneToN(contributors);
        } else if (!pattern.backEnd().keepsValues() && !full) {
            contributors = withValues(contributors, reach);
        }
        CompileOutRun<T> compileOut = new CompileOutRun<>(context, pattern.backEnd());
        String result = compileOut.run(dirtyOuts, contributors, state.recipes().live());
        checkOutputsOfOneKey(result);

        String kept = keepsValues()
                ? values
                : relations.view(
                        "kept_values",
                        "SELECT subject, out, idx, hash, "
                                + relations.engine().dialect().nullOf(io.tidemark.core.type.ScalarType.BINARY)
                                + " AS value FROM " + values);
        String recipes = relations.view("fresh_recipes", CandidateRows.recipes(result));
        steps.add(step(state.contributions(), touched, kept));
        steps.add(step(state.reads(), touched, compiled.reads()));
        steps.add(step(state.recipes(), dirtyOuts, recipes));
        return new TaskResult(
                relations.view("candidates", CandidateRows.candidates(result)),
                steps,
                relations.count(dirty),
                compileIn.calls(),
                compileOut.calls());
    }

    /** In Direct1ToN all contributors of an affected output are affected themselves, so no value is ever needed again. */
    private boolean keepsValues() {
        return pattern.backEnd().keepsValues() && !(pattern instanceof Pattern.Direct<?> direct && direct.oneToN());
    }

    private static TaskResult.StateStep step(io.tidemark.compile.state.StateTable table, String touched, String fresh) {
        return new TaskResult.StateStep(table, table.next(touched, fresh), touched, fresh);
    }

    /** Cutoff: an output is affected only if the set of its contributions has changed. */
    private String changedOuts(String old, String touched, String values) {
        String columns = "subject, out, idx, hash";
        String before =
                "SELECT " + columns + " FROM " + old + " WHERE subject IN (SELECT subject FROM " + touched + ")";
        String after = "SELECT " + columns + " FROM " + values;
        return "SELECT DISTINCT out FROM ((SELECT * FROM (" + before + ") b1 EXCEPT SELECT * FROM (" + after
                + ") a1) UNION ALL (SELECT * FROM (" + after + ") a2 EXCEPT SELECT * FROM (" + before + ") b2)) d";
    }

    private void checkOneToN(String contributors) {
        List<String> outs = new ArrayList<>();
        relations.engine().stream(
                "SELECT out, min(subject) AS first, max(subject) AS last FROM " + contributors
                        + " GROUP BY out HAVING min(subject) <> max(subject) ORDER BY out",
                row -> {
                    outs.add(Keys.parseOut(String.valueOf(row.get(0))) + " comes from "
                            + Keys.parse(String.valueOf(row.get(1))) + " and "
                            + Keys.parse(String.valueOf(row.get(2))));
                    return outs.size() < 10;
                });
        if (!outs.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.ONE_TO_N_VIOLATION,
                            "in task " + context.task().id() + " " + outs.get(0)
                                    + ", and pattern Direct1ToN allows one input for each output")
                    .detail(String.join(".\n", outs) + ".")
                    .hint("change the mapping, or use pattern DirectMToN")
                    .build();
        }
    }

    /** Compiles contributors in again of which the state keeps the hash alone. */
    private String withValues(String contributors, Optional<String> reach) {
        String missing = relations.table(
                "without_value", "SELECT DISTINCT subject AS k FROM " + contributors + " WHERE value IS NULL");
        if (relations.count(missing) == 0) {
            return contributors;
        }
        CompileInRun.Result again = compileIn.run(
                missing, new CompileInRun.Along(reach, Optional.of(state.reads().live()), Optional.empty()));
        String complete = relations.table(
                "complete",
                "SELECT c.subject, c.out, c.idx, c.hash, coalesce(c.value, a.value) AS value FROM " + contributors
                        + " c LEFT JOIN " + again.values()
                        + " a ON a.subject = c.subject AND a.out = c.out AND a.idx = c.idx AND a.hash = c.hash");
        List<String> lost = relations.texts("SELECT subject FROM " + complete + " WHERE value IS NULL", 1);
        if (!lost.isEmpty()) {
            throw CompileInRun.nondeterministic(
                    context.task().id(), "compileIn", Keys.parse(lost.get(0)).toString());
        }
        return complete;
    }

    /** Two keys of a back end that makes several partitions must not announce the same one. */
    private void checkOutputsOfOneKey(String result) {
        if (pattern.backEnd().announcement().isEmpty()) {
            return;
        }
        relations.engine().stream(
                "SELECT layer, partition, min(out) AS first, max(out) AS last FROM " + result
                        + " WHERE layer IS NOT NULL GROUP BY layer, partition HAVING count(*) > 1",
                row -> {
                    throw TidemarkException.of(
                                    ErrorCode.DUPLICATE_PARTITION,
                                    "task " + context.task().id() + " announces " + row.get(0) + "/" + row.get(1)
                                            + " for " + row.get(2) + " and for " + row.get(3))
                            .build();
                });
    }
}
