package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Values of SCD type 2 rows by place and hash, without partial updates: facts carry a hash of the tracked columns, and
 * where two hashes are equal the values are compared after all.
 */
final class TypeTwoSources {
    private final PlanContext context;
    private final String existing;
    private final boolean memoryHoldsValues;
    private final ValuePlaces places;

    /**
     * The sources.
     *
     * @param existing the existing rows of touched keys, with values
     */
    TypeTwoSources(PlanContext context, String existing) {
        this.context = context;
        this.existing = existing;
        this.memoryHoldsValues = StateColumns.holdsValues(context.spec);
        this.places = new ValuePlaces(
                context, existing, memoryHoldsValues ? Optional.of(context.relation("memory_rows")) : Optional.empty());
    }

    /** Numbers the remembered events if values of theirs may be asked for. */
    String numbered(String memory) {
        return memoryHoldsValues
                ? context.materialize("memory_rows", "SELECT * FROM " + memory, ValuePlaces.ORDINAL)
                : memory;
    }

    /** Hash and place of a new event, for upserts. */
    List<String> ofEvent() {
        return hashed(
                "CASE WHEN op = " + EventStaging.UPSERT + " THEN " + hash("v") + " END", ValuePlaces.ofEvent("v"));
    }

    /** Hash and place of an existing row. */
    List<String> ofRow(String alias) {
        return hashed(alias + ".h", ValuePlaces.ofRow(alias));
    }

    /** Hash and place of a remembered upsert: its own values, or those of its row if they are the same. */
    List<String> ofMemory(String memory, String row) {
        return memoryHoldsValues ? hashed(hash(memory), ValuePlaces.ofMemory(memory)) : ofRow(row);
    }

    /** What a delete has in place of {@link #ofEvent}. */
    static List<String> ofDelete() {
        return hashed("NULL", ValuePlaces.ofDelete());
    }

    private static List<String> hashed(String hash, List<String> place) {
        List<String> columns = new ArrayList<>();
        columns.add(hash + " AS h");
        columns.addAll(place);
        return columns;
    }

    /** A hash of the tracked columns: rows that are equal on them have equal hashes. */
    String hash(String alias) {
        List<String> tracked = context.comparable(alias, context.spec.tracked());
        return tracked.isEmpty() ? "0" : context.dialect.hash(tracked);
    }

    /** A relation of all values: their places and the value columns. */
    String allValues() {
        return places.allValues();
    }

    /**
     * Of rows that follow a row with the same hash, those that differ from it all the same: hashes can collide.
     *
     * @param pairs SQL of {@code src, idx} and the place of the row before, {@code src0, idx0}
     */
    String falselyEqual(String pairs, String allValues) {
        List<String> tracked = context.spec.tracked();
        return "SELECT p.src, p.idx FROM (" + pairs + ") AS p JOIN " + allValues + " AS a ON "
                + ValuePlaces.same("a", "", "p", "") + " JOIN " + allValues + " AS b ON "
                + ValuePlaces.same("b", "", "p", "0") + " WHERE "
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
                + ValuePlaces.same("a", "", "c", "") + " WHERE NOT "
                + Sql.differ(context.comparable("a"), context.comparable("e"));
    }

    /**
     * Joins values to rows that are written.
     *
     * @param rows SQL with {@code src, idx}
     * @param columns columns of these rows to hand on
     */
    String withValues(String rows, List<String> columns) {
        return places.withValues(rows, columns, ValuePlaces.Columns.whole(context));
    }
}
