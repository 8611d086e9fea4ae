package io.tidemark.delta;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.conflict.Conflict;

/** How a commit ended. */
public sealed interface CommitOutcome {
    /**
     * The commit is part of the table.
     *
     * @param version the version that it made
     */
    record Committed(long version) implements CommitOutcome {}

    /**
     * The commit is not part of the table: another one came first and they do not fit together.
     *
     * @param table the table's folder
     * @param conflict which one, and why
     */
    record Rejected(String table, Conflict conflict) implements CommitOutcome {}

    /**
     * It is not known whether the commit is part of the table. The files that it names must not be deleted, and it
     * must not be tried again before the log was searched for its transaction id.
     *
     * @param table the table's folder
     * @param transactionId the id under which the log holds the commit, if it does
     * @param cause what failed
     */
    record Unknown(String table, String transactionId, RuntimeException cause) implements CommitOutcome {}

    /**
     * The version that the commit made.
     *
     * @throws TidemarkException with the conflict's code if it was rejected, with
     *     {@link ErrorCode#COMMIT_STATE_UNKNOWN} if the outcome is unknown
     */
    default long version() {
        if (this instanceof Committed committed) {
            return committed.version();
        }
        if (this instanceof Rejected rejected) {
            throw rejected.conflict().toException(rejected.table());
        }
        Unknown unknown = (Unknown) this;
        throw TidemarkException.of(
                        ErrorCode.COMMIT_STATE_UNKNOWN,
                        "it is not known whether the commit to table " + unknown.table() + " took place")
                .detail("Its transaction id is " + unknown.transactionId() + ".")
                .hint("Look for the id in the table's history before running the operation again.")
                .cause(unknown.cause())
                .build();
    }
}
