// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.math.BigDecimal;
import java.util.List;
import java.util.Random;

/** Seeded random choices; {@link Random} is specified to give the same sequence everywhere. */
final class Dice {

    private final Random random;

    Dice(long seed) {
        this.random = new Random(seed);
    }

    /** A whole number from {@code low} to {@code high}, both included. */
    int between(int low, int high) {
        return low + random.nextInt(high - low + 1);
    }

    /** A number from 0, included, to 1, excluded. */
    double fraction() {
        return random.nextDouble();
    }

    boolean percent(double chance) {
        return random.nextDouble() * 100 < chance;
    }

    <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** A decimal with exactly {@code scale} digits after the point. */
    BigDecimal decimal(int low, int high, int scale) {
        long factor = BigDecimal.TEN.pow(scale).longValueExact();
        long span = (high - (long) low) * factor;
        long unscaled = low * factor + (long) (random.nextDouble() * span);
        return BigDecimal.valueOf(unscaled, scale);
    }
}
