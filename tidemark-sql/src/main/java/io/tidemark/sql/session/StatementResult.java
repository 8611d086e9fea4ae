package io.tidemark.sql.session;

import io.tidemark.core.engine.RowConsumer;
import io.tidemark.core.type.StructType;
import java.util.OptionalLong;

/** What a statement gives. */
public sealed interface StatementResult {
    /**
     * Rows.
     *
     * @param schema names and types of the columns
     * @param rows the rows; can be streamed once, and only until the next statement
     */
    record Rows(StructType schema, RowStream rows) implements StatementResult {}

    /**
     * A change that was made, or that was not necessary.
     *
     * @param message what happened, in one line
     * @param rowCount number of inserted rows, for statements that insert
     */
    record Done(String message, OptionalLong rowCount) implements StatementResult {
        /** A change without a count. */
        static Done of(String message) {
            return new Done(message, OptionalLong.empty());
        }
    }

    /** Rows that are made while they are consumed. */
    @FunctionalInterface
    interface RowStream {
        /** Hands over the rows until the consumer wants no more. Values are those of {@code Engine.stream}. */
        void forEach(RowConsumer consumer);
    }
}
