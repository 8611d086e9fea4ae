package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * SCD type 1 where events may leave columns alone. Each unit of a row has its own sequence, that of the event that
 * authored it; remembered are the newest event of each unit in the key's last life, and the delete that began that life
 * while older events could still slip in behind it.
 *
 * <p>Facts are ordered without their values. Per key it is then known which fact decides each unit; where one fact
 * decides all, the row is fetched from its place, else the deciding facts are put together.
 */
final class TypeOnePartialPlan {
    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;
    private final List<String> sequence;
    private final List<String> units;
    /** Per unit the number of the fact that decides it; the newest fact of a key has number 1. */
    private final List<String> deciders;

    private final TypeOneRows rows;

    TypeOnePartialPlan(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.sequence = context.sequence;
        this.units = context.units;
        this.deciders = Sql.numbered("r", units.size());
        this.rows = new TypeOneRows(context, true);
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = rows.existing(touched);
        String remembered = context.remembered(touched);
        String memory = new TypeOnePartialMemory(context, rows).remembered(remembered);
        ValuePlaces places = new ValuePlaces(context, existing, Optional.empty());
        String lastLife = context.materialize("last_life", lastLife(facts(existing, memory)));
        String deciding = context.materialize("deciding", deciding(lastLife));
        String merged = context.materialize("merged", merged(gathered(places, lastLife, deciding)));
        String paired = context.materialize("paired", paired(deciding, existing));
        String equal = context.materialize("equal_rows", equal(places, paired, merged, existing));
        String compared = context.materialize(
                "compared",
                "SELECT p.*, (p.same_place OR q.file IS NOT NULL) AS kept FROM " + paired + " AS p LEFT JOIN " + equal
                        + " AS q ON p.file = q.file AND p.pos = q.pos");
        rows.comingBack("SELECT " + Sql.list(keys) + " FROM " + compared + " WHERE there AND NOT kept");
        String inserted = context.insertedOutput(added(places, compared, merged), List.of());
        String deleted = context.view(
                "deleted", rows.deleted("SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept"));
        String records = context.materialize("records", records(lastLife, deciding));
        String state = context.stateOf(records, remembered);
        String vanished = "SELECT count(*) AS n FROM " + rows.vanished(compared, "file IS NOT NULL AND NOT there");
        return new ChangePlan(
                context.steps,
                inserted,
                deleted,
                state,
                "SELECT count(*) AS n FROM " + compared + " WHERE there AND NOT kept",
                vanished);
    }

    /** New events, remembered ones, and rows that memory does not tell of, with the places of their values. */
    private String facts(String existing, String memory) {
        String news = "SELECT "
                + Sql.lists(
                        keys,
                        sequence,
                        List.of("op", "FALSE AS reset", Fold.NEW + " AS prio", EventStaging.ORDINAL + " AS ord"),
                        List.of(context.arrived() + " AS arrived"),
                        context.masks,
                        ValuePlaces.ofEvent("v"))
                + " FROM " + context.inputs.events() + " AS v WHERE op <> " + EventStaging.TRUNCATE + " AND "
                + context.survives(sequence);
        String upserts = "SELECT "
                + Sql.lists(
                        Sql.of("h", keys),
                        Sql.of("h", sequence),
                        List.of("h.kind AS op", "h.reset", "h.prio", "h.ord", "h.arrived"),
                        Sql.of("h", context.masks),
                        ValuePlaces.ofRow("e"))
                + " FROM " + memory + " AS h JOIN " + existing + " AS e ON " + join("h", "e") + " WHERE h.kind = "
                + StateColumns.UPSERT;
        String deletes = "SELECT "
                + Sql.lists(
                        keys,
                        sequence,
                        List.of("kind AS op", "reset", "prio", "ord", "arrived"),
                        context.masks,
                        ValuePlaces.ofDelete())
                + " FROM " + memory + " WHERE kind = " + StateColumns.DELETE;
        return String.join(" UNION ALL ", news, upserts, deletes, rowFacts(existing, memory));
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
                        Sql.each(context.masks, mask -> "TRUE AS " + mask),
                        ValuePlaces.ofRow("e"))
                + " FROM " + existing + " AS e LEFT JOIN (SELECT DISTINCT " + Sql.list(keys) + ", 1 AS told FROM "
                + memory + " WHERE kind = " + StateColumns.UPSERT + ") AS t ON " + join("e", "t")
                + " WHERE t.told IS NULL";
    }

    /**
     * The facts since the last delete of each key, that delete included. {@code n} numbers them, newest first;
     * {@code tops} marks the last one at its sequence.
     */
    private String lastLife(String facts) {
        String newestFirst =
                "PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.descending(sequence) + ", prio DESC, ord DESC";
        List<String> later = Sql.numbered("l", sequence.size());
        List<String> lags = new ArrayList<>();
        for (int i = 0; i < later.size(); i++) {
            lags.add("lag(" + sequence.get(i) + ") OVER (" + newestFirst + ") AS " + later.get(i));
        }
        String begun = "SELECT *, CASE WHEN op = 1 OR reset THEN 1 ELSE 0 END AS begins FROM (" + facts + ") AS f";
        String ordered = "SELECT *, row_number() OVER (" + newestFirst + ") AS n, sum(begins) OVER (" + newestFirst
                + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - begins AS after, " + Sql.list(lags) + " FROM ("
                + begun + ") AS b";
        return "SELECT "
                + Sql.lists(
                        keys,
                        sequence,
                        List.of(
                                "op",
                                "begins",
                                "arrived",
                                "n",
                                "(n = 1 OR NOT " + Sql.same(sequence, later) + ") AS tops"),
                        context.masks,
                        ValuePlaces.PLACE)
                + " FROM (" + ordered + ") AS o WHERE after = 0";
    }

    /**
     * Per key the numbers of the deciding facts. {@code complete}: the newest fact authored every unit, so that nothing
     * older can ever matter. {@code alone}: one fact tells the whole row. An event may then leave units alone, which are
     * NULL; a row may not: it also holds values of older events, which a truncate can have wiped.
     */
    private String deciding(String lastLife) {
        List<String> columns = new ArrayList<>();
        List<String> first = new ArrayList<>();
        for (int j = 0; j < units.size(); j++) {
            columns.add("min(CASE WHEN op = 0 AND m" + j + " THEN n END) AS r" + j);
            first.add("COALESCE(r" + j + ", 0) = 1");
        }
        String grouped = "SELECT "
                + Sql.lists(
                        keys,
                        List.of(
                                "max(CASE WHEN n = 1 THEN op END) AS last_op",
                                "max(CASE WHEN n = 1 THEN src END) AS src",
                                "max(CASE WHEN n = 1 THEN idx END) AS idx",
                                "count(*) AS facts"),
                        columns)
                + " FROM " + lastLife + " GROUP BY " + Sql.list(keys);
        String full = "(last_op = 0 AND " + String.join(" AND ", first) + ")";
        return "SELECT *, " + full + " AS complete, ((facts = 1 AND src < 0) OR " + full + ") AS alone FROM (" + grouped
                + ") AS g";
    }

    /** The deciding facts of keys that have several, with their values. */
    private String gathered(ValuePlaces places, String lastLife, String deciding) {
        List<String> columns = new ArrayList<>(keys);
        columns.add("n");
        columns.addAll(deciders);
        String decides = String.join(" OR ", Sql.each(deciders, decider -> "l.n = d." + decider));
        String wanted = "SELECT l.*, " + Sql.list(Sql.of("d", deciders)) + " FROM " + lastLife + " AS l JOIN "
                + deciding + " AS d ON " + join("l", "d") + " WHERE d.last_op = 0 AND NOT d.alone AND (l.n = 1 OR "
                + decides + ")";
        return places.withValues(wanted, columns, ValuePlaces.Columns.parts(context));
    }

    /** Rows that several facts decide: whole value columns by key. */
    private String merged(String gathered) {
        List<String> columns = new ArrayList<>(keys);
        for (String solid : context.solids) {
            columns.add("any_value(" + solid + ") FILTER (WHERE n = 1) AS " + solid);
        }
        for (int j = 0; j < units.size(); j++) {
            columns.add("any_value(u" + j + ") FILTER (WHERE n = r" + j + ") AS u" + j);
        }
        return rebuilt(
                keys, "SELECT " + Sql.list(columns) + " FROM (" + gathered + ") AS q GROUP BY " + Sql.list(keys));
    }

    /** Puts partial columns together from their units. */
    private String rebuilt(List<String> handedOn, String sql) {
        return "SELECT " + Sql.lists(handedOn, Sql.as(spec.rebuiltValues(context.dialect), context.values)) + " FROM ("
                + sql + ") AS b";
    }

    /** Joins what each key becomes to the row that it is. */
    private String paired(String deciding, String existing) {
        return "SELECT "
                + Sql.lists(
                        List.of("COALESCE(o.k0, e.k0) AS k0"),
                        Sql.each(
                                keys.subList(1, keys.size()),
                                key -> "COALESCE(o." + key + ", e." + key + ") AS " + key),
                        Sql.of("o", ValuePlaces.PLACE),
                        List.of("o.alone", "e.file", "e.pos"))
                + ", (o.facts IS NOT NULL) AS there,"
                + " COALESCE(o.alone AND o.src = e.file AND o.idx = e.pos, FALSE) AS same_place FROM (SELECT * FROM "
                + deciding + " WHERE last_op = 0) AS o FULL OUTER JOIN " + existing + " AS e ON " + join("o", "e");
    }

    /** The existing rows that become what they are already. */
    private String equal(ValuePlaces places, String paired, String merged, String existing) {
        String doubtful = "SELECT * FROM " + paired + " WHERE there AND file IS NOT NULL AND NOT same_place AND alone";
        List<String> place = List.of("file", "pos");
        String alone = rebuilt(place, places.withValues(doubtful, place, ValuePlaces.Columns.parts(context)));
        String differs = Sql.differ(context.comparable("o"), context.comparable("e"));
        return "SELECT e.file, e.pos FROM (" + alone + ") AS o JOIN " + existing
                + " AS e ON o.file = e.file AND o.pos = e.pos WHERE NOT " + differs
                + " UNION ALL SELECT e.file, e.pos FROM " + merged + " AS o JOIN " + existing + " AS e ON "
                + join("o", "e") + " WHERE NOT " + differs;
    }

    private String added(ValuePlaces places, String compared, String merged) {
        String changed = "SELECT * FROM " + compared + " WHERE there AND NOT kept AND ";
        String alone = rebuilt(keys, places.withValues(changed + "alone", keys, ValuePlaces.Columns.parts(context)));
        return alone + " UNION ALL SELECT " + Sql.lists(Sql.of("m", keys), Sql.of("m", context.values)) + " FROM "
                + merged + " AS m JOIN (" + changed + "NOT alone) AS c ON " + join("m", "c");
    }

    /** What must be remembered: per key and sequence which units the events there still decide. */
    private String records(String lastLife, String deciding) {
        List<String> columns = new ArrayList<>(Sql.of("l", keys));
        columns.addAll(Sql.of("l", sequence));
        columns.addAll(List.of(
                "min(n) AS n",
                "max(begins) AS begins",
                "max(CASE WHEN tops THEN op END) AS op",
                "max(CASE WHEN tops THEN arrived END) AS arrived"));
        List<String> decides = new ArrayList<>();
        for (int j = 0; j < units.size(); j++) {
            columns.add("COALESCE(max(CASE WHEN n = r" + j + " THEN 1 END), 0) AS d" + j);
            decides.add("d" + j + " = 1");
        }
        String needless = rowTellsSequence() ? "d.complete" : "FALSE";
        String places = "SELECT " + Sql.list(columns) + " FROM " + lastLife + " AS l JOIN " + deciding + " AS d ON "
                + join("l", "d") + " WHERE NOT " + needless + " GROUP BY "
                + Sql.lists(Sql.of("l", keys), Sql.of("l", sequence));
        String lastFull = "max(CASE WHEN n = 1 AND op = 0 AND " + String.join(" AND ", decides)
                + " THEN 1 ELSE 0 END) OVER (PARTITION BY " + Sql.list(keys) + ") AS last_full";
        String marked = "SELECT *, (op = 0 AND begins = 1) AS reset, " + lastFull + " FROM (" + places + ") AS p";
        String told = rowTellsSequence() ? "last_full = 1" : "FALSE";
        String upserts = "(op = 0 AND (n = 1 OR reset OR " + String.join(" OR ", decides) + ") AND NOT (" + told
                + ") AND NOT (n = 1 AND " + Sql.allNull(sequence) + "))";
        String deletes = "(op = 1 AND (n = 1 OR last_full = 0))";
        List<String> kept = new ArrayList<>(keys);
        kept.addAll(sequence);
        kept.addAll(List.of("op AS kind", "reset", "arrived"));
        for (int j = 0; j < units.size(); j++) {
            kept.add("(op = 0 AND d" + j + " = 1) AS m" + j);
        }
        return "SELECT " + Sql.list(kept) + " FROM (" + marked + ") AS m WHERE " + upserts + " OR " + deletes;
    }

    private boolean rowTellsSequence() {
        return spec.needsTargetSequence() && !spec.remembersSequences();
    }

    private String join(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys));
    }
}
