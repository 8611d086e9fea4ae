package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * SCD type 1 where events may leave columns alone. Each unit of a row has its own sequence, that of the event that
 * authored it; remembered are the newest event of each unit in the key's last life, and the delete that began that life
 * while older events could still slip in behind it.
 */
final class TypeOnePartialPlan {
    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;
    private final List<String> sequence;
    private final Fold fold;
    private final TypeOneRows rows;

    TypeOnePartialPlan(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.sequence = context.sequence;
        this.fold = new Fold(context, sequence, true);
        this.rows = new TypeOneRows(context, true);
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = rows.existing(touched);
        String remembered = context.remembered(touched);
        String memory = memory(remembered);
        String chosen = fold.fold(facts(existing, memory));
        String ranked = context.materialize("ranked", ranked(chosen));
        String compared = context.materialize("compared", compared(ranked, existing));
        String added = "SELECT * FROM " + compared + " WHERE there AND NOT kept";
        rows.comingBack("SELECT " + Sql.list(keys) + " FROM " + compared + " WHERE there AND NOT kept");
        String inserted = context.insertedOutput(added, List.of());
        String deleted = context.view(
                "deleted", rows.deleted("SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept"));
        String records = context.view("records", records(ranked));
        String state = context.stateOf(records, remembered);
        String vanished = "SELECT count(*) AS n FROM " + rows.vanished(compared, "file IS NOT NULL AND NOT there");
        return new ChangePlan(
                context.steps, inserted, deleted, state, "SELECT count(*) AS n FROM " + inserted, vanished);
    }

    /** The remembered events that the newest truncate and other writers leave valid, with priorities. */
    private String memory(String remembered) {
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
        columns.addAll(nothing());
        return "SELECT " + Sql.list(columns) + ", " + Fold.REMEMBERED_DELETE + " AS prio, 0 AS ord FROM (" + placed
                + ") AS p WHERE NOT " + Sql.allNull(sequence);
    }

    /** Columns that an UPDATE by hand changed count as authored at the row's last sequence. */
    private String updatesByHand(String valid, String removed, String added) {
        List<String> columns = new ArrayList<>(Sql.of("a", keys));
        columns.addAll(Sql.of("l", sequence));
        columns.addAll(List.of(StateColumns.UPSERT + " AS kind", "FALSE AS reset", context.arrived() + " AS arrived"));
        columns.addAll(Sql.of("a", context.solids));
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            ColumnUnit unit = units.get(j);
            String now = unit.extract("a.x" + unit.column(), context.dialect);
            String was = unit.extract("g.x" + unit.column(), context.dialect);
            columns.add(now + " AS u" + j);
            columns.add("(" + context.dialect.comparable(now, unit.type()) + " IS DISTINCT FROM "
                    + context.dialect.comparable(was, unit.type()) + ") AS m" + j);
        }
        return "SELECT " + Sql.list(columns) + ", " + Fold.BY_HAND + " AS prio, 0 AS ord FROM " + removed
                + " AS g JOIN " + added + " AS a ON " + join("g", "a") + " JOIN (" + newestUpserts(valid)
                + ") AS l ON " + join("a", "l");
    }

    private String facts(String existing, String memory) {
        List<String> parts = new ArrayList<>();
        parts.add(fold.newFacts());
        parts.add("SELECT "
                + Sql.lists(
                        keys,
                        sequence,
                        List.of("kind AS op", "reset", "prio", "ord", "arrived"),
                        context.solids,
                        context.units,
                        context.masks)
                + " FROM " + memory);
        parts.add(rowFacts(existing, memory));
        return String.join(" UNION ALL ", parts);
    }

    /** Rows that memory does not tell of: all columns authored at the row's own sequence, or before all events. */
    private String rowFacts(String existing, String memory) {
        List<String> at = spec.needsTargetSequence() ? Sql.of("e", sequence) : context.nullLeaves(spec.sequenceShape());
        return "SELECT "
                + Sql.lists(
                        Sql.of("e", keys),
                        Sql.as(at, sequence),
                        List.of(
                                "0 AS op",
                                "FALSE AS reset",
                                Fold.REMEMBERED_UPSERT + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        context.partsOfValues("e"),
                        Sql.each(context.masks, mask -> "TRUE AS " + mask))
                + " FROM " + existing + " AS e LEFT JOIN (SELECT DISTINCT " + Sql.list(keys) + ", 1 AS told FROM "
                + memory + " WHERE kind = " + StateColumns.UPSERT + ") AS t ON " + join("e", "t")
                + " WHERE t.told IS NULL";
    }

    private List<String> nothing() {
        List<String> columns = new ArrayList<>();
        for (int column : spec.solidColumns()) {
            columns.add(context.dialect.nullOf(spec.values().get(column).type()) + " AS x" + column);
        }
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            columns.add(context.dialect.nullOf(units.get(j).type()) + " AS u" + j);
            columns.add("FALSE AS m" + j);
        }
        return columns;
    }

    /** Marks the last state of each key, its last life, and the units that each event still decides. */
    private String ranked(String chosen) {
        String keyed = "PARTITION BY " + Sql.list(keys);
        String numbered = "SELECT *, row_number() OVER (" + keyed + " ORDER BY " + Sql.ascending(sequence)
                + ") AS rk, count(*) OVER (" + keyed + ") AS facts, max(life) OVER (" + keyed
                + ") AS last_life FROM " + chosen;
        List<String> deciding = new ArrayList<>();
        for (int j = 0; j < context.masks.size(); j++) {
            deciding.add("(m" + j + " AND rk = max(CASE WHEN op = 0 AND m" + j + " THEN rk END) OVER (" + keyed
                    + ", life)) AS d" + j);
        }
        String full = "max(CASE WHEN rk = facts AND op = 0 AND " + fold.isFull() + " THEN 1 ELSE 0 END) OVER (" + keyed
                + ") AS last_full";
        return "SELECT *, (rk = facts) AS is_last, (life = last_life) AS in_last_life, "
                + Sql.lists(deciding, List.of(full)) + " FROM (" + numbered + ") AS n";
    }

    private String compared(String ranked, String existing) {
        return "SELECT "
                + Sql.lists(
                        List.of("COALESCE(o.k0, e.k0) AS k0"),
                        Sql.each(
                                keys.subList(1, keys.size()),
                                key -> "COALESCE(o." + key + ", e." + key + ") AS " + key),
                        Sql.of("o", context.values),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND NOT "
                + Sql.differ(context.comparable("o"), context.comparable("e"))
                + ") AS kept FROM (SELECT *, 1 AS there FROM " + ranked
                + " WHERE is_last AND op = 0) AS o FULL OUTER JOIN " + existing + " AS e ON " + join("o", "e");
    }

    private String records(String ranked) {
        String decides = context.masks.isEmpty()
                ? "FALSE"
                : "(" + String.join(" OR ", Sql.numbered("d", context.masks.size())) + ")";
        String needless = spec.needsTargetSequence() ? "last_full = 1" : "FALSE";
        String upserts = "(op = 0 AND in_last_life AND (is_last OR reset OR " + decides + ") AND NOT (" + needless
                + ") AND NOT (is_last AND " + Sql.allNull(sequence) + "))";
        String deletes = "(op = 1 AND in_last_life AND (is_last OR last_full = 0))";
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(sequence);
        columns.addAll(List.of("op AS kind", "reset", "arrived"));
        columns.addAll(context.solids);
        for (int j = 0; j < context.units.size(); j++) {
            columns.add("CASE WHEN d" + j + " THEN u" + j + " END AS u" + j);
            columns.add("d" + j + " AS m" + j);
        }
        return "SELECT " + Sql.list(columns) + " FROM " + ranked + " WHERE " + upserts + " OR " + deletes;
    }

    private String join(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys));
    }
}
