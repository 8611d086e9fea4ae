package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where the values of facts stand. Facts go through a fold by reference: sorting and windows see keys, sequences and the
 * place of the values, and only rows that are written fetch their values. A place is {@code (src, idx)}: a new event by
 * its ordinal, a row of the target by file and position, or a remembered event by its ordinal; a delete has none.
 */
final class ValuePlaces {
    /** The place of a fact's values. */
    static final List<String> PLACE = List.of("src", "idx");
    /** Column that numbers remembered events. */
    static final String ORDINAL = "mem";

    private static final int EVENT = -1;
    static final int MEMORY = -2;

    private final PlanContext context;
    private final String existing;
    private final Optional<String> memory;

    /**
     * The places.
     *
     * @param existing the existing rows of touched keys, with values
     * @param memory remembered events numbered by {@link #ORDINAL}, if values of theirs may be asked for
     */
    ValuePlaces(PlanContext context, String existing, Optional<String> memory) {
        this.context = context;
        this.existing = existing;
        this.memory = memory;
    }

    /** The place of an event; NULL if it is a delete. */
    static List<String> ofEvent(String alias) {
        String upsert = "CASE WHEN op = " + EventStaging.UPSERT + " THEN ";
        return List.of(upsert + EVENT + " END AS src", upsert + alias + "." + EventStaging.ORDINAL + " END AS idx");
    }

    /** The place of an existing row. */
    static List<String> ofRow(String alias) {
        return List.of(alias + ".file AS src", alias + ".pos AS idx");
    }

    /** The place of a remembered event. */
    static List<String> ofMemory(String alias) {
        return List.of(MEMORY + " AS src", alias + "." + ORDINAL + " AS idx");
    }

    /** What a delete has in place of a place. */
    static List<String> ofDelete() {
        return List.of("NULL AS src", "NULL AS idx");
    }

    /** A condition: two places are one. */
    static String same(String left, String leftSuffix, String right, String rightSuffix) {
        return left + ".src" + leftSuffix + " = " + right + ".src" + rightSuffix + " AND " + left + ".idx" + leftSuffix
                + " = " + right + ".idx" + rightSuffix;
    }

    /** Expressions of values over an alias {@code v}, by the kind of their place. */
    record Columns(List<String> ofEvents, List<String> ofRows, List<String> ofMemory) {
        /** The whole value columns, which all places have under one name. */
        static Columns whole(PlanContext context) {
            List<String> values = Sql.of("v", context.values);
            return new Columns(values, values, values);
        }

        /** Solid columns and units; a unit that was not authored is NULL. */
        static Columns parts(PlanContext context) {
            List<String> authored = new ArrayList<>(Sql.of("v", context.solids));
            for (int j = 0; j < context.units.size(); j++) {
                authored.add("CASE WHEN v.m" + j + " THEN v.u" + j + " END AS u" + j);
            }
            return new Columns(authored, context.partsOfValues("v"), authored);
        }
    }

    /**
     * Joins values to rows; rows without a place drop out.
     *
     * @param rows SQL with {@link #PLACE}
     * @param handedOn columns of these rows to hand on
     */
    String withValues(String rows, List<String> handedOn, Columns columns) {
        List<String> own = Sql.of("r", handedOn);
        List<String> parts = new ArrayList<>();
        parts.add("SELECT " + Sql.lists(own, columns.ofEvents()) + " FROM (" + rows + ") AS r JOIN "
                + context.inputs.events() + " AS v ON v." + EventStaging.ORDINAL + " = r.idx WHERE r.src = " + EVENT);
        parts.add("SELECT " + Sql.lists(own, columns.ofRows()) + " FROM (" + rows + ") AS r JOIN " + existing
                + " AS v ON v.file = r.src AND v.pos = r.idx WHERE r.src >= 0");
        memory.ifPresent(remembered -> parts.add("SELECT " + Sql.lists(own, columns.ofMemory()) + " FROM (" + rows
                + ") AS r JOIN " + remembered + " AS v ON v." + ORDINAL + " = r.idx WHERE r.src = " + MEMORY));
        return String.join(" UNION ALL ", parts);
    }

    /** A relation of all values: {@link #PLACE} and the whole value columns. */
    String allValues() {
        List<String> values = context.values;
        List<String> parts = new ArrayList<>();
        parts.add("SELECT " + EVENT + " AS src, " + EventStaging.ORDINAL + " AS idx, " + Sql.list(values) + " FROM "
                + context.inputs.events());
        parts.add("SELECT file AS src, pos AS idx, " + Sql.list(values) + " FROM " + existing);
        memory.ifPresent(remembered -> parts.add(
                "SELECT " + MEMORY + " AS src, " + ORDINAL + " AS idx, " + Sql.list(values) + " FROM " + remembered));
        return context.view("all_values", String.join(" UNION ALL ", parts));
    }
}
