package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;

/**
 * Where the values of folded rows stand, for SCD type 2 without partial updates. Facts then go through the fold by
 * reference: sorting and windows see keys, sequences, a hash of the tracked columns and the place of the values, and
 * only rows that are written fetch their values. A place is {@code (src, idx)}: a new event by its ordinal, a row of the
 * target by file and position, or a remembered event by its ordinal; a delete has none.
 */
final class TypeTwoSources {
    /** The place of a fact's values. */
    static final List<String> PLACE = List.of("src", "idx");

    private static final int EVENT = -1;
    private static final int MEMORY = -2;
    private static final String ORDINAL = "mem";

    private final PlanContext context;
    private final List<String> values;
    private final String existing;
    private final boolean memoryHoldsValues;

    /**
     * The sources.
     *
     * @param existing the existing rows of touched keys, with values
     */
    TypeTwoSources(PlanContext context, String existing) {
        this.context = context;
        this.values = context.values;
        this.existing = existing;
        this.memoryHoldsValues = StateColumns.holdsValues(context.spec);
    }

    /** Numbers the remembered events if values of theirs may be asked for. */
    String numbered(String memory) {
        return memoryHoldsValues ? context.materialize("memory_rows", "SELECT * FROM " + memory, ORDINAL) : memory;
    }

    /** Place and hash of a new event, for upserts. */
    List<String> ofEvent() {
        String upsert = "CASE WHEN op = " + EventStaging.UPSERT + " THEN ";
        return List.of(
                upsert + hash("v") + " END AS h",
                upsert + EVENT + " END AS src",
                upsert + "v." + EventStaging.ORDINAL + " END AS idx");
    }

    /** Place and hash of an existing row. */
    List<String> ofRow(String alias) {
        return List.of(alias + ".h", alias + ".file AS src", alias + ".pos AS idx");
    }

    /** Place and hash of a remembered upsert: its own values, or those of its row if they are the same. */
    List<String> ofMemory(String memory, String row) {
        return memoryHoldsValues
                ? List.of(hash(memory) + " AS h", MEMORY + " AS src", memory + "." + ORDINAL + " AS idx")
                : ofRow(row);
    }

    /** What a delete has in place of {@link #ofEvent}. */
    static List<String> ofDelete() {
        return List.of("NULL AS h", "NULL AS src", "NULL AS idx");
    }

    /** A hash of the tracked columns: rows that are equal on them have equal hashes. */
    String hash(String alias) {
        List<String> tracked = context.comparable(alias, context.spec.tracked());
        return tracked.isEmpty() ? "0" : context.dialect.hash(tracked);
    }

    /** A relation of all values: {@code src}, {@code at} and the value columns. */
    String allValues(String memory) {
        List<String> parts = new ArrayList<>();
        parts.add("SELECT " + EVENT + " AS src, " + EventStaging.ORDINAL + " AS idx, " + Sql.list(values) + " FROM "
                + context.inputs.events());
        parts.add("SELECT file AS src, pos AS idx, " + Sql.list(values) + " FROM " + existing);
        if (memoryHoldsValues) {
            parts.add("SELECT " + MEMORY + " AS src, " + ORDINAL + " AS idx, " + Sql.list(values) + " FROM " + memory);
        }
        return context.view("all_values", String.join(" UNION ALL ", parts));
    }

    /**
     * Of rows that follow a row with the same hash, those that differ from it all the same: hashes can collide.
     *
     * @param pairs SQL of {@code src, idx} and the place of the row before, {@code src0, idx0}
     */
    String falselyEqual(String pairs, String allValues) {
        List<String> tracked = context.spec.tracked();
        return "SELECT p.src, p.idx FROM (" + pairs + ") AS p JOIN " + allValues + " AS a ON " + samePlace("a", "p", "")
                + " JOIN " + allValues + " AS b ON " + samePlace("b", "p", "0") + " WHERE "
                + Sql.differ(context.comparable("a", tracked), context.comparable("b", tracked));
    }

    /**
     * Of rows that stay in their period, those whose values stay too.
     *
     * @param candidates SQL of the place of the new values, {@code src, idx}, and of the row, {@code file, pos}
     */
    String equalRows(String candidates, String allValues) {
        return "SELECT c.file, c.pos FROM (" + candidates + ") AS c JOIN " + existing
                + " AS e ON e.file = c.file AND e.pos = c.pos JOIN " + allValues + " AS a ON "
                + samePlace("a", "c", "") + " WHERE NOT "
                + Sql.differ(context.comparable("a"), context.comparable("e"));
    }

    /**
     * Joins values to rows that are written.
     *
     * @param rows SQL with {@code src, idx}
     * @param columns columns of these rows to hand on
     */
    String withValues(String rows, List<String> columns) {
        String select =
                "SELECT " + Sql.lists(Sql.of("r", columns), Sql.of("v", values)) + " FROM (" + rows + ") AS r JOIN ";
        List<String> parts = new ArrayList<>();
        parts.add(select + context.inputs.events() + " AS v ON v." + EventStaging.ORDINAL + " = r.idx WHERE r.src = "
                + EVENT);
        parts.add(select + existing + " AS v ON v.file = r.src AND v.pos = r.idx WHERE r.src >= 0");
        if (memoryHoldsValues) {
            parts.add(select + context.relation("memory_rows") + " AS v ON v." + ORDINAL + " = r.idx WHERE r.src = "
                    + MEMORY);
        }
        return String.join(" UNION ALL ", parts);
    }

    private static String samePlace(String values, String row, String suffix) {
        return values + ".src = " + row + ".src" + suffix + " AND " + values + ".idx = " + row + ".idx" + suffix;
    }
}
