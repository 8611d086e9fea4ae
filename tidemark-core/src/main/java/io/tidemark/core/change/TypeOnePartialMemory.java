package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * What an SCD type 1 flow with partial updates remembers of its touched keys, after what the newest truncate and other
 * writers left of it: which event decides which unit. The values stand in the row.
 */
final class TypeOnePartialMemory {
    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;
    private final List<String> sequence;
    private final TypeOneRows rows;

    TypeOnePartialMemory(PlanContext context, TypeOneRows rows) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.sequence = context.sequence;
        this.rows = rows;
    }

    /** The remembered events that the newest truncate and other writers leave valid, with priorities. */
    String remembered(String remembered) {
        String prio = "CASE WHEN kind = " + StateColumns.DELETE + " THEN " + Fold.REMEMBERED_DELETE + " ELSE "
                + Fold.REMEMBERED_UPSERT + " END AS prio, 0 AS ord";
        String valid = "SELECT *, " + prio + " FROM " + remembered + " WHERE kind <> " + StateColumns.NOTHING + " AND "
                + (context.inputs.newTruncation()
                        ? ""
                        : Sql.allNull(sequence) + " OR kind <> " + StateColumns.NOTHING + " AND ")
                + context.survives(sequence);
        if (context.inputs.manual().isEmpty()) {
            return context.view("memory", valid);
        }
        PlanInputs.ManualRows manual = context.inputs.manual().get();
        String removed = context.materialize("removed", rows.manual(manual.removed()));
        String added = context.materialize("added", rows.manual(manual.added()));
        String hands = context.materialize(
                "hands",
                "SELECT " + Sql.list(keys) + ", max(was) AS was, max(now) AS now FROM (SELECT " + Sql.list(keys)
                        + ", 1 AS was, 0 AS now FROM " + removed + " UNION ALL SELECT " + Sql.list(keys)
                        + ", 0 AS was, 1 AS now FROM " + added + ") AS a GROUP BY " + Sql.list(keys));
        String kept = "SELECT v.* FROM (" + valid + ") AS v LEFT JOIN " + hands + " AS d ON " + join("v", "d")
                + " WHERE d.was IS NULL OR (d.was = 1 AND d.now = 1)";
        return context.materialize(
                "memory",
                kept + " UNION ALL " + deletesByHand(valid, removed, hands) + " UNION ALL "
                        + updatesByHand(valid, removed, added));
    }

    private String newestUpserts(String valid) {
        return "SELECT " + Sql.lists(keys, sequence) + " FROM (SELECT " + Sql.lists(keys, sequence)
                + ", row_number() OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.descending(sequence)
                + ") AS rn FROM (" + valid + ") AS v WHERE kind = " + StateColumns.UPSERT + ") AS w WHERE rn = 1";
    }

    /** A row that others deleted leaves a tombstone at its last event's sequence. */
    private String deletesByHand(String valid, String removed, String hands) {
        List<String> own =
                spec.needsTargetSequence() ? Sql.of("g", sequence) : context.nullLeaves(spec.sequenceShape());
        List<String> at = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            at.add("CASE WHEN l.there = 1 THEN l." + sequence.get(i) + " ELSE " + own.get(i) + " END AS "
                    + sequence.get(i));
        }
        String placed = "SELECT " + Sql.lists(Sql.of("g", keys), at) + " FROM " + removed + " AS g JOIN " + hands
                + " AS d ON " + join("g", "d") + " LEFT JOIN (SELECT *, 1 AS there FROM (" + newestUpserts(valid)
                + ") AS n) AS l ON " + join("g", "l") + " WHERE d.now = 0";
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(sequence);
        columns.addAll(List.of(StateColumns.DELETE + " AS kind", "FALSE AS reset", context.arrived() + " AS arrived"));
        columns.addAll(Sql.each(context.masks, mask -> "FALSE AS " + mask));
        return "SELECT " + Sql.list(columns) + ", " + Fold.REMEMBERED_DELETE + " AS prio, 0 AS ord FROM (" + placed
                + ") AS p WHERE NOT " + Sql.allNull(sequence);
    }

    /** Columns that an UPDATE by hand changed count as authored at the row's last sequence. */
    private String updatesByHand(String valid, String removed, String added) {
        List<String> columns = new ArrayList<>(Sql.of("a", keys));
        columns.addAll(Sql.of("l", sequence));
        columns.addAll(List.of(StateColumns.UPSERT + " AS kind", "FALSE AS reset", context.arrived() + " AS arrived"));
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            ColumnUnit unit = units.get(j);
            String now = unit.extract("a.x" + unit.column(), context.dialect);
            String was = unit.extract("g.x" + unit.column(), context.dialect);
            columns.add("(" + context.dialect.comparable(now, unit.type()) + " IS DISTINCT FROM "
                    + context.dialect.comparable(was, unit.type()) + ") AS m" + j);
        }
        return "SELECT " + Sql.list(columns) + ", " + Fold.BY_HAND + " AS prio, 0 AS ord FROM " + removed
                + " AS g JOIN " + added + " AS a ON " + join("g", "a") + " JOIN (" + newestUpserts(valid)
                + ") AS l ON " + join("a", "l");
    }

    private String join(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys));
    }
}
