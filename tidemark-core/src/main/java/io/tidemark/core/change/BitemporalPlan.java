package io.tidemark.core.change;

import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.type.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Bitemporal history where every event authors every column. The events of the touched keys pass through
 * {@link BitemporalReducer} as numbers: row numbers, and classes of rows with equal values. Its rectangles are joined
 * back to times and to the places of their values, and only rows that are written fetch these.
 *
 * <p>Remembered are the events of a key, their values only where no row begins at the event's two times with the same
 * values. A key that has had one event is not remembered: its row tells all.
 */
final class BitemporalPlan {
    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;
    private final List<String> business;
    private final List<String> system;
    private final List<String> starts;
    private final List<String> ends;
    private final List<String> systemStarts;
    private final List<String> systemEnds;
    /** Whether untracked columns make a second class. */
    private final boolean twoClasses;

    BitemporalPlan(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.business = context.sequence;
        int systemLeaves = spec.systemShape().leafCount();
        this.system = Sql.numbered("y", systemLeaves);
        this.starts = Sql.numbered("st", business.size());
        this.ends = Sql.numbered("en", business.size());
        this.systemStarts = Sql.numbered("ys", systemLeaves);
        this.systemEnds = Sql.numbered("ye", systemLeaves);
        this.twoClasses = !spec.tracksEverything();
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = context.existingRows(touched, reservedLeaves());
        String remembered =
                context.materialize("memory_rows", "SELECT * FROM " + context.remembered(touched), ValuePlaces.ORDINAL);
        ValuePlaces places = new ValuePlaces(context, existing, Optional.of(remembered));
        String chosen = context.materialize("chosen", chosen(facts(existing, remembered)), "rid");
        String numbered = classed(context.materialize("numbered", numbered(chosen)), places);
        String rectangles = context.relation("rectangles");
        context.steps.add(new ChangePlan.Reduce(rectangles, reducerInput(numbered), reducerOutput(), reducers()));
        String output = context.materialize("output", output(rectangles, numbered));
        String joined = context.materialize("joined", joined(output, existing));
        String equal = context.materialize("equal_rows", equalRows(joined, existing, places));
        String compared = context.materialize(
                "compared",
                "SELECT j.*, (j.same_end AND (j.same_place OR q.file IS NOT NULL)) AS kept FROM " + joined
                        + " AS j LEFT JOIN " + equal + " AS q ON j.file = q.file AND j.pos = q.pos");
        List<String> periods = new ArrayList<>(keys);
        periods.addAll(starts);
        periods.addAll(ends);
        periods.addAll(systemStarts);
        periods.addAll(systemEnds);
        String inserted = context.insertedOutput(
                places.withValues(
                        "SELECT * FROM " + compared + " WHERE there AND NOT kept",
                        periods,
                        ValuePlaces.Columns.whole(context)),
                reserved());
        String deleted =
                context.view("deleted", "SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept");
        String records = context.materialize("records", records(numbered, output, places));
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

    private List<String> reservedLeaves() {
        List<String> leaves = new ArrayList<>();
        leaves.addAll(context.reservedLeaves(ReservedColumns.START_AT, spec.sequenceShape(), "st"));
        leaves.addAll(context.reservedLeaves(ReservedColumns.END_AT, spec.sequenceShape(), "en"));
        leaves.addAll(context.reservedLeaves(ReservedColumns.SYSTEM_START_AT, spec.systemShape(), "ys"));
        leaves.addAll(context.reservedLeaves(ReservedColumns.SYSTEM_END_AT, spec.systemShape(), "ye"));
        return leaves;
    }

    private List<String> reserved() {
        return List.of(
                context.reservedColumn(ReservedColumns.START_AT, spec.sequenceShape(), "st"),
                context.reservedColumn(ReservedColumns.END_AT, spec.sequenceShape(), "en"),
                context.reservedColumn(ReservedColumns.SYSTEM_START_AT, spec.systemShape(), "ys"),
                context.reservedColumn(ReservedColumns.SYSTEM_END_AT, spec.systemShape(), "ye"));
    }

    /** Hashes of the tracked and of all value columns of an alias; one only if these are the same. */
    private List<String> hashes(String alias) {
        List<String> tracked = context.comparable(alias, spec.tracked());
        List<String> hashes = new ArrayList<>();
        hashes.add((tracked.isEmpty() ? "CAST(0 AS " + bigint() + ")" : context.dialect.hash(tracked)) + " AS h0");
        if (twoClasses) {
            hashes.add(context.dialect.hash(context.comparable(alias)) + " AS h1");
        }
        return hashes;
    }

    private List<String> classNames(String prefix) {
        return Sql.numbered(prefix, twoClasses ? 2 : 1);
    }

    private String facts(String existing, String remembered) {
        List<String> ofEvent = new ArrayList<>(hashes("v"));
        ofEvent.addAll(ValuePlaces.ofEvent("v"));
        String news = "SELECT "
                + Sql.lists(
                        keys,
                        business,
                        system,
                        List.of("op", "FALSE AS reset", Fold.NEW + " AS prio", EventStaging.ORDINAL + " AS ord"),
                        List.of(context.arrived() + " AS arrived"),
                        ofEvent)
                + " FROM " + context.inputs.events() + " AS v WHERE op <> " + EventStaging.TRUNCATE;
        BitemporalMemory memory = new BitemporalMemory(context, existing, reservedLeaves(), factValues());
        return news + " UNION ALL " + memory.facts(remembered);
    }

    /** Facts tell hashes and places of their values. */
    private BitemporalMemory.Values factValues() {
        List<String> own = hashes("h");
        List<String> rows = hashes("e");
        List<String> remembered = new ArrayList<>();
        for (int i = 0; i < own.size(); i++) {
            String name = " AS h" + i;
            remembered.add("CASE WHEN h." + StateColumns.IN_ROW + " THEN "
                    + rows.get(i).substring(0, rows.get(i).length() - name.length()) + " ELSE "
                    + own.get(i).substring(0, own.get(i).length() - name.length()) + " END" + name);
        }
        remembered.add("CASE WHEN h.kind = " + StateColumns.DELETE + " THEN NULL WHEN h." + StateColumns.IN_ROW
                + " THEN e.file ELSE " + ValuePlaces.MEMORY + " END AS src");
        remembered.add("CASE WHEN h.kind = " + StateColumns.DELETE + " THEN NULL WHEN h." + StateColumns.IN_ROW
                + " THEN e.pos ELSE h." + ValuePlaces.ORDINAL + " END AS idx");
        List<String> row = new ArrayList<>(rows);
        row.addAll(ValuePlaces.ofRow("e"));
        List<String> nothing = new ArrayList<>(Sql.each(classNames("h"), name -> "NULL AS " + name));
        nothing.addAll(ValuePlaces.ofDelete());
        return new BitemporalMemory.Values(remembered, row, nothing);
    }

    /** One fact for each pair of times of a key, in the order that the reducer wants, which is marked. */
    private String chosen(String facts) {
        List<String> order = new ArrayList<>(system);
        order.addAll(business);
        String window = " OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(order)
                + ", prio DESC, ord DESC)";
        List<String> lags = new ArrayList<>();
        List<String> before = Sql.each(order, leaf -> "p" + leaf);
        for (String leaf : order) {
            lags.add("lag(" + leaf + ")" + window + " AS p" + leaf);
        }
        String ranked = "SELECT *, row_number()" + window + " AS nth, " + Sql.list(lags) + " FROM (" + facts + ") AS f";
        String newSystem = "CASE WHEN nth > 1 AND " + Sql.same(system, before.subList(0, system.size()))
                + " THEN 0 ELSE 1 END AS new_system";
        return "SELECT "
                + Sql.lists(
                        keys, business, system, List.of("op", "arrived", newSystem), classNames("h"), ValuePlaces.PLACE)
                + " FROM (" + ranked + ") AS r WHERE nth = 1 OR NOT " + Sql.same(order, before);
    }

    private String numbered(String chosen) {
        String window = " OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(business);
        String all = window + " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)";
        List<String> classes = new ArrayList<>();
        for (int i = 0; i < classNames("h").size(); i++) {
            classes.add("min(rid) OVER (PARTITION BY " + Sql.list(keys) + ", h" + i + ") AS cl" + i);
        }
        return "SELECT *, dense_rank()" + window + ") AS business_rank, min(rid)" + all + " AS key_id, count(*)" + all
                + " AS events, " + Sql.list(classes) + " FROM " + chosen;
    }

    /** Hashes can collide: rows whose values differ from those of the first row of their class make classes of their own. */
    private String classed(String numbered, ValuePlaces places) {
        String values = places.allValues();
        String result = numbered;
        for (int i = 0; i < classNames("h").size(); i++) {
            List<String> compared = i == 0
                    ? spec.tracked()
                    : spec.values().stream().map(field -> field.name()).toList();
            if (compared.isEmpty()) {
                continue;
            }
            String pairs = context.materialize(
                    "pairs" + i,
                    "SELECT x.rid, x.src, x.idx, y.src AS src0, y.idx AS idx0, " + Sql.list(Sql.of("x", keys))
                            + " FROM " + numbered + " AS x JOIN " + numbered + " AS y ON y.rid = x.cl" + i
                            + " WHERE x.rid <> x.cl" + i + " AND x.op = 0");
            List<String> own = Sql.numbered("c", compared.size());
            String strangers = "SELECT p.rid, "
                    + Sql.lists(Sql.of("p", keys), Sql.as(context.comparable("a", compared), own)) + " FROM " + pairs
                    + " AS p JOIN " + values + " AS a ON " + ValuePlaces.same("a", "", "p", "") + " JOIN " + values
                    + " AS b ON " + ValuePlaces.same("b", "", "p", "0") + " WHERE "
                    + Sql.differ(context.comparable("a", compared), context.comparable("b", compared));
            String apart = context.relation("apart" + i);
            context.steps.add(new ChangePlan.MaterializeIfAny(
                    apart,
                    "SELECT rid, min(rid) OVER (PARTITION BY " + Sql.lists(keys, own) + ") AS cl FROM (" + strangers
                            + ") AS s",
                    pairs,
                    "SELECT rid, rid AS cl FROM " + pairs + " WHERE 1 = 0"));
            List<String> columns = new ArrayList<>(keys);
            columns.addAll(business);
            columns.addAll(system);
            columns.addAll(List.of("op", "arrived", "new_system", "src", "idx", "rid", "business_rank"));
            columns.addAll(List.of("key_id", "events"));
            List<String> classes = new ArrayList<>(Sql.of("n", classNames("cl")));
            classes.set(i, "COALESCE(s.cl, n.cl" + i + ") AS cl" + i);
            result = context.view(
                    "classed" + i,
                    "SELECT " + Sql.lists(Sql.of("n", columns), classes) + " FROM " + result + " AS n LEFT JOIN "
                            + apart + " AS s ON n.rid = s.rid");
        }
        return result;
    }

    /** What the reducer reads: BIGINT columns, in order of key and system time. */
    private String reducerInput(String numbered) {
        List<String> columns = new ArrayList<>(List.of("key_id", "new_system", "business_rank", "op", "0", "rid"));
        for (String name : classNames("cl")) {
            columns.add("1 - op");
            columns.add(name);
        }
        List<String> named = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            named.add("CAST(" + columns.get(i) + " AS " + bigint() + ") AS i" + i);
        }
        return "SELECT " + Sql.list(named) + " FROM " + numbered + " ORDER BY key_id ASC NULLS FIRST, "
                + Sql.ascending(system) + ", " + Sql.ascending(business);
    }

    private String bigint() {
        return context.dialect.type(ScalarType.LONG);
    }

    private List<String> reducerOutput() {
        List<String> columns = new ArrayList<>(List.of("start_row", "end_row", "system_start_row", "system_end_row"));
        columns.addAll(classNames("part"));
        return columns;
    }

    private Supplier<KeyedReducer> reducers() {
        boolean[] tracked = new boolean[classNames("part").size()];
        tracked[0] = true;
        return () -> new BitemporalReducer(tracked);
    }

    /** Joins the rectangles back to times and to places of values. */
    private String output(String rectangles, String numbered) {
        String last = Integer.toString(classNames("part").size() - 1);
        List<String> columns = new ArrayList<>(Sql.of("b", keys));
        columns.addAll(Sql.as(Sql.of("b", business), starts));
        columns.addAll(Sql.as(Sql.of("e", business), ends));
        columns.addAll(Sql.as(Sql.of("p", system), systemStarts));
        columns.addAll(Sql.as(Sql.of("q", system), systemEnds));
        columns.addAll(Sql.of("v", ValuePlaces.PLACE));
        columns.add("v.cl" + last + " AS cl");
        return "SELECT " + Sql.list(columns) + " FROM " + rectangles + " AS t JOIN " + numbered
                + " AS b ON b.rid = t.start_row JOIN " + numbered + " AS p ON p.rid = t.system_start_row JOIN "
                + numbered + " AS v ON v.rid = t.part" + last + " LEFT JOIN " + numbered
                + " AS e ON e.rid = t.end_row LEFT JOIN " + numbered + " AS q ON q.rid = t.system_end_row";
    }

    /** Joins old and new rows of one identity; whether their values are equal is known only if they are the same row's. */
    private String joined(String output, String existing) {
        return "SELECT "
                + Sql.lists(
                        Sql.of("o", keys),
                        Sql.of("o", starts),
                        Sql.of("o", ends),
                        Sql.of("o", systemStarts),
                        Sql.of("o", systemEnds),
                        Sql.of("o", ValuePlaces.PLACE),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND "
                + Sql.same(Sql.of("o", ends), Sql.of("e", ends)) + " AND "
                + Sql.same(Sql.of("o", systemEnds), Sql.of("e", systemEnds)) + ") AS same_end,"
                + " COALESCE(o.src = e.file AND o.idx = e.pos, FALSE) AS same_place FROM (SELECT *, 1 AS there FROM "
                + output + ") AS o FULL OUTER JOIN (SELECT "
                + Sql.lists(keys, starts, ends, systemStarts, systemEnds, List.of("file", "pos")) + " FROM " + existing
                + ") AS e ON " + Sql.equal(Sql.of("o", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("o", starts), Sql.of("e", starts)) + " AND "
                + Sql.same(Sql.of("o", systemStarts), Sql.of("e", systemStarts));
    }

    /** Of rows that stay in their rectangle, those whose values stay too. */
    private String equalRows(String joined, String existing, ValuePlaces places) {
        String doubtful = "SELECT src, idx, file, pos FROM " + joined + " WHERE same_end AND NOT same_place";
        String valued = places.withValues(doubtful, List.of("file", "pos"), ValuePlaces.Columns.whole(context));
        return "SELECT e.file, e.pos FROM (" + valued + ") AS o JOIN " + existing
                + " AS e ON e.file = o.file AND e.pos = o.pos WHERE NOT "
                + Sql.differ(context.comparable("o"), context.comparable("e"));
    }

    private String records(String numbered, String output, ValuePlaces places) {
        String last = "n.cl" + (classNames("cl").size() - 1);
        String inRow = "(n.op = 0 AND COALESCE(o.cl = " + last + ", FALSE))";
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(business);
        columns.addAll(system);
        String known = "SELECT " + Sql.lists(Sql.of("n", columns), Sql.of("n", ValuePlaces.PLACE)) + ", " + inRow
                + " AS " + StateColumns.IN_ROW + ", n.op AS kind, FALSE AS reset, n.arrived FROM " + numbered
                + " AS n LEFT JOIN (SELECT " + Sql.lists(keys, starts, systemStarts) + ", cl FROM " + output
                + ") AS o ON " + Sql.equal(Sql.of("n", keys), Sql.of("o", keys)) + " AND "
                + Sql.same(Sql.of("n", business), Sql.of("o", starts)) + " AND "
                + Sql.same(Sql.of("n", system), Sql.of("o", systemStarts)) + " WHERE NOT (n.events = 1 AND " + inRow
                + ")";
        String kept = context.materialize("record_places", known);
        columns.addAll(List.of(StateColumns.IN_ROW, "kind", "reset", "arrived"));
        List<String> nothing = new ArrayList<>();
        for (int i = 0; i < context.values.size(); i++) {
            nothing.add(context.dialect.nullOf(spec.values().get(i).type()) + " AS x" + i);
        }
        String apart = "kind = " + StateColumns.UPSERT + " AND NOT " + StateColumns.IN_ROW;
        return places.withValues(
                        "SELECT * FROM " + kept + " WHERE " + apart, columns, ValuePlaces.Columns.whole(context))
                + " UNION ALL SELECT " + Sql.lists(columns, nothing) + " FROM " + kept + " WHERE NOT (" + apart + ")";
    }
}
