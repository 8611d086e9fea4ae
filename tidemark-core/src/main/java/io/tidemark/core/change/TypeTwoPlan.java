package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * SCD type 2. A run is a stretch of versions of one life that are equal on all tracked columns; each run is one row.
 * What rows cannot tell is remembered: the events of runs that absorbed some, deletes that closed no row, and with
 * partial updates which columns an event authored.
 */
final class TypeTwoPlan {
    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;
    private final List<String> sequence;
    private final List<String> starts;
    private final List<String> ends;
    private final List<String> rows;
    private final Fold fold;

    TypeTwoPlan(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.sequence = context.sequence;
        int leaves = sequence.size();
        this.starts = Sql.numbered("st", leaves);
        this.ends = Sql.numbered("en", leaves);
        this.rows = Sql.numbered("r", leaves);
        this.fold = new Fold(context, sequence, true);
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = existing(touched);
        String remembered = context.remembered(touched);
        String memory = new TypeTwoMemory(context, existing).remembered(remembered);
        String chosen = fold.fold(facts(existing, memory));
        String runs = context.materialize("runs", runs(chosen));
        String output = context.materialize("output", output(runs));
        String compared = context.materialize("compared", compared(output, existing));
        SequenceShape shape = spec.sequenceShape();
        String inserted = context.insertedOutput(
                "SELECT * FROM " + compared + " WHERE there AND NOT kept",
                List.of(
                        context.reservedColumn(ReservedColumns.START_AT, shape, "st"),
                        context.reservedColumn(ReservedColumns.END_AT, shape, "en")));
        String deleted =
                context.view("deleted", "SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept");
        String records = context.view("records", records(runs));
        String state = context.stateOf(records, remembered);
        String vanished = "SELECT count(*) AS n FROM " + compared + " WHERE file IS NOT NULL AND NOT there";
        return new ChangePlan(context.steps, inserted, deleted, state, vanished);
    }

    private String existing(String touched) {
        SequenceShape shape = spec.sequenceShape();
        List<String> further = new ArrayList<>(context.reservedLeaves(ReservedColumns.START_AT, shape, "st"));
        further.addAll(context.reservedLeaves(ReservedColumns.END_AT, shape, "en"));
        String plain = context.existingRows(touched, further);
        List<String> next = new ArrayList<>();
        String window = " OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(starts) + ")";
        for (int i = 0; i < starts.size(); i++) {
            next.add("lead(st" + i + ")" + window + " AS nx" + i);
        }
        String existing = context.materialize(
                "versions", "SELECT *, " + Sql.list(next) + ", lead(1)" + window + " AS has_next FROM " + plain);
        List<String> nexts = Sql.numbered("nx", starts.size());
        String bad = Sql.allNull(starts) + " OR (NOT " + Sql.allNull(ends) + " AND NOT " + Sql.less(starts, ends)
                + ") OR (has_next = 1 AND (" + Sql.allNull(ends) + " OR " + Sql.less(nexts, ends) + " OR NOT "
                + Sql.less(starts, nexts) + "))";
        context.checkTarget(
                "SELECT " + Sql.lists(keys, starts, ends) + " FROM " + existing + " WHERE " + bad,
                "that overlap or have no valid period (key, start, end)");
        return existing;
    }

    /** All facts of the touched keys: of new events, of memory, and of rows that memory does not tell of. */
    private String facts(String existing, String remembered) {
        List<String> parts = new ArrayList<>();
        parts.add(fold.newFacts());
        parts.add(rememberedUpserts(existing, remembered));
        parts.add(rememberedDeletes(remembered));
        parts.add(rowUpserts(existing, remembered));
        parts.add(impliedDeletes(existing));
        return String.join(" UNION ALL ", parts);
    }

    private String rememberedUpserts(String existing, String remembered) {
        List<String> values =
                StateColumns.holdsValues(spec) ? Sql.of("h", context.solids) : Sql.of("e", context.solids);
        return "SELECT "
                + Sql.lists(
                        Sql.of("h", keys),
                        Sql.of("h", sequence),
                        List.of("0 AS op", "h.reset", "h.prio", "h.ord", "h.arrived"),
                        values,
                        Sql.of("h", context.units),
                        Sql.of("h", context.masks))
                + " FROM " + remembered + " AS h JOIN " + existing + " AS e ON "
                + Sql.equal(Sql.of("h", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("h", rows), Sql.of("e", starts)) + " WHERE h.kind = " + StateColumns.UPSERT;
    }

    private String rememberedDeletes(String remembered) {
        return "SELECT "
                + Sql.lists(keys, sequence, List.of("1 AS op", "FALSE AS reset", "prio", "ord", "arrived"), nothing())
                + " FROM " + remembered + " WHERE kind = " + StateColumns.DELETE;
    }

    private String rowUpserts(String existing, String remembered) {
        String told = "SELECT DISTINCT " + Sql.lists(keys, rows) + ", 1 AS told FROM " + remembered + " WHERE kind = "
                + StateColumns.UPSERT + " AND prio = " + Fold.REMEMBERED_UPSERT;
        return "SELECT "
                + Sql.lists(
                        Sql.of("e", keys),
                        Sql.of("e", starts),
                        List.of(
                                "0 AS op",
                                "FALSE AS reset",
                                Fold.REMEMBERED_UPSERT + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        context.partsOfValues("e"),
                        Sql.each(context.masks, mask -> "TRUE AS " + mask))
                + " FROM " + existing + " AS e LEFT JOIN (" + told + ") AS t ON "
                + Sql.equal(Sql.of("e", keys), Sql.of("t", keys)) + " AND "
                + Sql.same(Sql.of("e", starts), Sql.of("t", rows)) + " WHERE t.told IS NULL";
    }

    /** A row that ends where no other begins was closed by a delete. */
    private String impliedDeletes(String existing) {
        List<String> nexts = Sql.numbered("nx", ends.size());
        return "SELECT "
                + Sql.lists(
                        keys,
                        ends,
                        List.of(
                                "1 AS op",
                                "FALSE AS reset",
                                Fold.REMEMBERED_DELETE + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        nothing())
                + " FROM " + existing + " WHERE NOT " + Sql.allNull(ends) + " AND (has_next IS NULL OR "
                + Sql.less(ends, nexts) + ")";
    }

    /** NULLs for all value parts, and masks that author nothing. */
    private List<String> nothing() {
        List<String> columns = new ArrayList<>();
        for (int column : spec.solidColumns()) {
            columns.add(context.dialect.nullOf(spec.values().get(column).type()) + " AS x" + column);
        }
        List<ColumnUnit> units = spec.units();
        for (int j = 0; j < units.size(); j++) {
            columns.add(context.dialect.nullOf(units.get(j).type()) + " AS u" + j);
        }
        columns.addAll(Sql.each(context.masks, mask -> "FALSE AS " + mask));
        return columns;
    }

    /** Cuts the fold into runs: each row learns where its run starts, whether it is its last, and where that ends. */
    private String runs(String chosen) {
        String ordered = " OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(sequence);
        String window = ordered + ")";
        String upToHere = ordered + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)";
        List<String> lags = new ArrayList<>();
        List<String> now = context.comparable("c", spec.tracked());
        List<String> before = new ArrayList<>();
        for (int i = 0; i < now.size(); i++) {
            lags.add("lag(" + now.get(i) + ")" + window + " AS g" + i);
            lags.add(now.get(i) + " AS t" + i);
            before.add("g" + i);
        }
        String lagged = "SELECT c.*, " + Sql.lists(List.of("lag(op)" + window + " AS previous_op"), lags) + " FROM "
                + chosen + " AS c";
        String breaks = "CASE WHEN op = 1 OR previous_op IS NULL OR previous_op = 1 OR "
                + Sql.differ(Sql.numbered("t", before.size()), before) + " THEN 1 ELSE 0 END";
        String marked = "SELECT *, " + breaks + " AS starts_run FROM (" + lagged + ") AS l";
        List<String> leads = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            leads.add("lead(s" + i + ")" + window + " AS en" + i);
        }
        String numbered = "SELECT *, sum(starts_run)" + upToHere
                + " AS run, COALESCE(lead(starts_run)" + window + ", 1) AS next_starts, " + Sql.list(leads) + " FROM ("
                + marked + ") AS m";
        List<String> firsts = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            firsts.add("first_value(s" + i + ") OVER (PARTITION BY " + Sql.list(keys) + ", run ORDER BY "
                    + Sql.ascending(sequence) + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS st" + i);
        }
        return "SELECT *, " + Sql.list(firsts) + " FROM (" + numbered + ") AS n";
    }

    private String output(String runs) {
        return "SELECT " + Sql.lists(keys, context.values, starts, ends) + " FROM " + runs
                + " WHERE op = 0 AND next_starts = 1";
    }

    /** Joins old and new rows of one identity; {@code kept} marks those that are equal in everything. */
    private String compared(String output, String existing) {
        String equal = Sql.same(Sql.of("o", ends), Sql.of("e", ends)) + " AND NOT "
                + Sql.differ(context.comparable("o"), context.comparable("e"));
        return "SELECT "
                + Sql.lists(
                        Sql.of("o", keys),
                        Sql.of("o", context.values),
                        Sql.of("o", starts),
                        Sql.of("o", ends),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND " + equal
                + ") AS kept FROM (SELECT *, 1 AS there FROM " + output + ") AS o FULL OUTER JOIN " + existing
                + " AS e ON " + Sql.equal(Sql.of("o", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("o", starts), Sql.of("e", starts));
    }

    /** What must be remembered of the touched keys. */
    private String records(String runs) {
        String absorbed = "NOT (starts_run = 1 AND next_starts = 1)";
        String partial = spec.isPartial() ? " OR NOT " + fold.isFull() + " OR reset" : "";
        String upserts = "(op = 0 AND (" + absorbed + partial + "))";
        String deletes = "(op = 1 AND (previous_op IS NULL OR previous_op = 1))";
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(sequence);
        for (int i = 0; i < rows.size(); i++) {
            columns.add("CASE WHEN op = 0 THEN st" + i + " END AS " + rows.get(i));
        }
        columns.addAll(List.of("op AS kind", "reset", "arrived"));
        if (StateColumns.holdsValues(spec)) {
            columns.addAll(context.solids);
        }
        for (int j = 0; j < context.units.size(); j++) {
            columns.add("CASE WHEN m" + j + " THEN u" + j + " END AS u" + j);
            columns.add("m" + j);
        }
        return "SELECT " + Sql.list(columns) + " FROM " + runs + " WHERE " + upserts + " OR " + deletes;
    }
}
