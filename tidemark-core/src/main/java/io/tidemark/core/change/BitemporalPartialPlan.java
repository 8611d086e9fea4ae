package io.tidemark.core.change;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;

/**
 * Bitemporal history where events may leave columns alone. All events of the touched keys pass through
 * {@link BitemporalReducer} as numbers, a class for each unit; its rectangles are joined back to the values by row
 * number. Remembered are all events with what they authored.
 */
final class BitemporalPartialPlan {
    private final PlanContext context;
    private final List<String> keys;
    private final List<String> business;
    private final PeriodColumns periods;
    private final Fold fold;
    private final BitemporalParts parts;

    BitemporalPartialPlan(PlanContext context) {
        this.context = context;
        this.keys = context.keys;
        this.business = context.sequence;
        this.periods = context.periods;
        List<String> place = new ArrayList<>(business);
        place.addAll(periods.system);
        this.fold = new Fold(context, place, false);
        this.parts = new BitemporalParts(context);
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = context.existingRows(touched, periods.ofTarget());
        String remembered = context.remembered(touched);
        List<String> row = new ArrayList<>(context.partsOfValues("e"));
        row.addAll(Sql.each(context.masks, mask -> "TRUE AS " + mask));
        BitemporalMemory.Values values = new BitemporalMemory.Values(rememberedValues(), row, nothing());
        BitemporalMemory memory = new BitemporalMemory(context, existing, values);
        String chosen = fold.fold(fold.newFacts() + " UNION ALL " + memory.facts(remembered));
        String numbered = context.materialize("numbered", numbered(chosen));
        String rectangles = context.relation("rectangles");
        context.steps.add(new ChangePlan.Reduce(
                rectangles, parts.reducerInput(numbered), parts.reducerOutput(), parts.reducers()));
        String output = context.materialize("output", output(rectangles, numbered));
        String compared = context.materialize("compared", compared(output, existing));
        String inserted =
                context.insertedOutput("SELECT * FROM " + compared + " WHERE there AND NOT kept", periods.toTarget());
        String deleted =
                context.view("deleted", "SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept");
        String records = context.view("records", records(numbered));
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

    private List<String> rememberedValues() {
        List<String> columns = new ArrayList<>();
        for (String solid : context.solids) {
            columns.add("CASE WHEN h." + StateColumns.IN_ROW + " THEN e." + solid + " ELSE h." + solid + " END AS "
                    + solid);
        }
        columns.addAll(Sql.of("h", context.units));
        columns.addAll(Sql.of("h", context.masks));
        return columns;
    }

    /** Numbers the events, and gives equal values of a key equal classes. */
    private String numbered(String chosen) {
        String rows =
                "SELECT *, row_number() OVER (ORDER BY " + Sql.ascending(keys) + ", " + Sql.ascending(periods.system)
                        + ", " + Sql.ascending(business) + ") AS rid, " + rank(periods.system) + " AS system_rank, "
                        + rank(business)
                        + " AS business_rank FROM " + chosen;
        return "SELECT *, min(rid) OVER (PARTITION BY " + Sql.list(keys) + ") AS key_id, " + Sql.list(parts.classes())
                + " FROM (" + rows + ") AS r";
    }

    private String rank(List<String> times) {
        return "dense_rank() OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY " + Sql.ascending(times) + ")";
    }

    /** Joins the rectangles back to times and values. */
    private String output(String rectangles, String numbered) {
        List<String> columns = new ArrayList<>(Sql.of("b", keys));
        columns.addAll(Sql.as(Sql.of("b", business), periods.starts));
        columns.addAll(Sql.as(Sql.of("e", business), periods.ends));
        columns.addAll(Sql.as(Sql.of("p", periods.system), periods.systemStarts));
        columns.addAll(Sql.as(Sql.of("q", periods.system), periods.systemEnds));
        String joins = " FROM " + rectangles + " AS t JOIN " + numbered + " AS b ON b.rid = t.start_row JOIN "
                + numbered
                + " AS p ON p.rid = t.system_start_row LEFT JOIN " + numbered + " AS e ON e.rid = t.end_row LEFT JOIN "
                + numbered + " AS q ON q.rid = t.system_end_row" + parts.valueJoins(numbered);
        String joined = "SELECT " + Sql.lists(columns, parts.joinedValues()) + joins;
        return parts.rebuilt(joined);
    }

    private String compared(String output, String existing) {
        String equal = Sql.same(Sql.of("o", periods.ends), Sql.of("e", periods.ends)) + " AND "
                + Sql.same(Sql.of("o", periods.systemEnds), Sql.of("e", periods.systemEnds)) + " AND NOT "
                + Sql.differ(context.comparable("o"), context.comparable("e"));
        return "SELECT "
                + Sql.lists(
                        Sql.of("o", keys),
                        Sql.of("o", context.values),
                        Sql.of("o", periods.starts),
                        Sql.of("o", periods.ends),
                        Sql.of("o", periods.systemStarts),
                        Sql.of("o", periods.systemEnds),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND " + equal
                + ") AS kept FROM (SELECT *, 1 AS there FROM " + output + ") AS o FULL OUTER JOIN " + existing
                + " AS e ON " + Sql.equal(Sql.of("o", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("o", periods.starts), Sql.of("e", periods.starts)) + " AND "
                + Sql.same(Sql.of("o", periods.systemStarts), Sql.of("e", periods.systemStarts));
    }

    private String records(String numbered) {
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(business);
        columns.addAll(periods.system);
        columns.add("FALSE AS " + StateColumns.IN_ROW);
        columns.addAll(List.of("op AS kind", "reset", "arrived"));
        columns.addAll(context.solids);
        for (int j = 0; j < context.units.size(); j++) {
            columns.add("CASE WHEN m" + j + " THEN u" + j + " END AS u" + j);
            columns.add("m" + j);
        }
        return "SELECT " + Sql.list(columns) + " FROM " + numbered;
    }

    /** NULLs for all value parts, and masks that author nothing. */
    private List<String> nothing() {
        List<String> columns = new ArrayList<>();
        for (int column : context.spec.solidColumns()) {
            StructField field = context.spec.values().get(column);
            columns.add(context.dialect.nullOf(field.type()) + " AS x" + column);
        }
        for (int j = 0; j < context.units.size(); j++) {
            DataType type = context.spec.units().get(j).type();
            columns.add(context.dialect.nullOf(type) + " AS u" + j);
        }
        columns.addAll(Sql.each(context.masks, mask -> "FALSE AS " + mask));
        return columns;
    }
}
