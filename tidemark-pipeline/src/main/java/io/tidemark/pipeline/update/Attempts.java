package io.tidemark.pipeline.update;

import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;
import io.tidemark.delta.Reruns;
import java.util.Optional;
import java.util.function.Supplier;

/** Re-runs an update that lost to another writer, with growing pauses, until it wins or the attempts are used up. */
final class Attempts {
    private Attempts() {}

    /** How often work that was lost is done again; a cluster that loses more has another fault. */
    private static final int LOSSES_MAX = 3;

    /**
     * What one attempt gave.
     *
     * @param result the result, if the update came to an end
     * @param conflict the commit's outcome, if it lost
     */
    record Attempt<T>(Optional<T> result, Optional<CommitOutcome> conflict) {
        static <T> Attempt<T> done(T result) {
            return new Attempt<>(Optional.of(result), Optional.empty());
        }

        static <T> Attempt<T> lost(CommitOutcome outcome) {
            return new Attempt<>(Optional.empty(), Optional.of(outcome));
        }
    }

    static <T> T run(Supplier<Attempt<T>> body) {
        Reruns reruns = Reruns.within(Reruns.Limits.DEFAULT);
        int losses = 0;
        while (true) {
            Attempt<T> outcome;
            try {
                outcome = body.get();
            } catch (TidemarkException e) {
                // Nothing was committed, and what was computed is gone with a machine: the others can do it.
                if (e.code() != ErrorCode.WORK_LOST || ++losses > LOSSES_MAX) {
                    throw e;
                }
                continue;
            }
            if (outcome.result().isPresent()) {
                return outcome.result().get();
            }
            CommitOutcome lost = outcome.conflict().orElseThrow();
            if (!(lost instanceof CommitOutcome.Rejected) || !reruns.again()) {
                throw failure(lost);
            }
        }
    }

    private static TidemarkException failure(CommitOutcome lost) {
        try {
            long version = lost.version();
            throw new IllegalStateException("a lost commit has version " + version);
        } catch (TidemarkException e) {
            return e;
        }
    }

    /** Whether an error says that another writer won. */
    static boolean isConflict(TidemarkException error) {
        return error.code().category() == ErrorCategory.CONFLICT;
    }
}
