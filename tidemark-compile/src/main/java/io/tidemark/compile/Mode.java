package io.tidemark.compile;

/** How much of a task runs. */
public enum Mode {
    /** Nothing: no input of the task has changed. */
    SKIP,
    /** What a change can reach. */
    INCREMENTAL,
    /** Everything; the result is published as a snapshot. */
    FULL
}
