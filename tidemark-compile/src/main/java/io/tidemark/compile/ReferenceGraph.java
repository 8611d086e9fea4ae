package io.tidemark.compile;

import io.tidemark.compile.catalog.PartitionKey;
import io.tidemark.compile.state.StateTable;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The references of pattern RefTree as a relation. Each partition that is reached at a place of the tree of names and is
 * published has its references resolved once; one row without name says that this was done.
 */
final class ReferenceGraph {
    private static final StructType COLUMNS = StructType.of(
            StructField.of("source", ScalarType.STRING),
            StructField.of("node", ScalarType.STRING),
            StructField.of("name", ScalarType.STRING),
            StructField.of("target", ScalarType.STRING));

    private static final StructType REACH = StructType.of(
            StructField.of("subject", ScalarType.STRING),
            StructField.of("path", ScalarType.STRING),
            StructField.of("source", ScalarType.STRING),
            StructField.of("target", ScalarType.STRING));

    private static final int PAYLOAD = 2;

    private final TaskContext context;
    private final Pattern.RefTree<?> pattern;
    private final StateTable state;

    ReferenceGraph(TaskContext context, Pattern.RefTree<?> pattern, StateTable state) {
        this.context = context;
        this.pattern = pattern;
        this.state = state;
    }

    /** A place in the tree of names, what is referred to from it, and the partitions that are reached at it. */
    private record Level(String path, List<Reference> references, String sources) {}

    /**
     * Resolves the references of what has changed or is reached for the first time.
     *
     * @param subjects relation with {@code k}: all subjects
     * @param changed relation with {@code k}
     */
    TaskResult.StateStep resolve(String subjects, String changed) {
        Relations relations = context.relations();
        List<String> fresh = new ArrayList<>();
        List<String> reached = new ArrayList<>();
        List<Level> open = new ArrayList<>();
        open.add(new Level("", pattern.references(), subjects));
        while (!open.isEmpty()) {
            Level level = open.remove(0);
            String node = string(level.path());
            String sources = relations.table("sources", "SELECT DISTINCT k FROM " + level.sources());
            reached.add("SELECT k AS source, " + node + " AS node FROM " + sources);
            String known = "SELECT source AS k FROM " + state.live() + " WHERE node = " + node;
            String unresolved = relations.table(
                    "unresolved",
                    "SELECT k FROM " + sources + " EXCEPT (" + known + " EXCEPT SELECT k FROM " + changed + ")");
            String resolved = resolve(level, unresolved);
            fresh.add("SELECT source, node, name, target FROM " + resolved);
            String now = "SELECT o.source, o.name, o.target FROM " + state.live() + " o JOIN (SELECT k FROM " + sources
                    + " EXCEPT SELECT k FROM " + unresolved + ") s ON s.k = o.source WHERE o.node = " + node
                    + " UNION ALL SELECT source, name, target FROM " + resolved;
            for (Reference reference : level.references()) {
                if (!reference.nested().isEmpty()) {
                    String published = context.inputs().meta(reference.catalog());
                    String targets = "(SELECT DISTINCT r.target AS k FROM (" + now + ") r JOIN " + published
                            + " m ON m.k = r.target WHERE r.name = " + string(reference.name()) + ") t";
                    open.add(new Level(path(level.path(), reference.name()), reference.nested(), targets));
                }
            }
        }
        String freshRows = relations.view("fresh_references", String.join(" UNION ALL ", fresh));
        String now = relations.table("reached", String.join(" UNION ALL ", reached));
        String touched = relations.table(
                "touched_references",
                "SELECT DISTINCT source, node FROM " + freshRows + " UNION (SELECT source, node FROM " + state.live()
                        + " EXCEPT SELECT source, node FROM " + now + ")");
        return new TaskResult.StateStep(state, touched, state.rowsOf(touched, "source, node"), freshRows);
    }

    private String resolve(Level level, String unresolved) {
        Relations relations = context.relations();
        String wanted = relations.view("wanted_sources", "SELECT k AS target FROM " + unresolved);
        String payloads = context.inputs().payloads(wanted, context.full());
        String result = relations.fresh("references");
        context.runner()
                .apply(
                        "resolve of task " + context.task().id(),
                        "SELECT w.target, 0 AS role, p." + String.join(", p.", RunInputs.PAYLOAD_COLUMNS) + " FROM "
                                + wanted + " w LEFT JOIN " + payloads + " p ON p.k = w.target",
                        result,
                        COLUMNS,
                        (rows, output) -> resolve(level, rows.get(0), output));
        return relations.adopt(result);
    }

    private void resolve(Level level, List<@Nullable Object> row, RowConsumer output) throws Exception {
        String source = String.valueOf(row.get(0));
        PartitionKey key = Keys.parse(source);
        GroupContext reading = new GroupContext(context.task(), false);
        reading.declare(key, context.inputs().payload(key, row.subList(PAYLOAD, row.size())));
        TreeSet<List<String>> found = new TreeSet<>(
                (left, right) -> Arrays.compare(left.toArray(String[]::new), right.toArray(String[]::new)));
        pattern.resolver()
                .resolve(
                        key,
                        new ReferenceResolver.Found() {
                            @Override
                            public String path() {
                                return level.path();
                            }

                            @Override
                            public void add(String name, PartitionKey target) {
                                check(level, name, target);
                                found.add(List.of(name, Keys.text(target)));
                            }
                        },
                        reading);
        output.accept(List.of(source, level.path(), "", ""));
        found.forEach(each -> output.accept(List.of(source, level.path(), each.get(0), each.get(1))));
    }

    private void check(Level level, String name, PartitionKey target) {
        boolean declared = level.references().stream()
                .anyMatch(reference -> reference.name().equals(name)
                        && reference.catalog().equals(target.catalog())
                        && reference.layer().equals(target.layer()));
        if (!declared) {
            throw TidemarkException.of(
                            ErrorCode.UNDECLARED_REFERENCE,
                            "task " + context.task().id() + " resolves the reference " + path(level.path(), name)
                                    + " to " + target + ", which it does not declare")
                    .build();
        }
    }

    /** What each subject reaches by references of the state's form: see the static method. */
    String reach(String references) {
        return reach(context.relations(), pattern, references);
    }

    /**
     * What each subject reaches: relation with {@code subject, path, source, target}.
     *
     * @param references relation with the columns of the state
     */
    static String reach(Relations relations, Pattern.RefTree<?> pattern, String references) {
        List<String> parts = new ArrayList<>();
        for (Reference reference : pattern.references()) {
            collect(relations, references, "", reference, parts, Optional.empty());
        }
        if (parts.isEmpty()) {
            return relations.empty("reach", REACH);
        }
        return relations.view("reach", String.join(" UNION ALL ", parts));
    }

    private static void collect(
            Relations relations,
            String references,
            String node,
            Reference reference,
            List<String> parts,
            Optional<String> above) {
        String path = path(node, reference.name());
        String pathLiteral = relations.engine().dialect().string(path);
        String where = "r.node = " + relations.engine().dialect().string(node) + " AND r.name = "
                + relations.engine().dialect().string(reference.name());
        String rows = above.map(upper -> "SELECT DISTINCT u.subject, " + pathLiteral
                        + " AS path, r.source, r.target FROM " + upper + " u JOIN " + references
                        + " r ON r.source = u.target WHERE " + where)
                .orElseGet(() -> "SELECT r.source AS subject, " + pathLiteral + " AS path, r.source, r.target FROM "
                        + references + " r WHERE " + where);
        String view = relations.view("reach_at", rows);
        parts.add("SELECT subject, path, source, target FROM " + view);
        for (Reference nested : reference.nested()) {
            collect(relations, references, path, nested, parts, Optional.of(view));
        }
    }

    private static String path(String node, String name) {
        return node.isEmpty() ? name : node + "." + name;
    }

    private String string(String text) {
        return context.relations().engine().dialect().string(text);
    }
}
