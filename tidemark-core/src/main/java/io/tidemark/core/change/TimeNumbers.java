package io.tidemark.core.change;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One time axis of a bitemporal table as numbers, for the reducer: the times themselves if the engine can turn their type
 * into a number and back, else their ranks within the key. Times in numbers come back by themselves; of ranks the reducer
 * tells facts that bear the times, which are joined.
 */
final class TimeNumbers {
    private final PlanContext context;
    private final List<String> leaves;
    private final SequenceShape shape;
    private final boolean plain;

    /**
     * An axis.
     *
     * @param leaves names of the time's leaves in facts
     */
    TimeNumbers(PlanContext context, List<String> leaves, SequenceShape shape) {
        this.context = context;
        this.leaves = leaves;
        this.shape = shape;
        this.plain = leaves.size() == 1
                && context.dialect.orderNumber(leaves.get(0), type()).isPresent();
    }

    /** Whether the numbers are the times. */
    boolean isPlain() {
        return plain;
    }

    private DataType type() {
        return shape.leafTypes().get(0);
    }

    /** The number of the time of a fact. */
    String number(String fact) {
        List<String> columns = Sql.of(fact, leaves);
        Optional<String> number = plain ? context.dialect.orderNumber(columns.get(0), type()) : Optional.empty();
        return number.orElse("dense_rank() OVER (PARTITION BY " + fact + "." + PlanContext.KEY_NUMBER + " ORDER BY "
                + Sql.ascending(columns) + ")");
    }

    /** Leaves of a time that a row of the reducer always tells. */
    List<String> told(String column, String joined) {
        if (!plain) {
            return Sql.of(joined, leaves);
        }
        // The least BIGINT stands for NULL in the reducer; no time is NULL.
        boolean holdsLeast = type() == ScalarType.LONG;
        String number = holdsLeast ? "COALESCE(" + column + ", -9223372036854775807 - 1)" : column;
        return List.of(context.dialect.ofOrderNumber(number, type()));
    }

    /** Leaves of a time that is NULL where it is open. It is later than another one, so it is not the least BIGINT. */
    List<String> toldOrOpen(String column, String joined) {
        return plain ? List.of(context.dialect.ofOrderNumber(column, type())) : Sql.of(joined, leaves);
    }

    /** Joins the facts that {@link #told} needs. */
    String joins(String facts, String fromColumn, String from, String toColumn, String to) {
        if (plain) {
            return "";
        }
        List<String> joins = new ArrayList<>();
        joins.add(" JOIN " + facts + " AS " + from + " ON " + from + ".rid = " + fromColumn);
        joins.add(" LEFT JOIN " + facts + " AS " + to + " ON " + to + ".rid = " + toColumn);
        return String.join("", joins);
    }
}
