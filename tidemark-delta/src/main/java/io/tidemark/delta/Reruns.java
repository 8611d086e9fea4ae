package io.tidemark.delta;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How often work that lost to another writer is run again, and how long it waits before: pauses grow exponentially up to
 * a limit and differ by chance, so that losers do not meet again. One object serves one piece of work.
 */
public final class Reruns {
    private static final long PAUSE_MILLIS_FIRST = 20;
    private static final int DOUBLINGS_MAX = 40;

    private final Limits limits;
    private int runs = 1;

    private Reruns(Limits limits) {
        this.limits = limits;
    }

    /** Counts from the first run. */
    public static Reruns within(Limits limits) {
        return new Reruns(limits);
    }

    /**
     * The limits.
     *
     * @param attempts how many runs there are at most, the first one included
     * @param maxWaitMillis the longest pause between two runs
     */
    public record Limits(int attempts, long maxWaitMillis) {
        /** The usual limits. */
        public static final Limits DEFAULT = new Limits(10, 2_000);

        /** Checks the limits. */
        public Limits {
            if (attempts < 1 || maxWaitMillis < 0) {
                throw new IllegalArgumentException(
                        "there is at least one attempt, and no pause is negative: " + attempts + ", " + maxWaitMillis);
            }
        }
    }

    /** Whether the work may run once more; if so, waits before it returns. */
    public boolean again() {
        if (runs >= limits.attempts() || Thread.currentThread().isInterrupted()) {
            return false;
        }
        pause(longest());
        runs++;
        return !Thread.currentThread().isInterrupted();
    }

    /** How many runs there were. */
    public int runs() {
        return runs;
    }

    private long longest() {
        int doublings = Math.min(runs - 1, DOUBLINGS_MAX);
        return Math.min(limits.maxWaitMillis(), PAUSE_MILLIS_FIRST << doublings);
    }

    private static void pause(long longest) {
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(longest / 2, longest + 1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
