package io.tidemark.core.type;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** Times as microseconds since 1970, as engines hold them, for all years that they have; the JDK's own way is narrower. */
public final class EpochMicros {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;

    private EpochMicros() {}

    /**
     * The microseconds of a point in time; smaller parts are cut off.
     *
     * @throws ArithmeticException if they do not fit
     */
    public static long of(Instant time) {
        return Math.addExact(
                Math.multiplyExact(time.getEpochSecond(), MICROS_PER_SECOND), time.getNano() / NANOS_PER_MICRO);
    }

    /** The microseconds of a time without zone, counted as if it were one of UTC. */
    public static long of(LocalDateTime time) {
        return of(time.toInstant(ZoneOffset.UTC));
    }
}
