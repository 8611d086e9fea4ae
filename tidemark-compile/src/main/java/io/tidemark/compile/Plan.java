package io.tidemark.compile;

import io.tidemark.compile.catalog.CatalogVersion;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What a run will do, found out without running any function. The versions that it names are those that will be used. */
public final class Plan {
    private final Job job;
    private final CatalogVersion base;
    private final Map<String, CatalogVersion> inputs;
    private final List<PlannedTask> tasks;

    Plan(Job job, CatalogVersion base, Map<String, CatalogVersion> inputs, List<PlannedTask> tasks) {
        this.job = job;
        this.base = base;
        this.inputs = java.util.Collections.unmodifiableMap(new TreeMap<>(inputs));
        this.tasks = List.copyOf(tasks);
    }

    /**
     * What a task will do.
     *
     * @param task its id
     * @param mode how much of it will run
     * @param reason why
     * @param detail more about the reason; may be empty
     * @param changed input partitions that have changed
     * @param affected input partitions that the change reaches by what is known before functions run; in a full run all
     * @param after tasks that run before and may change an input of this one; if there are any, mode and numbers do not
     *     count what those will change
     */
    public record PlannedTask(
            String task, Mode mode, Reason reason, String detail, long changed, long affected, List<String> after) {
        /** Copies the list. */
        public PlannedTask {
            after = List.copyOf(after);
        }

        @Override
        public String toString() {
            return String.format(
                    Locale.ROOT,
                    "%s: %s, %s%s; changed %d, affected %d%s",
                    task,
                    mode,
                    reason,
                    detail.isEmpty() ? "" : " (" + detail + ")",
                    changed,
                    affected,
                    after.isEmpty() ? "" : "; and what " + String.join(", ", after) + " will change");
        }
    }

    /** The version of the output that the run starts from. */
    public CatalogVersion base() {
        return base;
    }

    /** The versions of the inputs that are read, by the ids under which they are bound. */
    public Map<String, CatalogVersion> inputs() {
        return inputs;
    }

    /** The tasks in the order in which they will run. */
    public List<PlannedTask> tasks() {
        return tasks;
    }

    /** The plan of a task. */
    public Optional<PlannedTask> task(String id) {
        return tasks.stream().filter(task -> task.task().equals(id)).findFirst();
    }

    Job job() {
        return job;
    }

    /** A table for people: one line for each task, then the versions. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (PlannedTask task : tasks) {
            text.append(task).append('\n');
        }
        text.append("output version ").append(base.number()).append(", inputs");
        inputs.forEach((id, version) -> text.append(' ').append(id).append('@').append(version.number()));
        return text.toString();
    }
}
