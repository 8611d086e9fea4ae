package io.tidemark.delta;

/**
 * Named places at which a test can end the process, as a power failure would: set the system property
 * {@code tidemark.crashAt} to a name. Other modules call {@link #reach} with names of their own.
 */
public final class CrashPoints {
    /** The system property that names the point. */
    public static final String PROPERTY = "tidemark.crashAt";

    /** Before deletion vectors are written. */
    public static final String BEFORE_VECTOR_WRITE = "delta.before-vector-write";

    /** After deletion vectors were written and before the log entry is. */
    public static final String AFTER_VECTOR_WRITE = "delta.after-vector-write";

    /** Before the log entry is written. */
    public static final String BEFORE_LOG_WRITE = "delta.before-log-write";

    /** After the log entry was written. */
    public static final String AFTER_LOG_WRITE = "delta.after-log-write";

    /** Before a checkpoint is written. */
    public static final String BEFORE_CHECKPOINT = "delta.before-checkpoint";

    /** After a checkpoint was written. */
    public static final String AFTER_CHECKPOINT = "delta.after-checkpoint";

    /** What a shell reports for a killed process. */
    private static final int EXIT_STATUS = 137;

    private CrashPoints() {}

    /** Ends the process at once, without any clean-up, if the point is the one that is asked for. */
    public static void reach(String point) {
        if (point.equals(System.getProperty(PROPERTY))) {
            Runtime.getRuntime().halt(EXIT_STATUS);
        }
    }
}
