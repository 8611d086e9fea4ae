package io.tidemark.delta.skipping;

import java.util.List;

/**
 * The part of a condition on rows that partition values and statistics can answer. A condition selects a row only if it
 * is true, not if it is NULL. Columns are top-level ones, by their logical names.
 */
public sealed interface FileCondition {
    /** A condition of which nothing is known. */
    record Unknown() implements FileCondition {}

    /** All of the conditions hold. */
    record And(List<FileCondition> conditions) implements FileCondition {
        /** Copies the list. */
        public And {
            conditions = List.copyOf(conditions);
        }
    }

    /** At least one of the conditions holds; none of an empty list does. */
    record Or(List<FileCondition> conditions) implements FileCondition {
        /** Copies the list. */
        public Or {
            conditions = List.copyOf(conditions);
        }
    }

    /**
     * A column compared with a value.
     *
     * @param column name of the column
     * @param operator how
     * @param value BigDecimal for numbers, String, LocalDate, Instant (TIMESTAMP), LocalDateTime (TIMESTAMP_NTZ) or
     *     Boolean; a value that does not fit the column's type tells nothing
     */
    record Comparison(String column, Operator operator, Object value) implements FileCondition {}

    /** A column is NULL, or is not. */
    record NullTest(String column, boolean isNull) implements FileCondition {}

    /** How a column is compared. */
    enum Operator {
        EQUAL,
        NOT_EQUAL,
        LESS,
        LESS_OR_EQUAL,
        GREATER,
        GREATER_OR_EQUAL;

        /** The operator that holds where this one does not, NULL aside. */
        public Operator negated() {
            return switch (this) {
                case EQUAL -> NOT_EQUAL;
                case NOT_EQUAL -> EQUAL;
                case LESS -> GREATER_OR_EQUAL;
                case LESS_OR_EQUAL -> GREATER;
                case GREATER -> LESS_OR_EQUAL;
                case GREATER_OR_EQUAL -> LESS;
            };
        }

        /** The operator for exchanged operands. */
        public Operator mirrored() {
            return switch (this) {
                case EQUAL, NOT_EQUAL -> this;
                case LESS -> GREATER;
                case LESS_OR_EQUAL -> GREATER_OR_EQUAL;
                case GREATER -> LESS;
                case GREATER_OR_EQUAL -> LESS_OR_EQUAL;
            };
        }
    }

    /** The condition that is true where this one is false; nothing is known where this one is not exact. */
    default FileCondition negated() {
        if (this instanceof And and) {
            return new Or(and.conditions().stream().map(FileCondition::negated).toList());
        }
        if (this instanceof Or or) {
            return new And(or.conditions().stream().map(FileCondition::negated).toList());
        }
        if (this instanceof Comparison comparison) {
            return new Comparison(comparison.column(), comparison.operator().negated(), comparison.value());
        }
        if (this instanceof NullTest test) {
            return new NullTest(test.column(), !test.isNull());
        }
        return new Unknown();
    }
}
