package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * SCD type 1 where every event authors every column: per key the event with the greatest sequence decides, a later one
 * in the source's order if two are equal. Only tombstones must be remembered, and the sequences of live rows if the
 * target's columns do not tell them.
 */
final class TypeOnePlan {
    private static final String ADDED = "wins AND op = 0 AND (NOT alive OR changed)";

    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;
    private final List<String> sequence;
    private final List<String> values;
    private final boolean rowHasSequence;
    private final boolean remembersSequences;

    TypeOnePlan(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.sequence = context.sequence;
        this.values = context.values;
        this.rowHasSequence = spec.needsTargetSequence();
        this.remembersSequences = spec.remembersSequences();
    }

    ChangePlan plan() {
        String touched = context.touched();
        TypeOneRows rows = new TypeOneRows(context, false);
        String existing = rows.existing(touched);
        String remembered = context.remembered(touched);
        String before = context.view("before", before(touched, existing, remembered));
        String weighed = context.materialize("weighed", weighed(before));
        String unchanged = unchanged(weighed);
        String decided = context.materialize(
                "decided",
                "SELECT d.*, q.file IS NULL AS changed FROM " + weighed + " AS d LEFT JOIN " + unchanged
                        + " AS q ON d.file = q.file AND d.pos = q.pos");
        String added = "SELECT " + Sql.lists(Sql.of("d", keys), Sql.of("e", values)) + " FROM " + decided
                + " AS d JOIN " + context.inputs.events()
                + " AS e ON d.ord = e." + EventStaging.ORDINAL
                + " WHERE d.wins AND d.op = 0 AND (NOT d.alive OR d.changed)";
        rows.comingBack(
                "SELECT " + Sql.list(keys) + " FROM " + decided + " WHERE wins AND op = 0 AND (NOT alive OR changed)");
        String inserted = context.insertedOutput(added, List.of());
        String deleted = context.view("deleted", rows.deleted(deletedRows(decided)));
        String state = context.stateOutput(state(decided));
        String vanished = "SELECT count(*) AS n FROM " + rows.vanished(decided, "wins AND op = 1 AND alive");
        return new ChangePlan(
                context.steps,
                inserted,
                deleted,
                state,
                "SELECT count(*) AS n FROM " + decided + " WHERE " + ADDED,
                vanished);
    }

    private static String deletedRows(String decided) {
        return "SELECT file, pos FROM " + decided + " WHERE wins AND alive AND (op = 1 OR changed)";
    }

    /** Per touched key what is known before this update: the row if there is one, else the tombstone. */
    private String before(String touched, String existing, String remembered) {
        String tombstones = tombstones(existing, remembered);
        List<String> live = told("e");
        List<String> base = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            base.add("CASE WHEN e.file IS NOT NULL THEN " + live.get(i) + " ELSE d." + sequence.get(i) + " END AS b"
                    + i);
        }
        String sql = "SELECT "
                + Sql.lists(
                        Sql.of("u", keys),
                        base,
                        List.of(
                                "e.file",
                                "e.pos",
                                "e.file IS NOT NULL AS alive",
                                "CASE WHEN e.file IS NULL THEN d.arrived END AS arrived",
                                "h.kind AS old_kind"))
                + " FROM " + touched + " AS u LEFT JOIN " + existing + " AS e ON " + join("u", "e")
                + " LEFT JOIN (" + tombstones + ") AS d ON " + join("u", "d")
                + " LEFT JOIN " + remembered + " AS h ON " + join("u", "h");
        if (remembersSequences) {
            sql += " LEFT JOIN (SELECT *, 1 AS told FROM " + remembered + " WHERE kind = " + StateColumns.UPSERT
                    + " AND " + context.survives(sequence) + ") AS l ON " + join("u", "l");
        }
        return sql;
    }

    /** The sequence of a row: what is remembered of it as {@code l}, else what its own columns tell. */
    private List<String> told(String row) {
        if (!remembersSequences) {
            return Sql.of(row, sequence);
        }
        if (!rowHasSequence) {
            return Sql.of("l", sequence);
        }
        return Sql.each(sequence, leaf -> "CASE WHEN l.told = 1 THEN l." + leaf + " ELSE " + row + "." + leaf + " END");
    }

    /** Remembered deletes and deletes by hand; a key that has a row has none. */
    private String tombstones(String existing, String remembered) {
        String columns = Sql.lists(keys, sequence);
        String all = "SELECT " + columns + ", arrived FROM " + remembered + " WHERE kind = " + StateColumns.DELETE
                + " AND " + context.survives(sequence);
        if (context.inputs.manual().isPresent()) {
            all += " UNION ALL " + removedByHand(existing, remembered);
        }
        String ranked = "SELECT " + columns + ", arrived, row_number() OVER (PARTITION BY " + Sql.list(keys)
                + " ORDER BY " + Sql.descending(sequence) + ") AS rn FROM (" + all + ") AS a";
        return "SELECT " + columns + ", arrived FROM (" + ranked + ") AS b WHERE rn = 1";
    }

    /** A row that others deleted leaves a tombstone at its sequence; a row without a sequence leaves none. */
    private String removedByHand(String existing, String remembered) {
        TypeOneRows rows = new TypeOneRows(context, false);
        String removed = rows.manual(context.inputs.manual().orElseThrow().removed());
        List<String> at = told("g");
        String columns = Sql.lists(Sql.of("g", keys), Sql.as(at, sequence));
        return "SELECT " + columns + ", " + context.arrived() + " AS arrived FROM (" + removed
                + ") AS g LEFT JOIN " + existing + " AS e ON " + join("g", "e")
                + " LEFT JOIN (SELECT *, 1 AS told FROM " + remembered + " WHERE kind = " + StateColumns.UPSERT
                + ") AS l ON " + join("g", "l") + " WHERE e.file IS NULL AND NOT " + Sql.allNull(at);
    }

    /** Joins the deciding event of each key, if the update has one, without its values. */
    private String weighed(String before) {
        List<String> was = Sql.numbered("b", sequence.size());
        String ranked = "SELECT " + Sql.lists(keys, sequence) + ", op, " + EventStaging.ORDINAL
                + " AS ord, row_number() OVER (PARTITION BY "
                + Sql.list(keys) + " ORDER BY " + Sql.descending(sequence) + ", " + EventStaging.ORDINAL
                + " DESC) AS rn FROM " + context.inputs.events() + " WHERE op <> " + EventStaging.TRUNCATE + " AND "
                + context.survives(sequence);
        String winner = "SELECT * FROM (" + ranked + ") AS r WHERE rn = 1";
        String wins = "(w.ord IS NOT NULL AND (" + Sql.allNull(Sql.of("b", was)) + " OR NOT "
                + Sql.less(Sql.of("w", sequence), Sql.of("b", was)) + "))";
        return "SELECT " + Sql.lists(Sql.of("b", keys), Sql.of("w", sequence), Sql.of("b", was))
                + ", w.op, w.ord, b.file, b.pos, b.alive, b.arrived, b.old_kind, " + wins + " AS wins FROM " + before
                + " AS b LEFT JOIN (" + winner + ") AS w ON " + join("b", "w");
    }

    /**
     * Keeps the rows that equal the event that decides over them. Where the row's own columns tell its sequence, a greater
     * one cannot leave them all as they were: then only ties are compared, and the values of the others are never read.
     */
    private String unchanged(String weighed) {
        List<String> was = Sql.numbered("b", sequence.size());
        String doubtful = "wins AND alive AND op = " + EventStaging.UPSERT
                + (remembersSequences ? "" : " AND " + Sql.same(sequence, was));
        String candidates = context.materialize(
                "doubtful", "SELECT " + Sql.list(keys) + ", ord, file, pos FROM " + weighed + " WHERE " + doubtful);
        String equal = "SELECT c.file, c.pos FROM (" + context.targetRows(context.inputs.target(), List.of(), true)
                + ") AS p JOIN " + candidates + " AS c ON " + join("p", "c")
                + " AND p.file = c.file AND p.pos = c.pos JOIN " + context.inputs.events() + " AS e ON c.ord = e."
                + EventStaging.ORDINAL + " WHERE NOT " + Sql.differ(context.comparable("e"), context.comparable("p"));
        String name = context.relation("unchanged");
        String nothing = "SELECT file, pos FROM " + candidates + " WHERE 1 = 0";
        context.steps.add(new ChangePlan.MaterializeIfAny(name, equal, candidates, nothing));
        return name;
    }

    /** What must be remembered, for keys where that differs from what was. */
    private String state(String decided) {
        List<String> was = Sql.numbered("b", sequence.size());
        String kind = "CASE WHEN wins AND op = 1 THEN " + StateColumns.DELETE + " WHEN wins OR alive THEN "
                + (remembersSequences ? liveKind(was) : Integer.toString(StateColumns.NOTHING))
                + " WHEN " + Sql.allNull(was) + " THEN " + StateColumns.NOTHING + " ELSE " + StateColumns.DELETE
                + " END";
        List<String> at = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            at.add("CASE WHEN wins THEN " + sequence.get(i) + " ELSE " + was.get(i) + " END AS n" + i);
        }
        String all = "SELECT " + Sql.lists(keys, at) + ", " + kind
                + " AS kind, old_kind, wins, COALESCE(CASE WHEN wins THEN NULL" + " ELSE arrived END, "
                + context.arrived() + ") AS arrived FROM " + decided;
        List<String> columns = new ArrayList<>(keys);
        for (int i = 0; i < sequence.size(); i++) {
            columns.add("CASE WHEN kind <> " + StateColumns.NOTHING + " THEN n" + i + " END AS " + sequence.get(i));
        }
        columns.addAll(List.of("kind", "FALSE AS reset", "arrived"));
        return "SELECT " + Sql.list(columns) + " FROM (" + all + ") AS a WHERE (wins AND kind <> "
                + StateColumns.NOTHING + ") OR kind <> COALESCE(old_kind, " + StateColumns.NOTHING + ")";
    }

    private static String liveKind(List<String> was) {
        return "CASE WHEN wins OR NOT " + Sql.allNull(was) + " THEN " + StateColumns.UPSERT + " ELSE "
                + StateColumns.NOTHING + " END";
    }

    private String join(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys));
    }
}
