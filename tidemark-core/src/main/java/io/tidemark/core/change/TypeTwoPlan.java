package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
        this.starts = context.periods.starts;
        this.ends = context.periods.ends;
        this.rows = Sql.numbered("r", leaves);
        this.fold = new Fold(context, sequence, true);
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = context.existingRows(touched, context.periods.ofTarget());
        Optional<TypeTwoSources> sources =
                spec.isPartial() ? Optional.empty() : Optional.of(new TypeTwoSources(context, existing));
        String versions = versions(existing, sources);
        String remembered = context.remembered(touched);
        String memory = new TypeTwoMemory(context, versions).remembered(remembered);
        Folded folded =
                sources.isPresent() ? foldedByPlace(sources.get(), versions, memory) : foldedWhole(versions, memory);
        String inserted = context.insertedOutput(folded.inserted(), context.periods.toTarget());
        String compared = folded.compared();
        String deleted =
                context.view("deleted", "SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept");
        String records = context.view("records", withRowsLeftOut(folded.records(), remembered, versions));
        String state = context.stateOf(records, remembered);
        String vanished = "SELECT count(*) AS n FROM " + compared + " WHERE file IS NOT NULL AND NOT there";
        return new ChangePlan(
                context.steps,
                inserted,
                deleted,
                state,
                "SELECT count(*) AS n FROM " + compared + " WHERE there AND NOT kept",
                vanished);
    }

    /**
     * The outcome of the fold.
     *
     * @param compared relation of old and new rows, with {@code file}, {@code pos}, {@code there} and {@code kept}
     * @param inserted SQL of the rows to write: keys, values, starts and ends
     * @param records SQL of what must be remembered
     */
    private record Folded(String compared, String inserted, String records) {}

    /** With partial updates values are put together by the fold, so they go through it. */
    private Folded foldedWhole(String versions, String memory) {
        String chosen = fold.fold(facts(versions, memory));
        String runs = context.materialize("runs", runs(marked(chosen)));
        String output = context.materialize(
                "output",
                "SELECT " + Sql.lists(keys, context.values, starts, ends) + " FROM " + runs
                        + " WHERE op = 0 AND next_starts = 1");
        String compared = context.materialize("compared", compared(output, versions));
        return new Folded(compared, "SELECT * FROM " + compared + " WHERE there AND NOT kept", records(runs));
    }

    private Folded foldedByPlace(TypeTwoSources sources, String versions, String memory) {
        String numbered = sources.numbered(memory);
        String allValues = sources.allValues();
        String lagged = context.materialize("lagged", laggedByPlace(factsByPlace(sources, versions, numbered)));
        String falselyEqual = context.materialize("falsely_equal", sources.falselyEqual(pairs(lagged), allValues));
        String marked = "SELECT l.*, CASE WHEN op = 1 OR h0 IS NULL OR h <> h0 OR f.src IS NOT NULL THEN 1 ELSE 0 END"
                + " AS starts_run FROM " + lagged + " AS l LEFT JOIN " + falselyEqual
                + " AS f ON l.src = f.src AND l.idx = f.idx";
        String runs = context.materialize("runs", runs(marked));
        String joined = context.materialize("joined", joinedByPlace(runs, versions));
        String candidates = "SELECT src, idx, file, pos FROM " + joined + " WHERE same_end AND NOT same_place";
        String equal = context.materialize("equal_rows", sources.equalRows(candidates, allValues));
        String compared = context.materialize(
                "compared",
                "SELECT j.*, (j.same_end AND (j.same_place OR q.file IS NOT NULL)) AS kept FROM " + joined
                        + " AS j LEFT JOIN " + equal + " AS q ON j.file = q.file AND j.pos = q.pos");
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(starts);
        columns.addAll(ends);
        String inserted = sources.withValues("SELECT * FROM " + compared + " WHERE there AND NOT kept", columns);
        return new Folded(compared, inserted, recordsByPlace(sources, runs));
    }

    /** The existing rows in order of their starts, with the start of the next; values only where the fold needs them. */
    private String versions(String existing, Optional<TypeTwoSources> sources) {
        List<String> next = new ArrayList<>();
        String window = " OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(starts) + ")";
        for (int i = 0; i < starts.size(); i++) {
            next.add("lead(st" + i + ")" + window + " AS nx" + i);
        }
        String columns = sources.map(
                        places -> Sql.lists(keys, starts, ends) + ", file, pos, " + places.hash("e") + " AS h")
                .orElse("*");
        String versions = context.materialize(
                "versions",
                "SELECT " + columns + ", " + Sql.list(next) + ", lead(1)" + window + " AS has_next FROM " + existing
                        + " AS e");
        List<String> nexts = Sql.numbered("nx", starts.size());
        String bad = Sql.allNull(starts) + " OR (NOT " + Sql.allNull(ends) + " AND NOT " + Sql.less(starts, ends)
                + ") OR (has_next = 1 AND (" + Sql.allNull(ends) + " OR " + Sql.less(nexts, ends) + " OR NOT "
                + Sql.less(starts, nexts) + "))";
        context.checkTarget(
                "SELECT " + Sql.lists(keys, starts, ends) + " FROM " + versions + " WHERE " + bad,
                "that overlap or have no valid period (key, start, end)");
        return versions;
    }

    /** All facts of the touched keys: of new events, of memory, and of rows that memory does not tell of. */
    private String facts(String versions, String memory) {
        List<String> row = new ArrayList<>(context.partsOfValues("e"));
        row.addAll(Sql.each(context.masks, mask -> "TRUE AS " + mask));
        List<String> remembered = new ArrayList<>(Sql.of("h", context.solids));
        remembered.addAll(Sql.of("h", context.units));
        remembered.addAll(Sql.of("h", context.masks));
        return String.join(
                " UNION ALL ",
                fold.newFacts(),
                rememberedUpserts(versions, memory, remembered),
                rememberedDeletes(memory, nothing()),
                rowUpserts(versions, memory, row),
                impliedDeletes(versions, nothing()));
    }

    /** The same facts with the places of their values. */
    private String factsByPlace(TypeTwoSources sources, String versions, String memory) {
        String news = "SELECT "
                + Sql.lists(
                        keys,
                        sequence,
                        List.of("op", "FALSE AS reset", Fold.NEW + " AS prio", EventStaging.ORDINAL + " AS ord"),
                        List.of(context.arrived() + " AS arrived"),
                        sources.ofEvent())
                + " FROM " + context.inputs.events() + " AS v WHERE op <> " + EventStaging.TRUNCATE + " AND "
                + context.survives(sequence);
        return String.join(
                " UNION ALL ",
                news,
                rememberedUpserts(versions, memory, sources.ofMemory("h", "e")),
                rememberedDeletes(memory, TypeTwoSources.ofDelete()),
                rowUpserts(versions, memory, sources.ofRow("e")),
                impliedDeletes(versions, TypeTwoSources.ofDelete()));
    }

    private String rememberedUpserts(String versions, String memory, List<String> values) {
        return "SELECT "
                + Sql.lists(
                        Sql.of("h", keys),
                        Sql.of("h", sequence),
                        List.of("0 AS op", "h.reset", "h.prio", "h.ord", "h.arrived"),
                        values)
                + " FROM " + memory + " AS h JOIN " + versions + " AS e ON "
                + Sql.equal(Sql.of("h", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("h", rows), Sql.of("e", starts)) + " WHERE h.kind = " + StateColumns.UPSERT;
    }

    private String rememberedDeletes(String memory, List<String> nothing) {
        return "SELECT "
                + Sql.lists(keys, sequence, List.of("1 AS op", "FALSE AS reset", "prio", "ord", "arrived"), nothing)
                + " FROM " + memory + " WHERE kind = " + StateColumns.DELETE;
    }

    private String rowUpserts(String versions, String memory, List<String> values) {
        String told = "SELECT DISTINCT " + Sql.lists(keys, rows) + ", 1 AS told FROM " + memory + " WHERE kind = "
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
                        values)
                + " FROM " + versions + " AS e LEFT JOIN (" + told + ") AS t ON "
                + Sql.equal(Sql.of("e", keys), Sql.of("t", keys)) + " AND "
                + Sql.same(Sql.of("e", starts), Sql.of("t", rows)) + " WHERE t.told IS NULL";
    }

    /** A row that ends where no other begins was closed by a delete. */
    private String impliedDeletes(String versions, List<String> nothing) {
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
                        nothing)
                + " FROM " + versions + " WHERE NOT " + Sql.allNull(ends) + " AND (has_next IS NULL OR "
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

    private String ordered() {
        return " OVER (" + inOrder();
    }

    private String inOrder() {
        return "PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(sequence);
    }

    /** Marks the folded rows that differ from the one before on the tracked columns. */
    private String marked(String chosen) {
        String window = ordered() + ")";
        List<String> lags = new ArrayList<>();
        List<String> now = context.comparable("c", spec.tracked());
        for (int i = 0; i < now.size(); i++) {
            lags.add("lag(" + now.get(i) + ")" + window + " AS g" + i);
            lags.add(now.get(i) + " AS t" + i);
        }
        String lagged = "SELECT c.*, " + Sql.lists(List.of("lag(op)" + window + " AS previous_op"), lags) + " FROM "
                + chosen + " AS c";
        return "SELECT *, CASE WHEN op = 1 OR previous_op IS NULL OR previous_op = 1 OR "
                + Sql.differ(Sql.numbered("t", now.size()), Sql.numbered("g", now.size()))
                + " THEN 1 ELSE 0 END AS starts_run FROM (" + lagged + ") AS l";
    }

    /**
     * Chooses among facts at one sequence, and gives each row the hash of the one before: NULL if there is none or it is
     * a delete.
     */
    private String laggedByPlace(String facts) {
        String columns = Sql.lists(keys, sequence, List.of("op", "reset", "arrived", "h"), ValuePlaces.PLACE);
        String ranked = "SELECT " + columns + ", row_number() OVER (PARTITION BY " + Sql.lists(keys, sequence)
                + " ORDER BY prio DESC, ord DESC) AS rn FROM (" + facts + ") AS f";
        return "SELECT " + columns + ", lag(h)" + ordered() + ") AS h0, row_number()" + ordered() + ") AS n FROM ("
                + ranked + ") AS r WHERE rn = 1";
    }

    /** Pairs of rows that seem equal by their hashes: the place of a row and that of the one before. */
    private String pairs(String lagged) {
        return "SELECT a.src, a.idx, b.src AS src0, b.idx AS idx0 FROM (SELECT * FROM " + lagged
                + " WHERE h = h0) AS a JOIN " + lagged + " AS b ON "
                + Sql.equal(Sql.of("a", keys), Sql.of("b", keys)) + " AND b.n = a.n - 1";
    }

    /**
     * Cuts the fold into runs: each row learns where its run starts, whether it is its last, and where that ends.
     *
     * @param marked SQL of the folded rows with {@code starts_run}
     */
    private String runs(String marked) {
        String window = ordered() + ")";
        String upToHere = inOrder() + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
        List<String> leads = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            leads.add("lead(s" + i + ")" + window + " AS en" + i);
        }
        String next = "SELECT *, COALESCE(lead(starts_run)" + window + ", 1) AS next_starts, " + Sql.list(leads);
        if (sequence.size() == 1) {
            // A sequence of one part is never NULL, so the last one that began a run is found in the same pass.
            return next + ", "
                    + context.dialect.lastNonNull("CASE WHEN starts_run = 1 THEN s0 END", upToHere)
                    + " AS st0 FROM (" + marked + ") AS m";
        }
        List<String> firsts = new ArrayList<>();
        for (int i = 0; i < sequence.size(); i++) {
            firsts.add("first_value(s" + i + ") OVER (PARTITION BY " + Sql.list(keys) + ", run ORDER BY "
                    + Sql.ascending(sequence) + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS st" + i);
        }
        return "SELECT *, " + Sql.list(firsts) + " FROM (" + next + ", sum(starts_run) OVER (" + upToHere
                + ") AS run FROM (" + marked + ") AS m) AS n";
    }

    /** Joins old and new rows of one identity; whether their values are equal is known only if they are the same row's. */
    private String joinedByPlace(String runs, String versions) {
        String output = "SELECT " + Sql.lists(keys, starts, ends, ValuePlaces.PLACE) + ", 1 AS there FROM " + runs
                + " WHERE op = 0 AND next_starts = 1";
        return "SELECT "
                + Sql.lists(
                        Sql.of("o", keys),
                        Sql.of("o", starts),
                        Sql.of("o", ends),
                        Sql.of("o", ValuePlaces.PLACE),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND "
                + Sql.same(Sql.of("o", ends), Sql.of("e", ends)) + ") AS same_end,"
                + " COALESCE(o.src = e.file AND o.idx = e.pos, FALSE) AS same_place FROM ("
                + output + ") AS o FULL OUTER JOIN " + versions + " AS e ON "
                + Sql.equal(Sql.of("o", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("o", starts), Sql.of("e", starts));
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
        List<String> columns = recordColumns();
        columns.addAll(context.solids);
        for (int j = 0; j < context.units.size(); j++) {
            columns.add("CASE WHEN m" + j + " THEN u" + j + " END AS u" + j);
            columns.add("m" + j);
        }
        return "SELECT " + Sql.list(columns) + " FROM " + runs + " WHERE " + isRemembered();
    }

    private String recordsByPlace(TypeTwoSources sources, String runs) {
        String records = "SELECT " + Sql.lists(recordColumns(), ValuePlaces.PLACE) + " FROM " + runs + " WHERE "
                + isRemembered();
        if (!StateColumns.holdsValues(spec)) {
            return records;
        }
        String kept = context.materialize("record_places", records);
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(sequence);
        columns.addAll(rows);
        columns.addAll(List.of("kind", "reset", "arrived"));
        return sources.withValues("SELECT * FROM " + kept, columns) + " UNION ALL SELECT "
                + Sql.lists(columns, nothing()) + " FROM " + kept + " WHERE src IS NULL";
    }

    /**
     * With what is remembered of rows that the target relation leaves out: nothing of this update concerns them, but a
     * state file replaces all that older ones say of a key.
     */
    private String withRowsLeftOut(String records, String remembered, String versions) {
        if (!context.inputs.openRowsOnly()) {
            return records;
        }
        List<String> names = context.stateNames();
        return "SELECT " + Sql.list(names) + " FROM (" + records + ") AS n UNION ALL SELECT "
                + Sql.list(Sql.of("h", names)) + " FROM " + remembered + " AS h LEFT JOIN " + versions + " AS e ON "
                + Sql.equal(Sql.of("h", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("h", rows), Sql.of("e", starts)) + " WHERE h.kind = " + StateColumns.UPSERT
                + " AND e.file IS NULL";
    }

    private List<String> recordColumns() {
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(sequence);
        for (int i = 0; i < rows.size(); i++) {
            columns.add("CASE WHEN op = 0 THEN st" + i + " END AS " + rows.get(i));
        }
        columns.addAll(List.of("op AS kind", "reset", "arrived"));
        return columns;
    }

    private String isRemembered() {
        String absorbed = "NOT (starts_run = 1 AND next_starts = 1)";
        String partial = spec.isPartial() ? " OR NOT " + fold.isFull() + " OR reset" : "";
        String upserts = "(op = 0 AND (" + absorbed + partial + "))";
        String closesNone = spec.isPartial() ? "(previous_op IS NULL OR previous_op = 1)" : "h0 IS NULL";
        String deletes = "(op = 1 AND " + closesNone + ")";
        return "(" + upserts + " OR " + deletes + ")";
    }
}
