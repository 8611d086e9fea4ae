package io.tidemark.core.change;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructField;
import java.util.ArrayList;
import java.util.List;

/**
 * Bitemporal history. All events of the touched keys are numbered in order of key and system time; the narrow part of
 * them passes through {@link BitemporalReducer}, whose rectangles are joined back to the values by row number.
 * Remembered are all events, their values only where no row begins at the event's two times with the same values.
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
    private final Fold fold;
    private final BitemporalParts parts;

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
        List<String> place = new ArrayList<>(business);
        place.addAll(system);
        this.fold = new Fold(context, place, false);
        this.parts = new BitemporalParts(context);
    }

    ChangePlan plan() {
        String touched = context.touched();
        String existing = context.existingRows(touched, reservedLeaves());
        String remembered = context.remembered(touched);
        BitemporalMemory memory = new BitemporalMemory(context, existing, reservedLeaves());
        String chosen = fold.fold(fold.newFacts() + " UNION ALL " + memory.facts(remembered));
        String numbered = context.materialize("numbered", numbered(chosen));
        String rectangles = context.relation("rectangles");
        context.steps.add(new ChangePlan.Reduce(
                rectangles, parts.reducerInput(numbered), parts.reducerOutput(), parts.reducers()));
        String output = context.materialize("output", output(rectangles, numbered));
        String compared = context.materialize("compared", compared(output, existing));
        String inserted = context.insertedOutput("SELECT * FROM " + compared + " WHERE there AND NOT kept", reserved());
        String deleted =
                context.view("deleted", "SELECT file, pos FROM " + compared + " WHERE file IS NOT NULL AND NOT kept");
        String records = context.view("records", records(numbered, output));
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

    /** Numbers the events, and gives equal values of a key equal classes. */
    private String numbered(String chosen) {
        String keyed = Sql.ascending(keys);
        String rows = "SELECT *, row_number() OVER (ORDER BY " + keyed + ", " + Sql.ascending(system) + ", "
                + Sql.ascending(business) + ") AS rid, dense_rank() OVER (ORDER BY " + keyed
                + ") AS key_rank, dense_rank() OVER (PARTITION BY " + Sql.list(keys) + " ORDER BY "
                + Sql.ascending(system) + ") AS system_rank, dense_rank() OVER (PARTITION BY " + Sql.list(keys)
                + " ORDER BY " + Sql.ascending(business) + ") AS business_rank FROM " + chosen;
        return "SELECT *, " + Sql.list(parts.classes()) + " FROM (" + rows + ") AS r";
    }

    /** Joins the rectangles back to times and values. */
    private String output(String rectangles, String numbered) {
        List<String> columns = new ArrayList<>(Sql.of("b", keys));
        columns.addAll(Sql.as(Sql.of("b", business), starts));
        columns.addAll(Sql.as(Sql.of("e", business), ends));
        columns.addAll(Sql.as(Sql.of("p", system), systemStarts));
        columns.addAll(Sql.as(Sql.of("q", system), systemEnds));
        String joins = " FROM " + rectangles + " AS t JOIN " + numbered + " AS b ON b.rid = t.start_row JOIN "
                + numbered
                + " AS p ON p.rid = t.system_start_row LEFT JOIN " + numbered + " AS e ON e.rid = t.end_row LEFT JOIN "
                + numbered + " AS q ON q.rid = t.system_end_row" + parts.valueJoins(numbered);
        String joined = "SELECT " + Sql.lists(columns, parts.joinedValues()) + joins;
        return parts.rebuilt(joined);
    }

    private String compared(String output, String existing) {
        String equal = Sql.same(Sql.of("o", ends), Sql.of("e", ends)) + " AND "
                + Sql.same(Sql.of("o", systemEnds), Sql.of("e", systemEnds)) + " AND NOT "
                + Sql.differ(context.comparable("o"), context.comparable("e"));
        return "SELECT "
                + Sql.lists(
                        Sql.of("o", keys),
                        Sql.of("o", context.values),
                        Sql.of("o", starts),
                        Sql.of("o", ends),
                        Sql.of("o", systemStarts),
                        Sql.of("o", systemEnds),
                        List.of("e.file", "e.pos"))
                + ", (o.there IS NOT NULL) AS there, (o.there IS NOT NULL AND e.file IS NOT NULL AND " + equal
                + ") AS kept FROM (SELECT *, 1 AS there FROM " + output + ") AS o FULL OUTER JOIN " + existing
                + " AS e ON " + Sql.equal(Sql.of("o", keys), Sql.of("e", keys)) + " AND "
                + Sql.same(Sql.of("o", starts), Sql.of("e", starts)) + " AND "
                + Sql.same(Sql.of("o", systemStarts), Sql.of("e", systemStarts));
    }

    private String records(String numbered, String output) {
        String inRow = spec.isPartial()
                ? "FALSE"
                : "(n.op = 0 AND o.there IS NOT NULL AND NOT "
                        + Sql.differ(context.comparable("n"), context.comparable("o")) + ")";
        List<String> columns = new ArrayList<>(Sql.of("n", keys));
        columns.addAll(Sql.of("n", business));
        columns.addAll(Sql.of("n", system));
        columns.add(inRow + " AS " + StateColumns.IN_ROW);
        columns.addAll(List.of("n.op AS kind", "n.reset", "n.arrived"));
        for (String solid : context.solids) {
            columns.add("CASE WHEN NOT " + inRow + " THEN n." + solid + " END AS " + solid);
        }
        for (int j = 0; j < context.units.size(); j++) {
            columns.add("CASE WHEN n.m" + j + " THEN n.u" + j + " END AS u" + j);
            columns.add("n.m" + j);
        }
        return "SELECT " + Sql.list(columns) + " FROM " + numbered + " AS n LEFT JOIN (SELECT *, 1 AS there FROM "
                + output + ") AS o ON " + Sql.equal(Sql.of("n", keys), Sql.of("o", keys)) + " AND "
                + Sql.same(Sql.of("n", business), Sql.of("o", starts)) + " AND "
                + Sql.same(Sql.of("n", system), Sql.of("o", systemStarts));
    }

    /** NULLs for all value parts, and masks that author nothing. */
    static List<String> nothing(PlanContext context) {
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
