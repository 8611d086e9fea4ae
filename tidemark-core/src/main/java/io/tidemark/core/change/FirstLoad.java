package io.tidemark.core.change;

import io.tidemark.core.flow.ScdType;
import java.util.ArrayList;
import java.util.List;

/**
 * The first update of an empty target. A key with one event that authors every column needs no fold: the event is its
 * row, from its sequence on, and nothing has to be remembered that the row does not tell. Such events go straight to the
 * writer; all others pass through the plan of their storage type. A load of a whole table is therefore a sort and a
 * write.
 */
final class FirstLoad {
    private final PlanContext context;
    private final ChangeSpec spec;
    private final List<String> keys;

    FirstLoad(PlanContext context) {
        this.context = context;
        this.spec = context.spec;
        this.keys = context.keys;
    }

    /** Whether an update is such a load. */
    static boolean fits(PlanContext context) {
        PlanInputs inputs = context.inputs;
        boolean rowTellsAll = context.spec.storedAs() != ScdType.BITEMPORAL || !context.spec.isPartial();
        boolean told = context.spec.storedAs() != ScdType.SCD1 || !context.spec.remembersSequences();
        return inputs.nothingThere()
                && inputs.state().isEmpty()
                && inputs.manual().isEmpty()
                && inputs.truncation().isEmpty()
                && rowTellsAll
                && told;
    }

    ChangePlan plan() {
        String events = context.inputs.events();
        String repeated = context.materialize(
                "repeated",
                "SELECT " + Sql.list(keys) + ", 1 AS there FROM " + events + " GROUP BY " + Sql.list(keys)
                        + " HAVING count(*) > 1");
        String marked = "SELECT e.*, (r.there IS NULL AND e.op = " + EventStaging.UPSERT + " AND " + full()
                + ") AS alone FROM " + events + " AS e LEFT JOIN " + repeated + " AS r ON "
                + Sql.equal(Sql.of("e", keys), Sql.of("r", keys));
        String others = context.view("others", "SELECT * FROM (" + marked + ") AS q WHERE NOT alone");
        String alone = context.view("alone", "SELECT * FROM (" + marked + ") AS q WHERE alone");
        ChangePlan folded =
                ChangePlan.folded(new PlanContext(spec, context.dialect, context.inputs.withEvents(others)));
        context.steps.addAll(folded.steps());
        String loaded = context.insertedOutput("loaded", rows(alone), context.periods.toTarget());
        String inserted = context.view(
                "all_inserted", "SELECT * FROM " + folded.inserted() + " UNION ALL SELECT * FROM " + loaded);
        String upserted = "SELECT sum(n) AS n FROM (" + folded.upserted() + " UNION ALL SELECT count(*) AS n FROM "
                + alone + ") AS q";
        return new ChangePlan(context.steps, inserted, folded.deleted(), folded.state(), upserted, folded.vanished());
    }

    private String full() {
        return context.masks.isEmpty() ? "TRUE" : String.join(" AND ", Sql.of("e", context.masks));
    }

    private String rows(String alone) {
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(Sql.as(spec.rebuiltValues(context.dialect), context.values));
        if (spec.storedAs() != ScdType.SCD1) {
            columns.addAll(period(context.sequence, spec.sequenceShape(), "st", "en"));
        }
        if (spec.storedAs() == ScdType.BITEMPORAL) {
            columns.addAll(period(context.periods.system, spec.systemShape(), "ys", "ye"));
        }
        return "SELECT " + Sql.list(columns) + " FROM " + alone;
    }

    /** From a sequence on, without an end. */
    private List<String> period(List<String> from, SequenceShape shape, String start, String end) {
        List<String> columns = new ArrayList<>(Sql.as(from, Sql.numbered(start, from.size())));
        columns.addAll(Sql.as(context.nullLeaves(shape), Sql.numbered(end, from.size())));
        return columns;
    }
}
