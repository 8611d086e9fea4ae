package io.tidemark.compile;

/** Why a task runs in its mode. */
public enum Reason {
    /** {@link Mode#SKIP}: no net change in the task's input layers. */
    NO_CHANGE,
    /** {@link Mode#INCREMENTAL}: input partitions have changed. */
    INPUT_CHANGED,
    /** {@link Mode#FULL}: the output catalog is empty. */
    EMPTY_OUTPUT,
    /** {@link Mode#FULL}: the output has no state of this task. */
    NO_STATE,
    /** {@link Mode#FULL}: the job asks for it. */
    REQUESTED,
    /** {@link Mode#FULL}: what besides the input decides the output is another; the detail says what. */
    FINGERPRINT,
    /** {@link Mode#FULL}: the output was made from another input version than the job starts from. */
    DEPENDENCY_MISMATCH,
    /** {@link Mode#FULL}: an input went back to an older version. */
    INPUT_WENT_BACK,
    /** {@link Mode#FULL}: the changes of an input are no longer known. */
    CHANGES_UNAVAILABLE,
    /** {@link Mode#FULL}: somebody else has changed the task's output layers. */
    OUTPUT_CHANGED,
    /** {@link Mode#FULL}: the job forbids incremental runs. */
    INCREMENTAL_DISABLED,
    /** {@link Mode#FULL}: the task's pattern knows no other mode. */
    PATTERN,
    /** {@link Mode#FULL}: a change reaches more of the input than the job allows for an incremental run. */
    TOO_MUCH_DIRTY
}
