package io.tidemark.bench;

import java.util.Locale;

/** What a snapshot is told to do. */
enum SnapshotScenario {
    /** A row changed if its time is later. */
    TIMESTAMP,
    /** A row changed if one of its columns did. */
    CHECK,
    /** The same, and rows whose key is gone are closed. */
    CHECK_INVALIDATE;

    boolean check() {
        return this != TIMESTAMP;
    }

    boolean deletes() {
        return this == CHECK_INVALIDATE;
    }

    /** Its name on the command line and in reports. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
