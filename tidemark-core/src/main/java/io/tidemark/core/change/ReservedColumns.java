package io.tidemark.core.change;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.flow.ScdType;
import java.util.ArrayList;
import java.util.List;

/** Columns that Tidemark adds to the targets of change flows. */
public final class ReservedColumns {
    /** Start of a version on the business axis, inclusive. */
    public static final String START_AT = "__START_AT";
    /** End of a version on the business axis, exclusive; NULL while open. */
    public static final String END_AT = "__END_AT";
    /** Start of a belief on the system axis, inclusive. */
    public static final String SYSTEM_START_AT = "__SYSTEM_START_AT";
    /** End of a belief on the system axis, exclusive; NULL while believed. */
    public static final String SYSTEM_END_AT = "__SYSTEM_END_AT";

    private ReservedColumns() {}

    /** The columns that a storage type adds, in the order in which they stand behind the data columns. */
    public static List<String> of(ScdType type) {
        return switch (type) {
            case SCD1 -> List.of();
            case SCD2 -> List.of(START_AT, END_AT);
            case BITEMPORAL -> List.of(START_AT, END_AT, SYSTEM_START_AT, SYSTEM_END_AT);
        };
    }

    /**
     * Engine SQL that says which row of a target is which: the keys, with history also where the row begins. Rows of
     * equal identity before and after a commit are one row that was updated.
     *
     * @param keys names of the key columns
     */
    public static List<String> identity(ScdType type, List<String> keys, Dialect dialect) {
        List<String> identity = new ArrayList<>(keys.stream().map(dialect::name).toList());
        if (type != ScdType.SCD1) {
            identity.add("coalesce(" + dialect.name(START_AT) + ", " + dialect.name(END_AT) + ")");
        }
        if (type == ScdType.BITEMPORAL) {
            identity.add(dialect.name(SYSTEM_START_AT));
        }
        return List.copyOf(identity);
    }

    /**
     * Conditions in engine SQL that cut the rows of a target into current ones and, in files of their own, those that
     * have ended: exactly one holds for each row. Empty if all rows are current.
     */
    public static List<String> separation(ScdType type, Dialect dialect) {
        String end = dialect.name(END_AT);
        String systemEnd = dialect.name(SYSTEM_END_AT);
        return switch (type) {
            case SCD1 -> List.of();
            case SCD2 -> List.of(end + " IS NULL", end + " IS NOT NULL");
            case BITEMPORAL ->
                List.of(
                        end + " IS NULL AND " + systemEnd + " IS NULL",
                        systemEnd + " IS NOT NULL",
                        end + " IS NOT NULL AND " + systemEnd + " IS NULL");
        };
    }

    /** Whether a storage type adds a column of that name, compared without regard to case. */
    public static boolean isReserved(ScdType type, String name) {
        return of(type).stream().anyMatch(name::equalsIgnoreCase);
    }
}
