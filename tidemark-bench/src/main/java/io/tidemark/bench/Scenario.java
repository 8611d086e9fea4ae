package io.tidemark.bench;

import java.util.Locale;

/** What a target keeps of its changes. */
enum Scenario {
    /** The latest row of each key. */
    SCD1,
    /** All versions of each key. */
    SCD2,
    /** A new version only when {@code city} or {@code tier} changes. */
    SCD2_TRACKED,
    /** The latest row of each key from events in which NULL means "as it was". */
    PARTIAL,
    /** All versions, and what was believed when. */
    BITEMPORAL;

    /** How the scenario is called on the command line and in reports. */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
