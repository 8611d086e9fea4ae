package io.tidemark.testkit;

import java.util.Random;

/**
 * Random tests that can be repeated: every case has a seed of its own, a failure names it, and
 * {@code -Dtidemark.seed=N} runs that case alone.
 */
public final class Seeded {
    /** System property with the only seed to run. */
    public static final String SEED_PROPERTY = "tidemark.seed";

    private Seeded() {}

    /** A case of a random test. */
    @FunctionalInterface
    public interface Case {
        /**
         * Runs the case.
         *
         * @param random generator with the case's seed
         * @param seed the seed
         * @throws Exception on failure
         */
        void run(Random random, long seed) throws Exception;
    }

    /**
     * Runs cases with consecutive seeds.
     *
     * @param firstSeed seed of the first case
     * @param cases how many
     * @param body the case
     * @throws AssertionError naming the seed, with the failure as its cause
     */
    public static void run(long firstSeed, int cases, Case body) {
        Long only = Long.getLong(SEED_PROPERTY);
        long from = only == null ? firstSeed : only;
        int count = only == null ? cases : 1;
        for (int i = 0; i < count; i++) {
            long seed = from + i;
            try {
                body.run(new Random(seed), seed);
            } catch (Exception | AssertionError failure) {
                throw new AssertionError(
                        "failed with seed " + seed + "; repeat with -D" + SEED_PROPERTY + "=" + seed + "\n"
                                + failure.getMessage(),
                        failure);
            }
        }
    }
}
