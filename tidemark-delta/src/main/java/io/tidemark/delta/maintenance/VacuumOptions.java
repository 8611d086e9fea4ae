package io.tidemark.delta.maintenance;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How a table's folder is cleaned.
 *
 * @param retention how long files stay that no version needs which is younger; the table's property if absent
 * @param checksRetention whether a retention is refused that is shorter than the table's own
 * @param dryRun whether files are only named
 * @param now the time from which is counted back
 */
public record VacuumOptions(Optional<Duration> retention, boolean checksRetention, boolean dryRun, Instant now) {
    /** The table's own retention. */
    public static VacuumOptions at(Instant now) {
        return new VacuumOptions(Optional.empty(), true, false, now);
    }

    /** With another retention. */
    public VacuumOptions retaining(Duration duration) {
        return new VacuumOptions(Optional.of(duration), checksRetention, dryRun, now);
    }

    /** Without the check that protects running transactions and readers of earlier versions. */
    public VacuumOptions unchecked() {
        return new VacuumOptions(retention, false, dryRun, now);
    }

    /** Naming files only. */
    public VacuumOptions dry() {
        return new VacuumOptions(retention, checksRetention, true, now);
    }
}
