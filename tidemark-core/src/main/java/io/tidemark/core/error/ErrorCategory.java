package io.tidemark.core.error;

/** Who can mend an error, and whether trying again helps. */
public enum ErrorCategory {
    /** The statement, definition or setting is wrong; the user changes it. */
    USER,
    /** Data or files are not what they must be; nothing was committed. */
    DATA,
    /** Another writer won; a re-run may succeed. */
    CONFLICT,
    /** The world outside failed: file system, permission, disk, memory. */
    EXTERNAL,
    /** An invariant of Tidemark broke: a defect to report. */
    BUG
}
