package io.tidemark.compile;

import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.StagedPayload;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs a task of pattern NonIncremental: payloads are streamed in and out, and the function sees one at a time. */
final class WholeRun {
    private static final int PAYLOAD = 1;

    private final TaskContext context;
    private final Pattern.Whole pattern;
    private final CandidateRows candidates;
    private final Relations relations;
    private long made;
    private long read;

    WholeRun(TaskContext context, Pattern.Whole pattern) {
        this.context = context;
        this.pattern = pattern;
        this.candidates = new CandidateRows(context);
        this.relations = context.relations();
    }

    TaskResult run() {
        String name = relations.fresh("candidates");
        relations.engine().load(name, Candidates.COLUMNS, this::compile);
        return new TaskResult(relations.adopt(name), List.of(), read, 0, made);
    }

    private void compile(RowConsumer output) {
        Task task = context.task();
        try {
            pattern.compile().compile(this::forEach, new Put(output), new GroupContext(task, false));
        } catch (TidemarkException e) {
            throw e;
        } catch (Exception e) {
            throw TidemarkException.of(
                            ErrorCode.COMPILE_FAILED,
                            "compile of task " + task.id() + " failed: "
                                    + (e.getMessage() == null ? e.getClass().getName() : e.getMessage()))
                    .detail("It threw " + e.getClass().getName() + ".")
                    .cause(e)
                    .build();
        }
    }

    private void forEach(String catalog, String layer, WholeCompile.Visitor visitor) throws Exception {
        Task task = context.task();
        if (!task.reads(catalog, layer)) {
            throw Errors.undeclaredRead(
                    task.id(), new PartitionKey(catalog, layer, "*"), "and the layer is no input of it");
        }
        String layerLiteral = relations.engine().dialect().string(layer);
        String payloads = context.inputs().payloadsOf(catalog);
        PartitionFilter filter = task.filters().get(catalog);
        Exception[] failure = new Exception[1];
        relations.engine().stream(
                "SELECT p.k, p." + String.join(", p.", RunInputs.PAYLOAD_COLUMNS) + " FROM " + payloads
                        + " p WHERE p.layer = " + layerLiteral + " ORDER BY p.k",
                row -> {
                    try {
                        visit(row, filter, visitor);
                        return true;
                    } catch (Exception e) {
                        failure[0] = e;
                        return false;
                    }
                });
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    private void visit(List<@Nullable Object> row, @Nullable PartitionFilter filter, WholeCompile.Visitor visitor)
            throws Exception {
        PartitionKey key = Keys.parse(String.valueOf(row.get(0)));
        if (filter == null || filter.accepts(key)) {
            read++;
            visitor.visit(
                    key,
                    context.inputs()
                            .payload(key, row.subList(PAYLOAD, row.size()))
                            .orElseThrow());
        }
    }

    /** Takes the partitions that the function makes. */
    private final class Put implements WholeCompile.Outputs {
        private final RowConsumer output;

        Put(RowConsumer output) {
            this.output = output;
        }

        @Override
        public void put(PartitionKey out, Payload payload) {
            try {
                StagedPayload staged = candidates.stage(out, Optional.of(payload));
                output.accept(Candidates.row(out.layer(), out.partition(), staged));
                made++;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
