package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.fingerprint.Hasher;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Calls the front end of a task for some partitions. Their payloads, and those of what they refer to, come along with
 * them; if a function reads more, its partition is handled again in a next round with more payloads.
 */
final class CompileInRun {
    private static final int ROUNDS_MAX = 100;

    private static final String VALUE = "v";
    private static final String READ = "x";
    private static final String MISSING = "m";

    private static final StructType COLUMNS = StructType.of(
            StructField.of("kind", ScalarType.STRING),
            StructField.of("subject", ScalarType.STRING),
            StructField.of("out", ScalarType.STRING),
            StructField.of("idx", ScalarType.LONG),
            StructField.of("hash", ScalarType.BINARY),
            StructField.of("value", ScalarType.BINARY),
            StructField.of("target", ScalarType.STRING));

    /** Positions in the rows that functions get: the partition, why the row is there, and a payload. */
    private static final int ROLE = 1;

    private static final int PATH = 2;
    private static final int SOURCE = 3;
    private static final int TARGET = 4;
    private static final int PAYLOAD = 5;

    private static final int SELF = 0;
    private static final int REFERENCE = 1;
    private static final int EXTRA = 2;
    private static final int PREVIOUS_EDGE = 3;

    private final TaskContext context;
    private final FrontEnd frontEnd;
    private final OutputKeys outputKeys;
    private final LongAdder calls = new LongAdder();
    /** Partitions of the round that is under way, and whether one of them needs another round. */
    private final LongAdder groups = new LongAdder();

    private final AtomicBoolean lacking = new AtomicBoolean();

    CompileInRun(TaskContext context) {
        this.context = context;
        this.frontEnd = FrontEnd.of(context.task());
        this.outputKeys = context.outputKeys();
    }

    /** How many calls of the user's function have given a result. */
    long calls() {
        return calls.sum();
    }

    /**
     * What comes along with the partitions.
     *
     * @param references relation with {@code subject, path, source, target}
     * @param reads relation with {@code subject, target}: what the partitions have read before
     * @param edges relation with {@code subject, out, target}: the edges that they had before
     * @param changed about how many partitions there are, if all of them have changed since the last run
     */
    record Along(Optional<String> references, Optional<String> reads, Optional<String> edges, OptionalLong changed) {
        static final Along NOTHING =
                new Along(Optional.empty(), Optional.empty(), Optional.empty(), OptionalLong.empty());
    }

    /**
     * What the partitions gave.
     *
     * @param values relation with {@code subject, out, idx, hash, value, target}; the last one for edges only
     * @param reads relation with {@code subject, target}
     * @param subjects how many partitions there were
     */
    record Result(String values, String reads, long subjects) {}

    /**
     * Handles partitions.
     *
     * @param subjects relation with {@code k}
     */
    Result run(String subjects, Along along) {
        Relations relations = context.relations();
        List<String> rounds = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        along.reads().ifPresent(reads -> missing.add("SELECT subject, target FROM " + reads));
        String open = subjects;
        long count = 0;
        for (int round = 0; round < ROUNDS_MAX; round++) {
            String result = round(open, along, missing, round == 0);
            rounds.add(result);
            count = round == 0 ? groups.sum() : count;
            if (!lacking.get()) {
                return new Result(union(rounds, VALUE), union(rounds, READ), count);
            }
            String more = "SELECT subject, target FROM " + result + " WHERE kind = '" + MISSING + "'";
            missing.add(more);
            open = relations.table("again", "SELECT DISTINCT subject AS k FROM (" + more + ") t");
        }
        throw TidemarkException.of(
                        ErrorCode.COMPILE_FAILED,
                        "functions of task " + context.task().id() + " read one partition after the other, more than "
                                + ROUNDS_MAX)
                .detail("One of them is " + relations.texts("SELECT k FROM " + open, 1) + ".")
                .hint("declare what is read as references")
                .build();
    }

    private String union(List<String> rounds, String kind) {
        StringBuilder sql = new StringBuilder();
        for (String round : rounds) {
            sql.append(sql.isEmpty() ? "" : " UNION ALL ")
                    .append(
                            kind.equals(VALUE)
                                    ? "SELECT subject, out, idx, hash, value, target"
                                    : "SELECT subject, target")
                    .append(" FROM ")
                    .append(round)
                    .append(" WHERE kind = '")
                    .append(kind)
                    .append('\'');
        }
        return "(" + sql + ")";
    }

    private String round(String subjects, Along along, List<String> missing, boolean subjectsAreAll) {
        Relations relations = context.relations();
        List<String> parts = new ArrayList<>();
        parts.add("SELECT k AS subject, " + SELF + " AS role, '' AS path, '' AS source, k AS target FROM " + subjects);
        along.references()
                .ifPresent(references -> parts.add("SELECT r.subject, " + REFERENCE
                        + " AS role, r.path, r.source, r.target FROM " + references + " r JOIN " + subjects
                        + " s ON s.k = r.subject"));
        if (!missing.isEmpty()) {
            parts.add("SELECT DISTINCT m.subject, " + EXTRA + " AS role, '' AS path, '' AS source, m.target FROM ("
                    + String.join(" UNION ALL ", missing) + ") m JOIN " + subjects + " s ON s.k = m.subject");
        }
        along.edges()
                .ifPresent(edges -> parts.add("SELECT e.subject, " + PREVIOUS_EDGE
                        + " AS role, e.out AS path, e.target AS source, '' AS target FROM " + edges + " e JOIN "
                        + subjects + " s ON s.k = e.subject"));
        boolean alone = parts.size() == 1;
        String wanted = alone ? "(" + parts.get(0) + ")" : relations.table("wanted", String.join(" UNION ALL ", parts));
        String payloads = alone && subjectsAreAll && along.changed().isPresent()
                ? context.inputs().payloadsOfChanged(wanted, along.changed().getAsLong())
                : context.inputs().payloads(wanted, context.full() && subjectsAreAll);
        String sql = "SELECT w.subject, w.role, w.path, w.source, w.target, p."
                + String.join(", p.", RunInputs.PAYLOAD_COLUMNS) + " FROM " + wanted + " w LEFT JOIN " + payloads
                + " p ON p.k = w.target"
                + (alone ? "" : " ORDER BY w.subject, w.role, w.path, w.source, w.target");
        String result = relations.fresh("compiled_in");
        groups.reset();
        lacking.set(false);
        context.runner().apply("compileIn of task " + context.task().id(), sql, result, COLUMNS, this::handle);
        return relations.adopt(result);
    }

    private void handle(List<List<@Nullable Object>> rows, RowConsumer output) throws Exception {
        groups.increment();
        String subject = text(rows.get(0).get(0));
        GroupContext reading = new GroupContext(context.task(), true);
        SubjectReferences references = new SubjectReferences(reading::isPublished);
        List<DependencyFunction.Edge> previous = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            take(row, reading, references, previous);
        }
        FrontEnd.Subject partition = new FrontEnd.Subject(Keys.parse(subject), references, previous, reading);
        Emitted emitted = new Emitted(subject);
        boolean called = false;
        try {
            called = frontEnd.apply(partition, emitted);
        } catch (Exception e) {
            if (reading.missing().isEmpty()) {
                throw e;
            }
        }
        if (!reading.missing().isEmpty()) {
            // Whatever the function has made of the exception: it did not see the payload.
            lacking.set(true);
            reading.missing()
                    .forEach(key -> output.accept(row(MISSING, subject, null, null, null, null, Keys.text(key))));
            return;
        }
        if (!called) {
            return;
        }
        calls.increment();
        if (context.isDoubled(subject)) {
            checkSecondRun(partition, reading, emitted);
        }
        emitted.rows.forEach(output::accept);
        reading.reads().forEach(key -> output.accept(row(READ, subject, null, null, null, null, Keys.text(key))));
    }

    private void take(
            List<@Nullable Object> row,
            GroupContext reading,
            SubjectReferences references,
            List<DependencyFunction.Edge> previous) {
        int role = row.get(ROLE) instanceof Number number ? number.intValue() : SELF;
        if (role == PREVIOUS_EDGE) {
            previous.add(
                    new DependencyFunction.Edge(Keys.parseOut(text(row.get(PATH))), Keys.parse(text(row.get(SOURCE)))));
            return;
        }
        PartitionKey target = Keys.parse(text(row.get(TARGET)));
        Optional<Payload> payload = context.inputs().payload(target, row.subList(PAYLOAD, row.size()));
        if (role == EXTRA) {
            reading.fetched(target, payload);
        } else {
            reading.declare(target, payload);
        }
        if (role == REFERENCE) {
            references.add(text(row.get(PATH)), Keys.parse(text(row.get(SOURCE))), target);
        }
    }

    private void checkSecondRun(FrontEnd.Subject partition, GroupContext reading, Emitted first) throws Exception {
        var reads = List.copyOf(reading.reads());
        reading.restart();
        Emitted second = new Emitted(Keys.text(partition.key()));
        frontEnd.apply(partition, second);
        if (!first.sameAs(second) || !reads.equals(List.copyOf(reading.reads()))) {
            throw nondeterministic(
                    context.task().id(), "compileIn", partition.key().toString());
        }
    }

    static TidemarkException nondeterministic(String task, String function, String key) {
        return TidemarkException.of(
                        ErrorCode.NONDETERMINISTIC,
                        function + " of task " + task + " gives another result for " + key + " when it runs again")
                .detail("A result may depend on the input alone: not on the time, random numbers or the order of hash"
                        + " tables.")
                .build();
    }

    private static String text(@Nullable Object value) {
        return String.valueOf(value);
    }

    private static List<@Nullable Object> row(@Nullable Object... values) {
        return new ArrayList<>(Arrays.asList(values));
    }

    /** What one call gives, numbered for each output. */
    private final class Emitted implements FrontEnd.Sink {
        private final String subject;
        private final List<List<@Nullable Object>> rows = new ArrayList<>();
        private final Map<String, Long> numbers = new HashMap<>();

        Emitted(String subject) {
            this.subject = subject;
        }

        @Override
        public void value(PartitionKey out, byte[] encoded) {
            String text = outputKeys.check(out);
            long number = numbers.merge(text, 1L, Long::sum) - 1;
            rows.add(row(VALUE, subject, text, number, Hasher.hash(encoded), encoded, null));
        }

        @Override
        public void edge(PartitionKey out, PartitionKey input) {
            if (!context.task().reads(input.catalog(), input.layer())) {
                throw Errors.undeclaredRead(context.task().id(), input, "and the layer is no input of it");
            }
            rows.add(row(VALUE, subject, outputKeys.check(out), null, null, null, Keys.text(input)));
        }

        boolean sameAs(Emitted other) {
            if (rows.size() != other.rows.size()) {
                return false;
            }
            for (int i = 0; i < rows.size(); i++) {
                if (!Arrays.deepEquals(rows.get(i).toArray(), other.rows.get(i).toArray())) {
                    return false;
                }
            }
            return true;
        }
    }
}
