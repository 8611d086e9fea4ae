package io.tidemark.compile;

import io.tidemark.compile.catalog.LayerDefinition;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.work.GroupFunction;
import io.tidemark.compile.work.PartitionRunner;
import io.tidemark.compile.work.Relations;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What a run of a task works with.
 *
 * @param task the task
 * @param relations relations of the run
 * @param runner runs users' functions
 * @param inputs the input catalogs
 * @param stager makes payloads ready
 * @param outputLayers layers of the output catalog
 * @param full whether the run is a full one
 * @param doubleRuns of how many partitions one is compiled twice, to see whether the result is the same; 0 for none
 * @param changedCount how many partitions of its inputs have changed, if that is known
 */
record TaskContext(
        Task task,
        Relations relations,
        PartitionRunner runner,
        RunInputs inputs,
        PayloadStager stager,
        Map<String, LayerDefinition> outputLayers,
        boolean full,
        int doubleRuns,
        OptionalLong changedCount) {
    /** The same for a full run, or one that is not. */
    TaskContext inFull(boolean mode) {
        return new TaskContext(task, relations, runner, inputs, stager, outputLayers, mode, doubleRuns, changedCount);
    }

    /** The same, when it is known how many partitions of the inputs have changed. */
    TaskContext withChanged(long count) {
        return new TaskContext(
                task, relations, runner, inputs, stager, outputLayers, full, doubleRuns, OptionalLong.of(count));
    }

    OutputKeys outputKeys() {
        return new OutputKeys(task, outputLayers);
    }

    /** Whether a partition is one of those that are compiled twice; the same ones in each run. */
    boolean isDoubled(String key) {
        return doubleRuns > 0 && Math.floorMod(key.hashCode(), doubleRuns) == 0;
    }

    /** The keys of partitions that are compiled, filtered: relation with {@code k}. */
    String subjects() {
        String all = inputs.keys(task.subjectLayers());
        return task.filters().isEmpty() ? relations.view("subjects", all) : filtered(all);
    }

    /** Those among some keys that the filters choose, as a relation with {@code k} whose rows are there already. */
    String chosen(String keys) {
        return task.filters().isEmpty() ? relations.table("chosen", keys) : filtered(keys);
    }

    /** The net changes of the layers that are compiled: relation with {@code k} and {@code kind}. */
    String changedSubjects() {
        return "(" + inputs.changedKeys(task.subjectLayers()) + ")";
    }

    /** The net changes of all input layers: relation with {@code k} and {@code kind}. */
    String changed() {
        return "(" + inputs.changedKeys(task.inputLayers()) + ")";
    }

    /**
     * Runs a back end.
     *
     * @param sql rows of outputs and what they are made from, the key of the output first
     * @return relation with {@link CandidateRows#COLUMNS}
     */
    String compileOut(String sql, GroupFunction function) {
        String result = relations.fresh("compiled_out");
        runner.apply("compileOut of task " + task.id(), sql, result, CandidateRows.COLUMNS, function);
        return relations.adopt(result);
    }

    private String filtered(String keys) {
        String name = relations.fresh("chosen");
        runner.apply(
                "the filter of task " + task.id(),
                keys,
                name,
                io.tidemark.core.type.StructType.of(
                        io.tidemark.core.type.StructField.of("k", io.tidemark.core.type.ScalarType.STRING)),
                (rows, output) -> {
                    String text = String.valueOf(rows.get(0).get(0));
                    io.tidemark.compile.catalog.PartitionKey key = Keys.parse(text);
                    PartitionFilter filter = task.filters().get(key.catalog());
                    if (filter == null || filter.accepts(key)) {
                        output.accept(java.util.List.of(text));
                    }
                });
        return relations.adopt(name);
    }
}
