package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.StagedPayload;
import io.tidemark.compile.fingerprint.Hasher;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.engine.RowConsumer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Runs a task of pattern Dep or IncrementalDep: the author computes the graph, this decides what is recompiled. */
final class DependencyRun {
    private static final int OLD_RECIPE = 1;
    private static final int TARGET = 2;
    private static final int PAYLOAD = 3;
    /** The position of the checksum among the columns of a payload. */
    private static final int CHECKSUM = PAYLOAD + 2;

    private final TaskContext context;
    private final Pattern.Dependencies pattern;
    private final TaskState state;
    private final boolean full;
    private final Relations relations;
    private final CandidateRows candidates;
    private final LongAdder calls = new LongAdder();

    DependencyRun(TaskContext context, Pattern.Dependencies pattern, TaskState state) {
        this.context = context;
        this.pattern = pattern;
        this.state = state;
        this.full = context.full();
        this.relations = context.relations();
        this.candidates = new CandidateRows(context);
    }

    TaskResult run() {
        String subjects = context.subjects();
        String changed = full
                ? relations.view("changed", "SELECT k, 'added' AS kind FROM " + subjects)
                : relations.table("changed", "SELECT k, kind FROM " + context.changed());
        String dirty = relations.table(
                "dirty_subjects",
                "SELECT k FROM " + subjects
                        + (pattern.whole().isPresent()
                                ? ""
                                : " INTERSECT SELECT k FROM (SELECT k FROM " + changed
                                        + " UNION ALL SELECT r.subject AS k FROM "
                                        + state.reads().live() + " r JOIN " + changed + " c ON c.k = r.target) a"));
        String touched = relations.view(
                "touched",
                "SELECT k AS subject FROM " + dirty + " UNION ALL SELECT k AS subject FROM " + changed
                        + " WHERE kind = 'deleted'");
        CompileInRun compileIn = new CompileInRun(context);
        CompileInRun.Result compiled = compileIn.run(
                dirty,
                full
                        ? CompileInRun.Along.NOTHING
                        : new CompileInRun.Along(
                                Optional.empty(),
                                Optional.of(state.reads().live()),
                                pattern.incremental().map(each -> state.edges().live()),
                                OptionalLong.empty()));
        String edges = relations.table("fresh_edges", "SELECT DISTINCT subject, out, target FROM " + compiled.values());
        String now = relations.table(
                "edges_now", "SELECT subject, out, target FROM " + state.edges().next(touched, edges));
        String dirtyOuts = relations.table("dirty_outs", dirtyOuts(now, changed));
        String result = compileOut(dirtyOuts, now);
        String recipes = "(" + CandidateRows.recipes(result) + ")";
        List<TaskResult.StateStep> steps = List.of(
                TaskResult.StateStep.of(state.edges(), touched, edges),
                TaskResult.StateStep.of(state.reads(), touched, compiled.reads()),
                TaskResult.StateStep.of(state.recipes(), dirtyOuts, recipes));
        return new TaskResult(
                "(" + CandidateRows.candidates(result) + ")",
                steps,
                compiled.subjects(),
                compileIn.calls(),
                calls.sum());
    }

    /** Outputs that have an edge to something changed, or whose edges have changed. */
    private String dirtyOuts(String now, String changed) {
        String before = "SELECT DISTINCT out, target FROM " + state.edges().live();
        String after = "SELECT DISTINCT out, target FROM " + now;
        return "SELECT e.out FROM " + now + " e JOIN " + changed + " c ON c.k = e.target UNION SELECT out FROM (("
                + before + " EXCEPT " + after + ") UNION ALL (" + after + " EXCEPT " + before + ")) d"
                // In a full run edges to partitions that are not compiled themselves are new as well.
                + (full ? " UNION SELECT out FROM " + now : "");
    }

    private String compileOut(String dirtyOuts, String edges) {
        String wanted = relations.table(
                "wanted_inputs",
                "SELECT DISTINCT d.out, e.target FROM " + dirtyOuts + " d LEFT JOIN " + edges + " e ON e.out = d.out");
        String payloads = context.inputs().payloads(wanted, full);
        String sql = "SELECT w.out, q.recipe, w.target, p." + String.join(", p.", RunInputs.PAYLOAD_COLUMNS) + " FROM "
                + wanted + " w LEFT JOIN " + payloads + " p ON p.k = w.target LEFT JOIN "
                + state.recipes().live() + " q ON q.out = w.out ORDER BY w.out, w.target NULLS FIRST";
        return context.compileOut(sql, this::handle);
    }

    private void handle(List<List<@Nullable Object>> rows, RowConsumer output) throws Exception {
        String text = String.valueOf(rows.get(0).get(0));
        PartitionKey out = Keys.parseOut(text);
        GroupContext reading = new GroupContext(context.task(), false);
        List<PartitionKey> inputs = new ArrayList<>();
        Hasher recipe = new Hasher().text(text);
        for (List<@Nullable Object> row : rows) {
            if (row.get(TARGET) == null || row.get(PAYLOAD) == null) {
                continue;
            }
            PartitionKey key = Keys.parse(String.valueOf(row.get(TARGET)));
            reading.declare(key, context.inputs().payload(key, row.subList(PAYLOAD, row.size())));
            inputs.add(key);
            recipe.text(Keys.text(key)).text(String.valueOf(row.get(CHECKSUM)));
        }
        if (inputs.isEmpty()) {
            output.accept(candidates.candidate(text, out, null));
            return;
        }
        byte[] hash = recipe.hash();
        output.accept(CandidateRows.recipe(text, hash));
        if (rows.get(0).get(OLD_RECIPE) instanceof byte[] old && Arrays.equals(old, hash)) {
            return;
        }
        List<PartitionKey> known = List.copyOf(inputs);
        StagedPayload payload = candidates.stage(out, pattern.compileOut().compileOut(out, known, reading));
        calls.increment();
        if (context.isDoubled(text)
                && !CandidateRows.same(
                        payload, candidates.stage(out, pattern.compileOut().compileOut(out, known, reading)))) {
            throw CompileInRun.nondeterministic(context.task().id(), "compileOut", out.toString());
        }
        output.accept(candidates.candidate(text, out, payload));
    }
}
