package io.tidemark.sql.query;

import java.time.Instant;

/** Which version of a table is meant. */
public sealed interface VersionSpec {
    /**
     * {@code VERSION AS OF n} or {@code t@vn}.
     *
     * @param version the version
     */
    record AtVersion(long version) implements VersionSpec {}

    /**
     * {@code TIMESTAMP AS OF '…'} or {@code t@yyyyMMddHHmmssSSS}: the last version that is not younger.
     *
     * @param time the time
     */
    record AtTime(Instant time) implements VersionSpec {}
}
