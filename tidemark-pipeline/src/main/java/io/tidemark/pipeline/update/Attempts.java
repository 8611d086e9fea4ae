package io.tidemark.pipeline.update;

import io.tidemark.core.error.ErrorCategory;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitOutcome;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Re-runs an update that lost to another writer, with growing pauses, until it wins or the attempts are used up. */
final class Attempts {
    private static final int ATTEMPTS_MAX = 12;
    private static final long PAUSE_MILLIS_MIN = 20;
    private static final long PAUSE_MILLIS_MAX = 2_000;

    private Attempts() {}

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
        for (int attempt = 1; ; attempt++) {
            Attempt<T> outcome = body.get();
            if (outcome.result().isPresent()) {
                return outcome.result().get();
            }
            CommitOutcome lost = outcome.conflict().orElseThrow();
            if (attempt == ATTEMPTS_MAX || !(lost instanceof CommitOutcome.Rejected)) {
                throw failure(lost);
            }
            pause(attempt);
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

    private static void pause(int attempt) {
        long longest = Math.min(PAUSE_MILLIS_MAX, PAUSE_MILLIS_MIN << Math.min(attempt, 10));
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(PAUSE_MILLIS_MIN, longest + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
