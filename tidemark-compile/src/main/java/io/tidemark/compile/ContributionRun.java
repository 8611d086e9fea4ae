package io.tidemark.compile;

import io.tidemark.compile.work.Relations;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

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
        List<TaskResult.StateStep> steps = new ArrayList<>();
        Affected affected = full
                ? all(steps)
                : pattern instanceof Pattern.RefTree<?> || state.reads().exists()
                        ? reached(steps)
                        : changedThemselves();
        CompileInRun.Result compiled = compileIn.run(
                affected.subjects(),
                new CompileInRun.Along(
                        affected.reach(),
                        full || !state.reads().exists()
                                ? Optional.empty()
                                : Optional.of(state.reads().live()),
                        Optional.empty(),
                        affected.isChanged() ? context.changedCount() : OptionalLong.empty()));
        return publishable(affected, compiled, steps);
    }

    /**
     * The input partitions that are compiled in.
     *
     * @param subjects relation with {@code k}
     * @param touched relation of them and of those that are gone
     * @param reach what they reach by references
     * @param isChanged whether all of them have changed themselves
     */
    private record Affected(String subjects, String touched, Optional<String> reach, boolean isChanged) {}

    private Affected all(List<TaskResult.StateStep> steps) {
        String subjects = context.subjects();
        String changed = relations.view("changed", "SELECT k, 'added' AS kind FROM " + subjects);
        Optional<String> reach = Optional.empty();
        if (pattern instanceof Pattern.RefTree<?> tree) {
            ReferenceGraph graph = new ReferenceGraph(context, tree, state.references());
            TaskResult.StateStep step = graph.resolve(subjects, changed);
            steps.add(step);
            reach = Optional.of(graph.reach(step.next()));
        }
        String dirty = relations.table("dirty_subjects", "SELECT DISTINCT k FROM " + subjects);
        return new Affected(dirty, "(SELECT k AS subject FROM " + dirty + ")", reach, false);
    }

    /** Where no partition has read another, those are affected that have changed: the others need not be listed. */
    private Affected changedThemselves() {
        String changed = relations.table("changed", "SELECT k, kind FROM " + context.changed());
        String dirty = context.chosen("SELECT k FROM " + context.changedSubjects() + " WHERE kind <> 'deleted'");
        return new Affected(dirty, touched(dirty, changed), Optional.empty(), true);
    }

    private Affected reached(List<TaskResult.StateStep> steps) {
        String subjects = context.subjects();
        String changed = relations.table("changed", "SELECT k, kind FROM " + context.changed());
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
        return new Affected(dirty, touched(dirty, changed), reachNow, false);
    }

    private static String touched(String dirty, String changed) {
        return "(SELECT k AS subject FROM " + dirty + " UNION ALL SELECT k AS subject FROM " + changed
                + " WHERE kind = 'deleted')";
    }

    private TaskResult publishable(Affected affected, CompileInRun.Result compiled, List<TaskResult.StateStep> steps) {
        String touched = affected.touched();
        String values =
                relations.table("fresh_values", "SELECT subject, out, idx, hash, value FROM " + compiled.values());
        String old = state.contributions().rowsOf(touched, "subject, out, idx, hash");
        String dirtyOuts = relations.table("dirty_outs", changedOuts(old, values));
        String contributors = contributors(touched, values, dirtyOuts);
        if (!isOneToN() && !pattern.backEnd().keepsValues() && !full) {
            contributors = withValues(contributors, affected.reach());
        }
        String oldRecipes = state.recipes().rowsOf(dirtyOuts, "out, recipe");
        CompileOutRun<T> compileOut = new CompileOutRun<>(context, pattern.backEnd(), isOneToN());
        String result = compileOut.run(dirtyOuts, contributors, oldRecipes);
        checkOutputsOfOneKey(result);

        String kept = keepsValues()
                ? values
                : "(SELECT subject, out, idx, hash, "
                        + relations.engine().dialect().nullOf(ScalarType.BINARY) + " AS value FROM " + values + ")";
        steps.add(new TaskResult.StateStep(state.contributions(), touched, old, kept));
        steps.add(TaskResult.StateStep.of(state.reads(), touched, compiled.reads()));
        steps.add(new TaskResult.StateStep(
                state.recipes(), dirtyOuts, oldRecipes, "(" + CandidateRows.recipes(result) + ")"));
        return new TaskResult(
                "(" + CandidateRows.candidates(result) + ")",
                steps,
                compiled.subjects(),
                compileIn.calls(),
                compileOut.calls());
    }

    /** What all contributors of some outputs contribute now: the fresh values, and those of partitions left alone. */
    private String contributors(String touched, String values, String dirtyOuts) {
        String columns = "subject, out, idx, hash, value";
        String fresh = "SELECT v.subject, v.out, v.idx, v.hash, v.value FROM " + values + " v JOIN " + dirtyOuts
                + " d ON d.out = v.out";
        if (!state.contributions().exists()) {
            return full ? values : "(" + fresh + ")";
        }
        // Where an output may have one contributor only, another one need not be known any further.
        String content = isOneToN() ? nulls("idx", "hash", "value") : "c.idx, c.hash, c.value";
        String others = "SELECT " + columns + " FROM (SELECT c.subject, c.out, " + content + ", t.touched FROM "
                + state.contributions().live() + " c JOIN " + dirtyOuts
                + " d ON d.out = c.out LEFT JOIN (SELECT DISTINCT subject, 1 AS touched FROM " + touched
                + ") t ON t.subject = c.subject) o WHERE touched IS NULL";
        return relations.table("contributors", fresh + " UNION ALL " + others);
    }

    private String nulls(String... columns) {
        return TaskState.CONTRIBUTIONS.columns().fields().stream()
                .filter(field -> List.of(columns).contains(field.name()))
                .map(field -> relations.engine().dialect().nullOf(field.type()) + " AS " + field.name())
                .collect(Collectors.joining(", "));
    }

    private boolean isOneToN() {
        return pattern instanceof Pattern.Direct<?> direct && direct.oneToN();
    }

    /** In Direct1ToN all contributors of an affected output are affected themselves, so no value is ever needed again. */
    private boolean keepsValues() {
        return pattern.backEnd().keepsValues() && !isOneToN();
    }

    /** Cutoff: an output is affected only if the set of its contributions has changed. */
    private String changedOuts(String old, String values) {
        if (!state.contributions().exists()) {
            return "SELECT DISTINCT out FROM " + values;
        }
        String before = "SELECT subject, out, idx, hash FROM " + old;
        String after = "SELECT subject, out, idx, hash FROM " + values;
        return "SELECT DISTINCT out FROM ((" + before + " EXCEPT " + after + ") UNION ALL (" + after + " EXCEPT "
                + before + ")) d";
    }

    /** Compiles contributors in again of which the state keeps the hash alone. */
    private String withValues(String contributors, Optional<String> reach) {
        String missing = relations.table(
                "without_value", "SELECT DISTINCT subject AS k FROM " + contributors + " WHERE value IS NULL");
        if (relations.count(missing) == 0) {
            return contributors;
        }
        CompileInRun.Result again = compileIn.run(
                missing,
                new CompileInRun.Along(
                        reach, Optional.of(state.reads().live()), Optional.empty(), OptionalLong.empty()));
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
