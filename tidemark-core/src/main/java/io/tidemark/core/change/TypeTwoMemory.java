package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * The remembered events of an SCD type 2 flow as far as rows changed by other writers leave them valid. A remembered
 * event names its row by key and start. Where that row is gone or changed the event is dropped and the row as it is now
 * wins; a row that was removed counts as a delete at its start.
 */
final class TypeTwoMemory {
    private final PlanContext context;
    private final String existing;
    private final List<String> keys;
    private final List<String> sequence;
    private final List<String> starts;
    private final List<String> ends;
    private final List<String> rows;

    TypeTwoMemory(PlanContext context, String existing) {
        this.context = context;
        this.existing = existing;
        this.keys = context.keys;
        this.sequence = context.sequence;
        this.starts = context.periods.starts;
        this.ends = context.periods.ends;
        this.rows = Sql.numbered("r", sequence.size());
    }

    /** Keeps the valid remembered events, with their priorities. */
    String remembered(String all) {
        String prio = "CASE WHEN kind = " + StateColumns.DELETE + " THEN " + Fold.REMEMBERED_DELETE + " ELSE "
                + Fold.REMEMBERED_UPSERT + " END AS prio, 0 AS ord";
        if (context.inputs.manual().isEmpty()) {
            return context.view("memory", "SELECT *, " + prio + " FROM " + all);
        }
        List<String> further = context.periods.ofTarget();
        PlanInputs.ManualRows manual = context.inputs.manual().get();
        String removed = context.materialize("removed", context.targetRows(manual.removed(), further, false));
        String added = context.materialize("added", context.targetRows(manual.added(), further, false));
        List<String> parts = new ArrayList<>();
        parts.add(keptUpserts(all, removed, added, prio));
        parts.add("SELECT *, " + prio + " FROM " + all + " WHERE kind NOT IN (" + StateColumns.UPSERT + ", "
                + StateColumns.DELETE + ")");
        parts.add(openDeletes("SELECT *, " + prio + " FROM " + all + " WHERE kind = " + StateColumns.DELETE));
        parts.add(openDeletes(deletesByHand(removed, added)));
        if (context.spec.isPartial()) {
            parts.add(updatesByHand(all, removed, added));
        }
        return context.materialize("memory", String.join(" UNION ALL ", parts));
    }

    /** Upserts of rows that nobody touched; of updated rows under partial updates the one at the row's start. */
    private String keptUpserts(String all, String removed, String added, String prio) {
        String touched = "SELECT DISTINCT " + Sql.lists(Sql.of("g", keys), Sql.of("g", starts))
                + ", 1 AS touched, a.there FROM " + removed + " AS g LEFT JOIN (SELECT *, 1 AS there FROM " + added
                + ") AS a ON " + sameRow("g", "a");
        String exception = context.spec.isPartial()
                ? " OR (g.there = 1 AND " + Sql.same(Sql.of("h", sequence), Sql.of("h", rows)) + ")"
                : "";
        return "SELECT h.* FROM (SELECT *, " + prio + " FROM " + all + " WHERE kind = " + StateColumns.UPSERT
                + ") AS h LEFT JOIN (" + touched + ") AS g ON " + Sql.equal(Sql.of("h", keys), Sql.of("g", keys))
                + " AND "
                + Sql.same(Sql.of("h", rows), Sql.of("g", starts)) + " WHERE g.touched IS NULL" + exception;
    }

    /** A removed row is a delete at its start, and its end stays one if a delete had closed it. */
    private String deletesByHand(String removed, String added) {
        String gone = "SELECT g.* FROM " + removed + " AS g LEFT JOIN (SELECT *, 1 AS there FROM " + added
                + ") AS a ON " + sameRow("g", "a") + " WHERE a.there IS NULL";
        return "SELECT " + deleteColumns(starts) + " FROM (" + gone + ") AS q UNION ALL SELECT " + deleteColumns(ends)
                + " FROM (" + gone + ") AS q WHERE NOT " + Sql.allNull(ends);
    }

    private String deleteColumns(List<String> at) {
        List<String> columns = new ArrayList<>();
        var fields = StateColumns.schema(context.spec).fields();
        List<String> names = context.stateNames();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            int leaf = sequence.indexOf(name);
            if (keys.contains(name)) {
                columns.add(name);
            } else if (leaf >= 0) {
                columns.add(at.get(leaf) + " AS " + name);
            } else {
                columns.add(
                        switch (name) {
                            case StateColumns.KIND -> StateColumns.DELETE + " AS kind";
                            case StateColumns.RESET -> "FALSE AS reset";
                            case StateColumns.ARRIVED -> context.arrived() + " AS arrived";
                            default -> context.dialect.nullOf(fields.get(i).type()) + " AS " + name;
                        });
            }
        }
        return Sql.list(columns) + ", " + Fold.REMEMBERED_DELETE + " AS prio, 0 AS ord";
    }

    /** Deletes that no existing row contradicts: a row that lives at a delete's sequence was made by hand and wins. */
    private String openDeletes(String deletes) {
        String inside = "(" + Sql.same(Sql.of("e", starts), Sql.of("d", sequence)) + " OR "
                + Sql.less(Sql.of("e", starts), Sql.of("d", sequence)) + ") AND (" + Sql.allNull(Sql.of("e", ends))
                + " OR " + Sql.less(Sql.of("d", sequence), Sql.of("e", ends)) + ")";
        return "SELECT d.* FROM (" + deletes + ") AS d LEFT JOIN " + existing + " AS e ON "
                + Sql.equal(Sql.of("d", keys), Sql.of("e", keys)) + " AND " + inside + " WHERE e.file IS NULL";
    }

    /** Columns that an UPDATE by hand changed count as authored at the row's start. */
    private String updatesByHand(String all, String removed, String added) {
        List<String> columns = new ArrayList<>(Sql.of("a", keys));
        columns.addAll(Sql.as(Sql.of("a", starts), sequence));
        columns.addAll(Sql.as(Sql.of("a", starts), rows));
        columns.addAll(List.of("0 AS kind", "FALSE AS reset", context.arrived() + " AS arrived"));
        columns.addAll(Sql.of("a", context.solids));
        List<ColumnUnit> units = context.spec.units();
        for (int j = 0; j < units.size(); j++) {
            ColumnUnit unit = units.get(j);
            String now = unit.extract("a.x" + unit.column(), context.dialect);
            String was = unit.extract("g.x" + unit.column(), context.dialect);
            columns.add(now + " AS u" + j);
            columns.add("(l.more = 1 OR " + context.dialect.comparable(now, unit.type()) + " IS DISTINCT FROM "
                    + context.dialect.comparable(was, unit.type()) + ") AS m" + j);
        }
        String absorbed = "SELECT DISTINCT " + Sql.lists(keys, rows) + ", 1 AS more FROM " + all + " WHERE kind = "
                + StateColumns.UPSERT + " AND NOT " + Sql.same(sequence, rows);
        String told = "SELECT DISTINCT " + Sql.lists(keys, rows) + ", 1 AS told FROM " + all + " WHERE kind = "
                + StateColumns.UPSERT + " AND " + Sql.same(sequence, rows);
        return "SELECT " + Sql.list(columns) + ", " + Fold.BY_HAND + " AS prio, 0 AS ord FROM " + removed
                + " AS g JOIN " + added + " AS a ON " + sameRow("g", "a") + " JOIN (" + told + ") AS t ON "
                + Sql.equal(Sql.of("a", keys), Sql.of("t", keys)) + " AND "
                + Sql.same(Sql.of("a", starts), Sql.of("t", rows))
                + " LEFT JOIN (" + absorbed + ") AS l ON " + Sql.equal(Sql.of("a", keys), Sql.of("l", keys)) + " AND "
                + Sql.same(Sql.of("a", starts), Sql.of("l", rows));
    }

    private String sameRow(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys)) + " AND "
                + Sql.same(Sql.of(left, starts), Sql.of(right, starts));
    }
}
