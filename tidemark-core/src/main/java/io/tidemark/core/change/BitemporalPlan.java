package io.tidemark.core.change;

import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.type.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
    private final PeriodColumns periods;
    /** Whether untracked columns make a second class. */
    private final boolean twoClasses;

    private final TimeNumbers businessTimes;
    private final TimeNumbers systemTimes;

    BitemporalPlan(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
        this.business = context.sequence;
        this.periods = context.periods;
        this.twoClasses = !spec.tracksEverything();
        this.businessTimes = new TimeNumbers(context, business, spec.sequenceShape());
        this.systemTimes = new TimeNumbers(context, periods.system, spec.systemShape());
    }

    ChangePlan plan() {
        context.numberKeys();
        String touched = context.touched();
        String existing = context.existingRows(touched, periods.ofTarget());
        String remembered =
                context.materialize("memory_rows", "SELECT * FROM " + context.remembered(touched), ValuePlaces.ORDINAL);
        ValuePlaces places = new ValuePlaces(context, existing, Optional.of(remembered));
        String facts = context.materialize("facts", facts(touched, existing, remembered), "rid");
        String reduced = context.relation("reduced");
        context.steps.add(new ChangePlan.Reduce(
                reduced, reducerInput(facts, classed(facts, places)), reducerOutput(), reducers()));
        String output = context.materialize("output", output(reduced, facts));
        String joined = context.materialize("joined", joined(output, existing));
        String equal = context.materialize("equal_rows", equalRows(joined, existing, places));
        String compared = context.materialize(
                "compared",
                "SELECT j.*, (j.same_end AND (j.same_place OR q.file IS NOT NULL)) AS kept FROM " + joined
                        + " AS j LEFT JOIN " + equal + " AS q ON j.file = q.file AND j.pos = q.pos");
        List<String> rectangle = new ArrayList<>(keys);
        rectangle.addAll(periods.starts);
        rectangle.addAll(periods.ends);
        rectangle.addAll(periods.systemStarts);
        rectangle.addAll(periods.systemEnds);
        String inserted = context.insertedOutput(
                places.withValues(
                        "SELECT * FROM " + compared + " WHERE there AND NOT kept",
                        rectangle,
                        ValuePlaces.Columns.whole(context)),
                periods.toTarget());
        String deleted =
                context.view("deleted", "SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept");
        String records = context.materialize("records", records(reduced, facts, places));
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

    /** New and remembered events, with the number of their key, hashes and places of their values. */
    private String facts(String touched, String existing, String remembered) {
        List<String> ofEvent = new ArrayList<>(hashes("v"));
        ofEvent.addAll(ValuePlaces.ofEvent("v"));
        ofEvent.add("u." + PlanContext.KEY_NUMBER);
        String news = "SELECT "
                + Sql.lists(
                        Sql.of("v", keys),
                        business,
                        periods.system,
                        List.of("op", "FALSE AS reset", Fold.NEW + " AS prio", EventStaging.ORDINAL + " AS ord"),
                        List.of(context.arrived() + " AS arrived"),
                        ofEvent)
                + " FROM " + context.inputs.events() + " AS v JOIN " + touched + " AS u ON "
                + Sql.equal(Sql.of("v", keys), Sql.of("u", keys)) + " WHERE op <> " + EventStaging.TRUNCATE;
        BitemporalMemory memory = new BitemporalMemory(context, existing, factValues());
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
        remembered.add("h." + PlanContext.KEY_NUMBER);
        List<String> row = new ArrayList<>(rows);
        row.addAll(ValuePlaces.ofRow("e"));
        row.add("e." + PlanContext.KEY_NUMBER);
        List<String> nothing = new ArrayList<>(Sql.each(classNames("h"), name -> "NULL AS " + name));
        nothing.addAll(ValuePlaces.ofDelete());
        nothing.add("a." + PlanContext.KEY_NUMBER);
        return new BitemporalMemory.Values(remembered, row, nothing);
    }

    /**
     * A class for each fact: facts of a key have one class if and only if their values are equal, which their hashes make
     * likely and the values decide. Most facts are alone with their hash and are a class of their own.
     */
    private List<ClassRelations> classed(String facts, ValuePlaces places) {
        String values = places.allValues();
        List<ClassRelations> result = new ArrayList<>();
        for (int i = 0; i < classNames("h").size(); i++) {
            String hash = "h" + i;
            String twins = context.materialize(
                    "twins" + i,
                    "SELECT " + PlanContext.KEY_NUMBER + ", " + hash + ", min(rid) AS first_rid FROM " + facts
                            + " WHERE op = " + EventStaging.UPSERT + " GROUP BY " + PlanContext.KEY_NUMBER + ", " + hash
                            + " HAVING count(*) > 1");
            List<String> compared = i == 0
                    ? spec.tracked()
                    : spec.values().stream().map(field -> field.name()).toList();
            String apart = compared.isEmpty()
                    ? context.view("apart" + i, "SELECT rid, rid AS cl FROM " + facts + " WHERE 1 = 0")
                    : apart(i, facts, twins, compared, values);
            result.add(new ClassRelations(twins, apart));
        }
        return result;
    }

    /**
     * Where classes come from.
     *
     * @param twins hashes that several facts of a key share, and the first of these facts
     * @param apart facts whose values differ from those of that first one, and their classes
     */
    private record ClassRelations(String twins, String apart) {}

    /** Hashes can collide: facts whose values differ from those of the first one of their hash make classes of their own. */
    private String apart(int number, String facts, String twins, List<String> compared, String values) {
        String pairs = context.materialize(
                "pairs" + number,
                "SELECT x.rid, x.src, x.idx, y.src AS src0, y.idx AS idx0, x." + PlanContext.KEY_NUMBER + " FROM "
                        + facts + " AS x JOIN " + twins + " AS t ON x." + PlanContext.KEY_NUMBER + " = t."
                        + PlanContext.KEY_NUMBER + " AND x.h" + number + " = t.h" + number + " JOIN " + facts
                        + " AS y ON y.rid = t.first_rid WHERE x.rid <> t.first_rid AND x.op = " + EventStaging.UPSERT);
        List<String> own = Sql.numbered("c", compared.size());
        String strangers = "SELECT p.rid, p." + PlanContext.KEY_NUMBER + ", "
                + Sql.list(Sql.as(context.comparable("a", compared), own)) + " FROM " + pairs + " AS p JOIN " + values
                + " AS a ON " + ValuePlaces.same("a", "", "p", "") + " JOIN " + values + " AS b ON "
                + ValuePlaces.same("b", "", "p", "0") + " WHERE "
                + Sql.differ(context.comparable("a", compared), context.comparable("b", compared));
        String apart = context.relation("apart" + number);
        context.steps.add(new ChangePlan.MaterializeIfAny(
                apart,
                "SELECT rid, min(rid) OVER (PARTITION BY " + PlanContext.KEY_NUMBER + ", " + Sql.list(own)
                        + ") AS cl FROM (" + strangers + ") AS s",
                pairs,
                "SELECT rid, rid AS cl FROM " + pairs + " WHERE 1 = 0"));
        return apart;
    }

    /** What the reducer reads: BIGINT columns, in order of key, system and business time, the fact that counts first. */
    private String reducerInput(String facts, List<ClassRelations> classes) {
        List<String> columns = new ArrayList<>();
        columns.add("n." + PlanContext.KEY_NUMBER);
        columns.add(systemTimes.number("n"));
        columns.add(businessTimes.number("n"));
        columns.addAll(List.of("n.op", "0", "n.rid"));
        StringBuilder joins = new StringBuilder();
        for (int i = 0; i < classes.size(); i++) {
            ClassRelations relations = classes.get(i);
            columns.add("1 - n.op");
            columns.add("COALESCE(a" + i + ".cl, t" + i + ".first_rid, n.rid)");
            joins.append(" LEFT JOIN ")
                    .append(relations.twins())
                    .append(" AS t" + i + " ON n.op = " + EventStaging.UPSERT + " AND n." + PlanContext.KEY_NUMBER)
                    .append(" = t" + i + "." + PlanContext.KEY_NUMBER + " AND n.h" + i + " = t" + i + ".h" + i)
                    .append(" LEFT JOIN ")
                    .append(relations.apart())
                    .append(" AS a" + i + " ON n.rid = a" + i + ".rid");
        }
        List<String> named = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            named.add("CAST(" + columns.get(i) + " AS " + bigint() + ") AS i" + i);
        }
        String order = Sql.ascending(List.of("i0", "i1", "i2")) + ", prio DESC, ord DESC";
        return "SELECT " + Sql.list(Sql.numbered("i", columns.size())) + " FROM (SELECT " + Sql.list(named)
                + ", n.prio, n.ord FROM " + facts + " AS n" + joins + ") AS f ORDER BY " + order;
    }

    private String bigint() {
        return context.dialect.type(ScalarType.LONG);
    }

    private List<String> reducerOutput() {
        List<String> columns = new ArrayList<>(BitemporalParts.FIXED_OUTPUT);
        columns.addAll(classNames("part"));
        return columns;
    }

    private KeyedReducer.Factory reducers() {
        boolean[] tracked = new boolean[classNames("part").size()];
        tracked[0] = true;
        // Only numbers and flags: what makes reducers goes to other machines.
        boolean businessNumbers = businessTimes.isPlain();
        boolean systemNumbers = systemTimes.isPlain();
        return () -> new BitemporalReducer(tracked, businessNumbers, systemNumbers, true);
    }

    /** Joins the rectangles back to times and to places of values. */
    private String output(String reduced, String facts) {
        String last = Integer.toString(classNames("part").size() - 1);
        List<String> columns = new ArrayList<>(Sql.of("v", keys));
        columns.addAll(Sql.as(businessTimes.told("t.start_row", "b"), periods.starts));
        columns.addAll(Sql.as(businessTimes.toldOrOpen("t.end_row", "e"), periods.ends));
        columns.addAll(Sql.as(systemTimes.told("t.system_start_row", "p"), periods.systemStarts));
        columns.addAll(Sql.as(systemTimes.toldOrOpen("t.system_end_row", "q"), periods.systemEnds));
        columns.addAll(Sql.of("v", ValuePlaces.PLACE));
        columns.add("v." + PlanContext.KEY_NUMBER);
        return "SELECT " + Sql.list(columns) + " FROM " + reduced + " AS t JOIN " + facts + " AS v ON v.rid = t.part"
                + last + businessTimes.joins(facts, "t.start_row", "b", "t.end_row", "e")
                + systemTimes.joins(facts, "t.system_start_row", "p", "t.system_end_row", "q") + " WHERE t.what = "
                + BitemporalReducer.RECTANGLE;
    }

    /** Joins old and new rows of one identity; whether their values are equal is known only if they are the same row's. */
    private String joined(String output, String existing) {
        return "SELECT "
                + Sql.lists(
                        Sql.of("o", keys),
                        Sql.of("o", periods.starts),
                        Sql.of("o", periods.ends),
                        Sql.of("o", periods.systemStarts),
                        Sql.of("o", periods.systemEnds),
                        Sql.of("o", ValuePlaces.PLACE),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND "
                + Sql.same(Sql.of("o", periods.ends), Sql.of("e", periods.ends)) + " AND "
                + Sql.same(Sql.of("o", periods.systemEnds), Sql.of("e", periods.systemEnds)) + ") AS same_end,"
                + " COALESCE(o.src = e.file AND o.idx = e.pos, FALSE) AS same_place FROM (SELECT *, 1 AS there FROM "
                + output + ") AS o FULL OUTER JOIN (SELECT "
                + Sql.lists(
                        periods.starts,
                        periods.ends,
                        periods.systemStarts,
                        periods.systemEnds,
                        List.of("file", "pos", PlanContext.KEY_NUMBER))
                + " FROM " + existing + ") AS e ON o." + PlanContext.KEY_NUMBER + " = e." + PlanContext.KEY_NUMBER
                + " AND "
                + Sql.same(Sql.of("o", periods.starts), Sql.of("e", periods.starts)) + " AND "
                + Sql.same(Sql.of("o", periods.systemStarts), Sql.of("e", periods.systemStarts));
    }

    /** Of rows that stay in their rectangle, those whose values stay too. */
    private String equalRows(String joined, String existing, ValuePlaces places) {
        String doubtful = "SELECT src, idx, file, pos FROM " + joined + " WHERE same_end AND NOT same_place";
        String valued = places.withValues(doubtful, List.of("file", "pos"), ValuePlaces.Columns.whole(context));
        return "SELECT e.file, e.pos FROM (" + valued + ") AS o JOIN " + existing
                + " AS e ON e.file = o.file AND e.pos = o.pos WHERE NOT "
                + Sql.differ(context.comparable("o"), context.comparable("e"));
    }

    private String records(String reduced, String facts, ValuePlaces places) {
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(business);
        columns.addAll(periods.system);
        String known = "SELECT " + Sql.lists(Sql.of("n", columns), Sql.of("n", ValuePlaces.PLACE))
                + ", t.end_row = 1 AS "
                + StateColumns.IN_ROW + ", n.op AS kind, FALSE AS reset, n.arrived FROM " + reduced + " AS t JOIN "
                + facts + " AS n ON n.rid = t.start_row WHERE t.what = " + BitemporalReducer.EVENT;
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
