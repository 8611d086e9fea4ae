package io.tidemark.sql.session;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;

/** Another writer's commit does not fit with this statement's, which is to run again on the new version. */
final class LostRace extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final TidemarkException conflict;

    LostRace(CommitOutcome.Rejected rejected) {
        super("commit rejected");
        this.conflict = rejected.conflict().toException(rejected.table());
    }

    /** The conflict as an error. */
    TidemarkException conflict() {
        return conflict;
    }
}
