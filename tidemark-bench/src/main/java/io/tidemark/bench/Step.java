package io.tidemark.bench;

import java.util.Locale;

/** What is measured, in this order on one table. */
enum Step {
    /** All keys into an empty table. */
    LOAD,
    /** A fifth as many events as there are keys, spread over the table. */
    BIG,
    /** A five-hundredth as many events, spread over the table. */
    SMALL,
    /** As many events as the small step, onto neighbouring keys. */
    LOCAL,
    /** An update that finds nothing new. */
    NOTHING,
    /** One row is changed by an UPDATE statement; the table has been compared before. */
    UPDATE_ONE,
    /** The changes of all updates but the load are read from the change data feed. */
    CHANGES;

    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
