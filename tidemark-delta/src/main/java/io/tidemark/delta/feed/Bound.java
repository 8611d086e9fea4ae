package io.tidemark.delta.feed;

import java.time.Instant;

/** One end of a range of versions; the version is part of the range. */
public sealed interface Bound {
    /**
     * A version.
     *
     * @param version its number
     */
    record AtVersion(long version) implements Bound {}

    /**
     * A time. As a start it means the first version that is not older, as an end the last one that is not younger.
     *
     * @param time the time
     */
    record AtTime(Instant time) implements Bound {}

    /** The first version since which changes are recorded without a gap, as far as the log still tells it. */
    record AtBeginning() implements Bound {}

    /** A version. */
    static Bound version(long version) {
        return new AtVersion(version);
    }

    /** The first version since which changes are recorded without a gap, as far as the log still tells it. */
    static Bound beginning() {
        return new AtBeginning();
    }

    /** A time. */
    static Bound time(Instant time) {
        return new AtTime(time);
    }
}
