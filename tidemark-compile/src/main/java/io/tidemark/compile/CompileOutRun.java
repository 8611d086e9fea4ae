package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.catalog.StagedPayload;
import io.tidemark.compile.codec.Codec;
import io.tidemark.compile.fingerprint.Hasher;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** Calls the back end of a task with intermediate values, for outputs whose contributors have changed. */
final class CompileOutRun<T> {
    private static final int SUBJECT = 1;
    private static final int INDEX = 2;
    private static final int HASH = 3;
    private static final int VALUE = 4;
    private static final int OLD_RECIPE = 5;
    private static final int VIOLATIONS_MAX = 10;

    private final TaskContext context;
    private final Pattern.BackEnd<T> backEnd;
    private final CandidateRows candidates;
    private final boolean oneToN;
    private final LongAdder calls = new LongAdder();
    /** By output that has several contributors and may have one only, what to say of it: the first few of them. */
    private final TreeMap<String, String> violations = new TreeMap<>();

    /**
     * Prepares the calls.
     *
     * @param oneToN whether an output may come from one input only
     */
    CompileOutRun(TaskContext context, Pattern.BackEnd<T> backEnd, boolean oneToN) {
        this.context = context;
        this.backEnd = backEnd;
        this.oneToN = oneToN;
        this.candidates = new CandidateRows(context);
    }

    /** How many calls of the user's function have given a result. */
    long calls() {
        return calls.sum();
    }

    /**
     * Compiles outputs.
     *
     * @param dirty relation with {@code out}
     * @param contributors relation with {@code out, subject, idx, hash, value}
     * @param recipes relation with {@code out, recipe} of the last run
     * @return relation with {@link CandidateRows#COLUMNS}
     */
    String run(String dirty, String contributors, String recipes) {
        String sql = "SELECT d.out, c.subject, c.idx, c.hash, c.value, q.recipe FROM " + dirty + " d LEFT JOIN "
                + contributors + " c ON c.out = d.out LEFT JOIN " + recipes
                + " q ON q.out = d.out ORDER BY d.out, c.subject NULLS FIRST, c.idx NULLS FIRST";
        String result = context.compileOut(sql, this::handle);
        throwViolations();
        return result;
    }

    private synchronized void throwViolations() {
        if (!violations.isEmpty()) {
            throw TidemarkException.of(
                            ErrorCode.ONE_TO_N_VIOLATION,
                            "in task " + context.task().id() + " "
                                    + violations.firstEntry().getValue()
                                    + ", and pattern Direct1ToN allows one input for each output")
                    .detail(String.join(".\n", violations.values()) + ".")
                    .hint("change the mapping, or use pattern DirectMToN")
                    .build();
        }
    }

    /** Whether an output has contributors that it may not have; they stand in the order of their keys. */
    private boolean violates(String out, List<List<@Nullable Object>> rows) {
        String first = String.valueOf(rows.get(0).get(SUBJECT));
        String last = String.valueOf(rows.get(rows.size() - 1).get(SUBJECT));
        if (!oneToN || first.equals(last)) {
            return false;
        }
        synchronized (this) {
            violations.put(out, Keys.parseOut(out) + " comes from " + Keys.parse(first) + " and " + Keys.parse(last));
            if (violations.size() > VIOLATIONS_MAX) {
                violations.pollLastEntry();
            }
        }
        return true;
    }

    private void handle(List<List<@Nullable Object>> rows, RowConsumer output) throws Exception {
        String text = String.valueOf(rows.get(0).get(0));
        PartitionKey out = Keys.parseOut(text);
        if (rows.get(0).get(SUBJECT) == null) {
            for (PartitionKey partition : announced(out)) {
                output.accept(candidates.candidate(text, partition, null));
            }
            return;
        }
        if (violates(text, rows)) {
            return;
        }
        byte[] recipe = recipe(out, rows);
        output.accept(CandidateRows.recipe(text, recipe));
        if (rows.get(0).get(OLD_RECIPE) instanceof byte[] old && Arrays.equals(old, recipe)) {
            return;
        }
        Map<PartitionKey, @Nullable StagedPayload> made = compile(out, rows);
        calls.increment();
        if (context.isDoubled(text)) {
            compile(out, rows).forEach((key, payload) -> {
                if (!CandidateRows.same(payload, made.get(key))) {
                    throw CompileInRun.nondeterministic(context.task().id(), "compileOut", key.toString());
                }
            });
        }
        made.forEach((key, payload) -> output.accept(candidates.candidate(text, key, payload)));
    }

    private Iterable<PartitionKey> announced(PartitionKey out) {
        return backEnd.announcement().isPresent() ? backEnd.announcement().get().partitionsOf(out) : List.of(out);
    }

    /** What decides the payload: who contributes what, in which order. */
    private static byte[] recipe(PartitionKey out, List<List<@Nullable Object>> rows) {
        Hasher hasher = new Hasher().text(Keys.outText(out));
        for (List<@Nullable Object> row : rows) {
            hasher.text(String.valueOf(row.get(SUBJECT)))
                    .text(String.valueOf(row.get(INDEX)))
                    .bytes(bytes(row.get(HASH)));
        }
        return hasher.hash();
    }

    private Map<PartitionKey, @Nullable StagedPayload> compile(PartitionKey out, List<List<@Nullable Object>> rows)
            throws Exception {
        Codec<T> codec = backEnd.codec();
        List<Contributors.Contribution<T>> values = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            values.add(new Contributors.Contribution<>(
                    Keys.parse(String.valueOf(row.get(SUBJECT))), codec.decode(bytes(row.get(VALUE)))));
        }
        Contributors<T> contributors = new Contributors<>(values);
        Map<PartitionKey, @Nullable StagedPayload> made = new LinkedHashMap<>();
        if (backEnd.one().isPresent()) {
            made.put(out, candidates.stage(out, backEnd.one().get().compileOut(out, contributors)));
            return made;
        }
        for (PartitionKey partition : announced(out)) {
            made.put(partition, null);
        }
        for (Map.Entry<PartitionKey, Payload> each :
                backEnd.many().orElseThrow().compileOut(out, contributors).entrySet()) {
            if (!made.containsKey(each.getKey())) {
                throw Errors.undeclaredOutput(context.task().id(), each.getKey());
            }
            made.put(each.getKey(), candidates.stage(each.getKey(), java.util.Optional.of(each.getValue())));
        }
        return made;
    }

    private static byte[] bytes(@Nullable Object value) {
        if (value instanceof byte[] bytes) {
            return bytes;
        }
        throw new IllegalStateException("a contribution has no bytes");
    }
}
