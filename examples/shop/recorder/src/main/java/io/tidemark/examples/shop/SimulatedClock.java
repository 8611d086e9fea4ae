// SPDX-License-Identifier: Apache-2.0
package io.tidemark.examples.shop;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/** The shop's own time, which has nothing to do with the machine's clock. */
final class SimulatedClock {

    private final Dice dice;
    private Instant now = Instant.parse("2025-01-06T08:00:00Z");

    SimulatedClock(Dice dice) {
        this.dice = dice;
    }

    /** Lets up to five minutes pass. */
    void tick() {
        now = now.truncatedTo(ChronoUnit.SECONDS).plusSeconds(dice.between(1, 300));
        if (dice.percent(40)) {
            now = now.plus(dice.between(1, 999_999), ChronoUnit.MICROS);
        }
    }

    OffsetDateTime now() {
        return now.atOffset(ZoneOffset.UTC);
    }

    OffsetDateTime wholeHour(int hoursFromNow) {
        return now.truncatedTo(ChronoUnit.HOURS).plus(Duration.ofHours(hoursFromNow)).atOffset(ZoneOffset.UTC);
    }

    /** The reading of the clock on the shop's wall, one hour ahead of UTC. */
    LocalDateTime local() {
        return LocalDateTime.ofInstant(now, ZoneOffset.ofHours(1));
    }

    LocalDate today() {
        return local().toLocalDate();
    }
}
