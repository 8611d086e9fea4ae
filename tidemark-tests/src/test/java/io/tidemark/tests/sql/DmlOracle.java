package io.tidemark.tests.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A table of three nullable columns in memory and random statements that change it, each as SQL text and, row by row, in
 * Java.
 */
public final class DmlOracle {
    private static final List<String> NAMES = List.of("a", "b", "c/d", "é");

    private final Random random;
    private List<Row> rows = new ArrayList<>();

    /** An empty table and the source of its statements. */
    public DmlOracle(Random random) {
        this.random = random;
    }

    /** A row. */
    public record Row(
            @Nullable Integer id,
            @Nullable String p,
            @Nullable Integer v) {
        /** Values separated by bars. */
        public String text() {
            return id + "|" + p + "|" + v;
        }

        String sql() {
            return "(" + id + ", " + (p == null ? "CAST(NULL AS STRING)" : "'" + p + "'") + ", " + v + ")";
        }
    }

    /** A condition on a row: its text, with {@code @} where a table's name may stand, and its value. */
    record Condition(String text, Function<Row, Optional<Boolean>> value) {
        boolean holds(Row row) {
            return value.apply(row).orElse(false);
        }

        String of(String qualifier) {
            return text.replace("@", qualifier);
        }
    }

    /** A statement and whether it is ambiguous. */
    public record Statement(String text, boolean ambiguous) {}

    /** The rows as sorted texts with values separated by bars. */
    public List<String> texts() {
        return rows.stream().map(Row::text).sorted().toList();
    }

    /** Makes a statement and changes the rows as it does. */
    public Statement next() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> insert();
            case 2 -> update();
            case 3 -> delete();
            default -> merge();
        };
    }

    /** The rows. */
    public List<Row> rows() {
        return List.copyOf(rows);
    }

    /** Puts the table back to rows that it had. */
    public void restore(List<Row> earlier) {
        rows = new ArrayList<>(earlier);
    }

    private Statement insert() {
        List<Row> added = randomRows(1 + random.nextInt(5));
        rows.addAll(added);
        return new Statement(
                "INSERT INTO t VALUES "
                        + String.join(", ", added.stream().map(Row::sql).toList()),
                false);
    }

    private Statement delete() {
        Condition condition = condition(2);
        rows.removeIf(condition::holds);
        return new Statement("DELETE FROM t WHERE " + condition.of(""), false);
    }

    /** What an update makes of a row. */
    private record Change(String text, Function<Row, Row> change) {}

    private Change change(String qualifier) {
        int step = random.nextInt(5);
        String name = NAMES.get(random.nextInt(NAMES.size()));
        return switch (random.nextInt(4)) {
            case 0 ->
                new Change(
                        "v = " + qualifier + "v + " + step,
                        row -> new Row(row.id(), row.p(), row.v() == null ? null : row.v() + step));
            case 1 -> new Change("v = NULL, id = " + step, row -> new Row(step, row.p(), null));
            case 2 -> new Change("p = '" + name + "'", row -> new Row(row.id(), name, row.v()));
            default ->
                new Change(
                        "v = " + qualifier + "id, id = " + qualifier + "v", row -> new Row(row.v(), row.p(), row.id()));
        };
    }

    private Statement update() {
        Condition condition = condition(2);
        Change change = change("");
        rows = new ArrayList<>(rows.stream()
                .map(row -> condition.holds(row) ? change.change().apply(row) : row)
                .toList());
        return new Statement("UPDATE t SET " + change.text() + " WHERE " + condition.of(""), false);
    }

    private Statement merge() {
        List<Row> source = randomRows(1 + random.nextInt(4));
        Condition deletes = condition(1);
        Condition updates = condition(1);
        Condition inserts = condition(1);
        Condition bySource = condition(1);
        Change orphan = change("t.");
        boolean withDelete = random.nextBoolean();
        boolean withUpdate = random.nextInt(3) > 0;
        boolean withInsert = random.nextInt(3) > 0;
        boolean withOrphans = random.nextInt(3) == 0 || !(withDelete || withUpdate || withInsert);
        StringBuilder text = new StringBuilder("MERGE INTO t USING (SELECT * FROM VALUES ")
                .append(String.join(", ", source.stream().map(Row::sql).toList()))
                .append(" AS x(id, p, v)) AS s ON t.id = s.id");
        text.append(withDelete ? " WHEN MATCHED AND " + deletes.of("t.") + " THEN DELETE" : "");
        text.append(
                withUpdate ? " WHEN MATCHED AND " + updates.of("s.") + " THEN UPDATE SET p = s.p, v = t.v + s.v" : "");
        text.append(withInsert ? " WHEN NOT MATCHED AND " + inserts.of("s.") + " THEN INSERT *" : "");
        text.append(
                withOrphans
                        ? " WHEN NOT MATCHED BY SOURCE AND " + bySource.of("t.") + " THEN UPDATE SET " + orphan.text()
                        : "");
        List<Row> result = new ArrayList<>();
        for (Row row : rows) {
            List<Row> partners =
                    source.stream().filter(one -> matches(row, one)).toList();
            List<Optional<Row>> outcomes = new ArrayList<>();
            for (Row partner : partners) {
                if (withDelete && deletes.holds(row)) {
                    outcomes.add(Optional.empty());
                } else if (withUpdate && updates.holds(partner)) {
                    Integer own = row.v();
                    Integer other = partner.v();
                    Integer sum = own != null && other != null ? Integer.valueOf(own + other) : null;
                    outcomes.add(Optional.of(new Row(row.id(), partner.p(), sum)));
                }
            }
            if (outcomes.size() > 1) {
                return new Statement(text.toString(), true);
            }
            if (partners.isEmpty() && withOrphans && bySource.holds(row)) {
                result.add(orphan.change().apply(row));
            } else if (outcomes.isEmpty()) {
                result.add(row);
            } else {
                outcomes.get(0).ifPresent(result::add);
            }
        }
        for (Row one : source) {
            if (withInsert && inserts.holds(one) && rows.stream().noneMatch(row -> matches(row, one))) {
                result.add(one);
            }
        }
        rows = result;
        return new Statement(text.toString(), false);
    }

    private static boolean matches(Row row, Row source) {
        return row.id() != null && Objects.equals(row.id(), source.id());
    }

    private List<Row> randomRows(int count) {
        List<Row> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(new Row(
                    random.nextInt(6) == 0 ? null : random.nextInt(12),
                    random.nextInt(5) == 0 ? null : NAMES.get(random.nextInt(NAMES.size())),
                    random.nextInt(5) == 0 ? null : random.nextInt(20)));
        }
        return made;
    }

    private Condition condition(int depth) {
        int k = random.nextInt(12);
        String name = NAMES.get(random.nextInt(NAMES.size()));
        return switch (random.nextInt(depth > 0 ? 9 : 6)) {
            case 0 -> new Condition("@id = " + k, row -> compared(row.id(), sign -> sign == 0, k));
            case 1 -> new Condition(k + " < @v", row -> compared(row.v(), sign -> sign > 0, k));
            case 2 ->
                new Condition(
                        "@id BETWEEN " + k + " AND " + (k + 3),
                        row -> Optional.ofNullable(row.id()).map(id -> id >= k && id <= k + 3));
            case 3 ->
                new Condition(
                        "@p <> '" + name + "'",
                        row -> Optional.ofNullable(row.p()).map(p -> !p.equals(name)));
            case 4 -> new Condition("@v IS NULL", row -> Optional.of(row.v() == null));
            case 5 ->
                new Condition(
                        "@id IN (" + k + ", " + (k + 2) + ")",
                        row -> Optional.ofNullable(row.id()).map(id -> id == k || id == k + 2));
            case 6 -> negated(condition(depth - 1));
            default -> both(condition(depth - 1), condition(depth - 1), random.nextBoolean());
        };
    }

    private static Condition negated(Condition inner) {
        return new Condition(
                "NOT (" + inner.text() + ")", row -> inner.value().apply(row).map(value -> !value));
    }

    private static Condition both(Condition left, Condition right, boolean and) {
        String word = and ? " AND " : " OR ";
        return new Condition(String.format(Locale.ROOT, "(%s%s%s)", left.text(), word, right.text()), row -> {
            Optional<Boolean> a = left.value().apply(row);
            Optional<Boolean> b = right.value().apply(row);
            Optional<Boolean> decisive = Optional.of(!and);
            if (a.equals(decisive) || b.equals(decisive)) {
                return decisive;
            }
            return a.isPresent() && b.isPresent() ? Optional.of(and) : Optional.empty();
        });
    }

    private static Optional<Boolean> compared(@Nullable Integer value, Function<Integer, Boolean> test, int k) {
        return Optional.ofNullable(value).map(number -> test.apply(Integer.compare(number, k)));
    }
}
