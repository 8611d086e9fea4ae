package io.tidemark.core.change;

import io.tidemark.core.error.ErrorCode;
import java.util.ArrayList;
import java.util.List;

/**
 * The remembered events of a bitemporal flow as facts, and what other writers may do to its rows: insert a currently
 * believed row, which counts as the upsert at its START and SYSTEM_START, or delete all rows of a key, which forgets the
 * key. All else would leave beliefs that no events explain and is refused.
 */
final class BitemporalMemory {
    private final PlanContext context;
    private final String existing;
    private final List<String> furtherColumns;
    private final List<String> keys;
    private final List<String> business;
    private final List<String> system;

    BitemporalMemory(PlanContext context, String existing, List<String> furtherColumns) {
        this.context = context;
        this.existing = existing;
        this.furtherColumns = furtherColumns;
        this.keys = context.keys;
        this.business = context.sequence;
        this.system = Sql.numbered("y", context.spec.systemShape().leafCount());
    }

    /** SELECTs of facts, joined by UNION ALL. */
    String facts(String remembered) {
        if (context.inputs.manual().isEmpty()) {
            checkRows(remembered);
            return rememberedFacts(remembered);
        }
        PlanInputs.ManualRows manual = context.inputs.manual().get();
        String removed = context.materialize("removed", context.targetRows(manual.removed(), furtherColumns, false));
        String added = context.materialize("added", context.targetRows(manual.added(), furtherColumns, false));
        refuse(removed, added);
        String gone = "SELECT DISTINCT " + Sql.list(keys) + ", 1 AS gone FROM " + removed;
        String valid = context.materialize(
                "memory",
                "SELECT h.* FROM " + remembered + " AS h LEFT JOIN (" + gone + ") AS g ON " + join("h", "g")
                        + " WHERE g.gone IS NULL");
        checkRows(valid);
        return rememberedFacts(valid) + " UNION ALL " + upsertsByHand(added) + " UNION ALL " + endsByHand(added);
    }

    private void refuse(String removed, String added) {
        List<String> starts = Sql.numbered("st", business.size());
        String left = "SELECT " + Sql.lists(Sql.of("g", keys), Sql.of("g", starts)) + " FROM " + removed
                + " AS g JOIN (SELECT DISTINCT " + Sql.list(keys) + " FROM " + existing + ") AS e ON " + join("g", "e");
        String closed = "SELECT " + Sql.lists(keys, starts) + " FROM " + added + " WHERE NOT "
                + Sql.allNull(Sql.numbered("ye", system.size()));
        context.steps.add(new ChangePlan.Check(
                left + " UNION ALL " + closed,
                ErrorCode.TARGET_ROWS_INVALID,
                "another writer changed rows of bitemporal table "
                        + context.spec.flow().target() + " in a way that no event explains",
                "only whole keys may be deleted, and only currently believed rows inserted; send an event instead, or "
                        + "rebuild the table with --full-refresh="
                        + context.spec.flow().target()));
    }

    /** Every remembered event that points to a row must find it. */
    private void checkRows(String remembered) {
        context.steps.add(new ChangePlan.Check(
                "SELECT " + Sql.lists(Sql.of("h", keys), Sql.of("h", business), Sql.of("h", system)) + " FROM "
                        + remembered + " AS h LEFT JOIN " + existing + " AS e ON " + sameRow() + " WHERE h."
                        + StateColumns.IN_ROW + " AND e.file IS NULL",
                ErrorCode.TARGET_ROWS_INVALID,
                "rows of bitemporal table " + context.spec.flow().target() + " that its state points to are gone",
                "rebuild the table with --full-refresh=" + context.spec.flow().target()));
    }

    private String rememberedFacts(String remembered) {
        List<String> values = new ArrayList<>();
        for (String solid : context.solids) {
            values.add("CASE WHEN h." + StateColumns.IN_ROW + " THEN e." + solid + " ELSE h." + solid + " END AS "
                    + solid);
        }
        return "SELECT "
                + Sql.lists(
                        Sql.of("h", keys),
                        Sql.of("h", business),
                        Sql.of("h", system),
                        List.of(
                                "h.kind AS op",
                                "h.reset",
                                Fold.REMEMBERED_UPSERT + " AS prio",
                                "0 AS ord",
                                "h.arrived"),
                        values,
                        Sql.of("h", context.units),
                        Sql.of("h", context.masks))
                + " FROM " + remembered + " AS h LEFT JOIN " + existing + " AS e ON " + sameRow() + " WHERE h.kind <> "
                + StateColumns.NOTHING;
    }

    private String upsertsByHand(String added) {
        return "SELECT "
                + Sql.lists(
                        Sql.of("a", keys),
                        Sql.of("a", Sql.numbered("st", business.size())),
                        Sql.of("a", Sql.numbered("ys", system.size())),
                        List.of(
                                "0 AS op",
                                "FALSE AS reset",
                                Fold.BY_HAND + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        context.partsOfValues("a"),
                        Sql.each(context.masks, mask -> "TRUE AS " + mask))
                + " FROM " + added + " AS a";
    }

    /** A believed row by hand that ends where no other believed row begins is closed by a delete. */
    private String endsByHand(String added) {
        List<String> ends = Sql.numbered("en", business.size());
        return "SELECT "
                + Sql.lists(
                        Sql.of("a", keys),
                        Sql.of("a", ends),
                        Sql.of("a", Sql.numbered("ys", system.size())),
                        List.of(
                                "1 AS op",
                                "FALSE AS reset",
                                Fold.BY_HAND + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        BitemporalPlan.nothing(context))
                + " FROM " + added + " AS a LEFT JOIN (SELECT * FROM " + existing + " WHERE "
                + Sql.allNull(Sql.numbered("ye", system.size())) + ") AS e ON " + join("a", "e") + " AND "
                + Sql.same(Sql.of("a", ends), Sql.of("e", Sql.numbered("st", business.size()))) + " WHERE NOT "
                + Sql.allNull(Sql.of("a", ends)) + " AND e.file IS NULL";
    }

    private String sameRow() {
        return "h." + StateColumns.IN_ROW + " AND " + join("h", "e") + " AND "
                + Sql.same(Sql.of("h", business), Sql.of("e", Sql.numbered("st", business.size()))) + " AND "
                + Sql.same(Sql.of("h", system), Sql.of("e", Sql.numbered("ys", system.size())));
    }

    private String join(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys));
    }
}
