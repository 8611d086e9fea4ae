package io.tidemark.delta.conflict;

import java.util.Optional;

/**
 * What a commit may assume about commits that came between its reads and itself. Reads are always of one version.
 *
 * <p>Example: a DELETE of all rows with {@code id < 10} has read the table when a plain INSERT adds a row with
 * {@code id = 5}. Under {@link #SERIALIZABLE} the DELETE fails; under {@link #WRITE_SERIALIZABLE} it commits and the
 * new row stays, although the log lists the INSERT first.
 */
public enum IsolationLevel {
    /** The order of the log explains what every commit read and wrote. */
    SERIALIZABLE("Serializable"),
    /** The order of the log explains what was written; plain appends may slip in before commits that did not see them. */
    WRITE_SERIALIZABLE("WriteSerializable"),
    /** Only the files that a commit removes or replaces are protected. For commits that change no data. */
    SNAPSHOT("SnapshotIsolation");

    private final String logName;

    IsolationLevel(String logName) {
        this.logName = logName;
    }

    /** The name in a commit's information and in the table property. */
    public String logName() {
        return logName;
    }

    /** The level that a value of the table property {@code delta.isolationLevel} means; nothing for other values. */
    public static Optional<IsolationLevel> ofProperty(String value) {
        if (value.equalsIgnoreCase(SERIALIZABLE.logName)) {
            return Optional.of(SERIALIZABLE);
        }
        return value.equalsIgnoreCase(WRITE_SERIALIZABLE.logName) ? Optional.of(WRITE_SERIALIZABLE) : Optional.empty();
    }
}
