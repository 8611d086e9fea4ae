package io.tidemark.core.change;

import java.util.List;

/** The target's rows of an SCD type 1 flow with their sequences, and what a truncate does to them. */
final class TypeOneRows {
    private final PlanContext context;
    private final boolean rowHasSequence;
    private final boolean remembersSequences;
    private final boolean needsValues;

    /**
     * The rows.
     *
     * @param needsValues whether the existing rows are wanted with their values
     */
    TypeOneRows(PlanContext context, boolean needsValues) {
        this.context = context;
        this.needsValues = needsValues;
        this.rowHasSequence = context.spec.needsTargetSequence();
        this.remembersSequences = context.spec.remembersSequences();
    }

    /** Keeps the existing rows of touched keys, without those that this update's truncate wipes. */
    String existing(String touched) {
        String all = needsValues
                ? context.existingRows(touched, ownSequence())
                : context.existingPlaces(touched, ownSequence());
        context.checkTarget(
                "SELECT " + Sql.list(context.keys) + " FROM " + all + " GROUP BY " + Sql.list(context.keys)
                        + " HAVING count(*) > 1",
                "that stand twice");
        if (!context.inputs.newTruncation()) {
            return all;
        }
        String wiped = context.materialize("wiped", wiped());
        return context.materialize(
                "standing",
                "SELECT e.* FROM " + all + " AS e LEFT JOIN " + wiped
                        + " AS w ON e.file = w.file AND e.pos = w.pos WHERE w.file IS NULL");
    }

    /** Rows by other writers in internal columns. */
    String manual(String relation) {
        return context.targetRows(relation, ownSequence(), false);
    }

    /** The positions to delete: the given ones and those that the truncate wipes. */
    String deleted(String decided) {
        return context.inputs.newTruncation()
                ? decided + " UNION ALL SELECT file, pos FROM " + context.relation("wiped")
                : decided;
    }

    /** A relation whose rows count the keys that vanish: deleted ones, and wiped ones that no event brings back. */
    String vanished(String decided, String deletedCondition) {
        String gone = "SELECT " + Sql.list(context.keys) + " FROM " + decided + " WHERE " + deletedCondition;
        if (!context.inputs.newTruncation()) {
            return "(" + gone + ") AS v";
        }
        String back = "SELECT " + Sql.list(context.keys) + ", 1 AS there FROM " + context.relation("back");
        return "(" + gone + " UNION ALL SELECT " + Sql.list(Sql.of("w", context.keys)) + " FROM "
                + context.relation("wiped") + " AS w LEFT JOIN (" + back + ") AS i ON "
                + Sql.equal(Sql.of("w", context.keys), Sql.of("i", context.keys)) + " WHERE i.there IS NULL) AS v";
    }

    /** Names the keys that this update inserts, which {@link #vanished} needs after a truncate. */
    void comingBack(String keysSql) {
        if (context.inputs.newTruncation()) {
            context.view("back", keysSql);
        }
    }

    private List<String> ownSequence() {
        if (!rowHasSequence) {
            return List.of();
        }
        List<String> leaves =
                context.spec.sequenceShape().split(context.column("t", PlanInputs.SEQUENCE), context.dialect);
        return Sql.as(leaves, context.sequence);
    }

    /** Rows of the whole table whose sequence is below the truncate's, and rows by hand without one. */
    private String wiped() {
        List<String> keys = context.keys;
        String rows = context.targetRows(context.inputs.target(), ownSequence(), true);
        String before = "(" + Sql.allNull(context.sequence) + " OR NOT " + context.survives(context.sequence) + ")";
        if (!remembersSequences) {
            return "SELECT " + Sql.list(keys) + ", file, pos FROM (" + rows + ") AS r WHERE " + before;
        }
        List<String> sequence = rowHasSequence
                ? Sql.each(context.sequence, leaf -> "CASE WHEN l.told = 1 THEN l." + leaf + " ELSE r." + leaf + " END")
                : Sql.of("l", context.sequence);
        String latest = "SELECT *, 1 AS told FROM (" + context.latestSequences() + ") AS q";
        String old = "(" + Sql.allNull(sequence) + " OR NOT " + context.survives(sequence) + ")";
        return "SELECT " + Sql.list(Sql.of("r", keys)) + ", r.file, r.pos FROM (" + rows + ") AS r LEFT JOIN (" + latest
                + ") AS l ON " + Sql.equal(Sql.of("r", keys), Sql.of("l", keys)) + " WHERE " + old;
    }
}
