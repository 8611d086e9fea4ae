package io.tidemark.sql.session;

import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.Transaction;

/** Commits that are tried again when they lose. */
final class Commits {
    private Commits() {}

    /**
     * Commits.
     *
     * @return the new version
     * @throws LostRace if another commit came first; then nothing was done
     */
    static long commit(Transaction transaction) {
        CommitOutcome outcome = transaction.commit();
        if (outcome instanceof CommitOutcome.Rejected rejected) {
            throw new LostRace(rejected);
        }
        return outcome.version();
    }
}
