package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.delta.feed.Bound;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/** Which version of a table is meant. */
public sealed interface VersionSpec {
    /** The number of a version, or a timestamp as in {@code TIMESTAMP AS OF}; nothing if the text is neither. */
    static Optional<VersionSpec> parse(String text, ZoneId zone) {
        if (text.matches("\\d{1,18}")) {
            return Optional.of(new AtVersion(Long.parseLong(text)));
        }
        return Timestamps.parse(text, zone).map(AtTime::new);
    }

    /** The same as an end of a range of versions. */
    Bound bound();

    /** A time in UTC, or in the zone that the text names; nothing if the text is no timestamp. */
    static Optional<Instant> atTime(String text) {
        return Timestamps.parse(text, ZoneOffset.UTC);
    }

    /**
     * {@code VERSION AS OF n} or {@code t@vn}.
     *
     * @param version the version
     */
    record AtVersion(long version) implements VersionSpec {
        @Override
        public Bound bound() {
            return Bound.version(version);
        }
    }

    /**
     * {@code TIMESTAMP AS OF} with an expression, whose value only an engine knows.
     *
     * @param text the expression in Spark SQL
     */
    record AtExpression(QueryText text) implements VersionSpec {
        @Override
        public Bound bound() {
            throw new IllegalStateException("an expression is evaluated before it bounds anything");
        }
    }

    /**
     * {@code TIMESTAMP AS OF '…'} or {@code t@yyyyMMddHHmmssSSS}: the last version that is not younger.
     *
     * @param time the time
     */
    record AtTime(Instant time) implements VersionSpec {
        @Override
        public Bound bound() {
            return Bound.time(time);
        }
    }
}
