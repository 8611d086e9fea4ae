package io.tidemark.compile;

import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.PublishReport;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What a run did.
 *
 * @param version the version of the output afterwards: the new one, or the base if there was nothing to commit
 * @param committed whether there is a new version
 * @param tasks what each task did, in the order in which they ran
 * @param queries what was asked of the input catalogs
 */
public record RunReport(CatalogVersion version, boolean committed, List<TaskReport> tasks, List<InputQuery> queries) {
    /** Copies the lists. */
    public RunReport {
        tasks = List.copyOf(tasks);
        queries = List.copyOf(queries);
    }

    /** The report of a task. */
    public Optional<TaskReport> task(String id) {
        return tasks.stream().filter(task -> task.task().equals(id)).findFirst();
    }

    /** A table for people: one line for each task, then the version. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (TaskReport task : tasks) {
            text.append(task).append('\n');
        }
        return text.append(committed ? "committed version " : "nothing to commit; version ")
                .append(version.number())
                .toString();
    }

    /**
     * What a task did.
     *
     * @param task its id
     * @param mode how much of it ran
     * @param reason why
     * @param detail more about the reason; may be empty
     * @param changed input partitions that have changed; 0 in a full run
     * @param affected input partitions that were affected
     * @param compileIn calls of the front end whose result counts
     * @param compileOut calls of the back end whose result counts
     * @param published what became of its output partitions
     */
    public record TaskReport(
            String task,
            Mode mode,
            Reason reason,
            String detail,
            long changed,
            long affected,
            long compileIn,
            long compileOut,
            PublishReport.Counters published) {
        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s: %s, %s%s; changed %d, affected %d, compiled in %d, out %d; added %d, changed %d, deleted %d,"
                            + " unchanged %d, %d bytes",
                    task,
                    mode,
                    reason,
                    detail.isEmpty() ? "" : " (" + detail + ")",
                    changed,
                    affected,
                    compileIn,
                    compileOut,
                    published.added(),
                    published.changed(),
                    published.deleted(),
                    published.unchanged(),
                    published.bytes());
        }
    }

    /**
     * A question to an input catalog.
     *
     * @param catalog its id
     * @param kind what was asked
     * @param layers for which layers
     */
    public record InputQuery(String catalog, Kind kind, List<String> layers) {
        /** Copies the list. */
        public InputQuery {
            layers = List.copyOf(layers);
        }

        /** What is asked. */
        public enum Kind {
            /** All partitions of a version, without payloads. */
            PARTITIONS,
            /** The net changes between two versions. */
            CHANGES
        }
    }
}
