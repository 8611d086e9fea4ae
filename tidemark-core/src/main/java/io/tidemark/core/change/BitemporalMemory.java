package io.tidemark.core.change;

import io.tidemark.core.error.ErrorCode;
import java.util.List;
import java.util.Optional;

/**
 * The remembered events of a bitemporal flow as facts, and what other writers may do to its rows: insert a currently
 * believed row, which counts as the upsert at its START and SYSTEM_START, or delete all rows of a key, which forgets the
 * key. All else would leave beliefs that no events explain and is refused.
 */
final class BitemporalMemory {
    private final PlanContext context;
    private final String existing;
    private final Values values;
    private final List<String> keys;
    private final List<String> business;
    private final List<String> system;
    private final PeriodColumns periods;

    BitemporalMemory(PlanContext context, String existing, Values values) {
        this.context = context;
        this.existing = existing;
        this.values = values;
        this.keys = context.keys;
        this.business = context.sequence;
        this.periods = context.periods;
        this.system = periods.system;
    }

    /**
     * How facts tell their values.
     *
     * @param remembered columns over a remembered event {@code h} and its row {@code e}, if it has one
     * @param row columns over a row {@code e}
     * @param nothing columns of a delete
     */
    record Values(List<String> remembered, List<String> row, List<String> nothing) {}

    /** SELECTs of facts, joined by UNION ALL. */
    String facts(String remembered) {
        if (context.inputs.manual().isEmpty()) {
            checkRows(remembered);
            return rememberedFacts(remembered) + rowsThemselves(remembered, Optional.empty());
        }
        PlanInputs.ManualRows manual = context.inputs.manual().get();
        String removed =
                context.materialize("removed", context.targetRows(manual.removed(), periods.ofTarget(), false));
        String added = context.materialize("added", context.targetRows(manual.added(), periods.ofTarget(), false));
        refuse(removed, added);
        String gone = "SELECT DISTINCT " + Sql.list(keys) + ", 1 AS gone FROM " + removed;
        String valid = context.materialize(
                "memory",
                "SELECT h.* FROM " + remembered + " AS h LEFT JOIN (" + gone + ") AS g ON " + join("h", "g")
                        + " WHERE g.gone IS NULL");
        checkRows(valid);
        return rememberedFacts(valid) + rowsThemselves(valid, Optional.of(added));
    }

    /**
     * Believed rows that no remembered event tells of are events themselves: those by hand, and the row of a key that has
     * had one event only.
     */
    private String rowsThemselves(String remembered, Optional<String> added) {
        String told = "SELECT DISTINCT " + Sql.list(keys) + ", 1 AS told FROM " + remembered + " WHERE kind <> "
                + StateColumns.NOTHING;
        String byHand = added.map(rows -> " LEFT JOIN (SELECT " + Sql.lists(keys, periods.starts, periods.systemStarts)
                        + ", 1 AS there FROM " + rows + ") AS a ON " + join("e", "a") + " AND "
                        + Sql.same(Sql.of("e", periods.starts), Sql.of("a", periods.starts)) + " AND "
                        + Sql.same(Sql.of("e", periods.systemStarts), Sql.of("a", periods.systemStarts)))
                .orElse("");
        String untold = context.materialize(
                "untold",
                "SELECT e.* FROM " + existing + " AS e LEFT JOIN (" + told + ") AS t ON " + join("e", "t") + byHand
                        + " WHERE " + Sql.allNull(Sql.of("e", periods.systemEnds))
                        + " AND (t.told IS NULL" + (added.isPresent() ? " OR a.there = 1" : "") + ")");
        context.steps.add(new ChangePlan.Check(
                "SELECT " + Sql.list(keys) + " FROM " + untold + " WHERE " + Sql.allNull(periods.starts) + " OR "
                        + Sql.allNull(periods.systemStarts),
                ErrorCode.TARGET_ROWS_INVALID,
                "rows of bitemporal table " + context.spec.flow().target() + " tell no start",
                "another writer left them: delete the rows of these keys, or rebuild the table with --full-refresh="
                        + context.spec.flow().target()));
        return " UNION ALL " + upserts(untold) + " UNION ALL " + ends(untold);
    }

    private void refuse(String removed, String added) {
        String left = "SELECT " + Sql.lists(Sql.of("g", keys), Sql.of("g", periods.starts)) + " FROM " + removed
                + " AS g JOIN (SELECT DISTINCT " + Sql.list(keys) + " FROM " + existing + ") AS e ON " + join("g", "e");
        String closed = "SELECT " + Sql.lists(keys, periods.starts) + " FROM " + added + " WHERE NOT "
                + Sql.allNull(periods.systemEnds);
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
                        values.remembered())
                + " FROM " + remembered + " AS h LEFT JOIN " + existing + " AS e ON " + sameRow() + " WHERE h.kind <> "
                + StateColumns.NOTHING;
    }

    private String upserts(String rows) {
        return "SELECT "
                + Sql.lists(
                        Sql.of("e", keys),
                        Sql.of("e", periods.starts),
                        Sql.of("e", periods.systemStarts),
                        List.of(
                                "0 AS op",
                                "FALSE AS reset",
                                Fold.BY_HAND + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        values.row())
                + " FROM " + rows + " AS e";
    }

    /** Such a row that ends where no other believed row begins is closed by a delete. */
    private String ends(String rows) {
        return "SELECT "
                + Sql.lists(
                        Sql.of("a", keys),
                        Sql.of("a", periods.ends),
                        Sql.of("a", periods.systemStarts),
                        List.of(
                                "1 AS op",
                                "FALSE AS reset",
                                Fold.BY_HAND + " AS prio",
                                "0 AS ord",
                                context.arrived() + " AS arrived"),
                        values.nothing())
                + " FROM (SELECT * FROM " + rows + " WHERE NOT " + Sql.allNull(periods.ends)
                + ") AS a LEFT JOIN (SELECT * FROM " + existing + " WHERE "
                + Sql.allNull(periods.systemEnds) + ") AS e ON " + join("a", "e") + " AND "
                + Sql.same(Sql.of("a", periods.ends), Sql.of("e", periods.starts))
                + " WHERE e.file IS NULL";
    }

    private String sameRow() {
        return "h." + StateColumns.IN_ROW + " AND " + join("h", "e") + " AND "
                + Sql.same(Sql.of("h", business), Sql.of("e", periods.starts)) + " AND "
                + Sql.same(Sql.of("h", system), Sql.of("e", periods.systemStarts));
    }

    private String join(String left, String right) {
        return Sql.equal(Sql.of(left, keys), Sql.of(right, keys));
    }
}
