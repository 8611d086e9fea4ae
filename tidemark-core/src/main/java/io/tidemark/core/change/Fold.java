package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * From facts to one state of affairs per key and sequence. A fact is an event: new, remembered, or told by an existing
 * row. Columns of facts: keys, sequence leaves, {@code op}, {@code reset}, {@code prio}, {@code ord}, {@code arrived},
 * solid columns, units and masks.
 *
 * <p>The result has one row per key and sequence: the last fact by ({@code prio}, {@code ord}), with whole value columns
 * {@code x<i>}. With partial updates a unit's value is the one that the greatest sequence since the life began authored,
 * {@code u<j>} and {@code m<j>} keep what this very sequence authored, {@code reset} tells of a delete at the same
 * sequence, and {@code life} numbers the lives of the key.
 */
final class Fold {
    /** Priority of facts at one sequence: deletes that rows or memory tell. */
    static final int REMEMBERED_DELETE = 0;
    /** Priority of upserts that rows or memory tell. */
    static final int REMEMBERED_UPSERT = 1;
    /** Priority of changes by hand to a remembered upsert. */
    static final int BY_HAND = 2;
    /** Priority of this update's events. */
    static final int NEW = 3;

    private final PlanContext context;
    private final List<String> keys;
    private final List<String> place;
    private final boolean partial;
    private final boolean carries;

    /**
     * A fold.
     *
     * @param place columns that order the facts of a key: sequence leaves, for bitemporal storage both axes
     * @param carries whether values carry over from lesser places; otherwise only facts at one place are folded
     */
    Fold(PlanContext context, List<String> place, boolean carries) {
        this.context = context;
        this.keys = context.keys;
        this.place = place;
        this.carries = carries;
        this.partial = context.spec.isPartial();
    }

    /** The facts of this update's events. */
    String newFacts() {
        return "SELECT "
                + Sql.lists(
                        keys,
                        place,
                        List.of("op", "FALSE AS reset", NEW + " AS prio", EventStaging.ORDINAL + " AS ord"),
                        List.of(context.arrived() + " AS arrived"),
                        context.solids,
                        context.units,
                        context.masks)
                + " FROM " + context.inputs.events() + " WHERE op <> " + EventStaging.TRUNCATE + " AND "
                + (context.truncation().isEmpty() ? "TRUE" : context.survives(context.sequence));
    }

    /** Keeps the fold of facts. */
    String fold(String facts) {
        return context.materialize("chosen", partial ? chosenPartial(facts) : chosen(facts));
    }

    private String chosen(String facts) {
        String ranked = "SELECT *, row_number() OVER (PARTITION BY " + Sql.lists(keys, place)
                + " ORDER BY prio DESC, ord DESC) AS rn FROM (" + facts + ") AS f";
        return "SELECT * FROM (" + ranked + ") AS r WHERE rn = 1";
    }

    private String chosenPartial(String facts) {
        List<String> columns = new ArrayList<>(keys);
        columns.addAll(place);
        columns.addAll(List.of("op", "reset", "prio", "ord", "arrived"));
        columns.addAll(context.solids);
        String keyed = Sql.list(keys);
        String order = Sql.ascending(place) + ", prio, ord";
        String lives = "SELECT *, sum(CASE WHEN op = 1 OR reset THEN 1 ELSE 0 END) OVER (PARTITION BY " + keyed
                + " ORDER BY " + order + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS life FROM (" + facts
                + ") AS f";
        List<String> carried = new ArrayList<>();
        List<String> own = new ArrayList<>();
        String atPlace = "PARTITION BY " + Sql.lists(keys, place) + ", life";
        for (int j = 0; j < context.units.size(); j++) {
            String wrapped = "CASE WHEN op = 0 AND m" + j + " THEN "
                    + context.dialect.struct(List.of("v"), List.of("u" + j)) + " END";
            String window = "PARTITION BY " + (carries ? keyed : Sql.lists(keys, place)) + ", life ORDER BY " + order
                    + " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW";
            carried.add(context.dialect.lastNonNull(wrapped, window) + " AS w" + j);
            own.add("max(CASE WHEN op = 0 AND m" + j + " THEN 1 ELSE 0 END) OVER (" + atPlace + ") AS a" + j);
        }
        String windows = "SELECT "
                + Sql.lists(columns, List.of("life"), carried, own)
                + ", max(CASE WHEN op = 1 OR reset THEN 1 ELSE 0 END) OVER (PARTITION BY " + Sql.lists(keys, place)
                + ") AS any_delete, row_number() OVER (PARTITION BY " + Sql.lists(keys, place)
                + " ORDER BY prio DESC, ord DESC) AS rn FROM (" + lives + ") AS l";
        List<String> unwrapped = new ArrayList<>();
        List<String> masks = new ArrayList<>();
        for (int j = 0; j < context.units.size(); j++) {
            unwrapped.add(context.dialect.field("w" + j, "v") + " AS u" + j);
            masks.add("(op = 0 AND a" + j + " = 1) AS m" + j);
        }
        List<String> kept = new ArrayList<>(keys);
        kept.addAll(place);
        kept.addAll(List.of("op", "(op = 0 AND any_delete = 1) AS reset", "prio", "ord", "arrived", "life"));
        kept.addAll(context.solids);
        String last = "SELECT " + Sql.lists(kept, unwrapped, masks) + " FROM (" + windows + ") AS w WHERE rn = 1";
        return rebuilt(last);
    }

    /** Puts partial columns together beside their units. */
    private String rebuilt(String sql) {
        List<String> whole = context.spec.rebuiltValues(context.dialect);
        List<String> columns = new ArrayList<>();
        for (int column : context.spec.partialColumns()) {
            columns.add("CASE WHEN op = 0 THEN " + whole.get(column) + " END AS x" + column);
        }
        return "SELECT *, " + Sql.list(columns) + " FROM (" + sql + ") AS b";
    }

    /** Whether all units of a folded row are authored by its own sequence. */
    String isFull() {
        return context.masks.isEmpty() ? "TRUE" : "(" + String.join(" AND ", context.masks) + ")";
    }
}
