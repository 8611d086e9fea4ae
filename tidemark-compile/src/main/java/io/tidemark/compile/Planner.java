package io.tidemark.compile;

import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.work.Relations;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Makes plans: relations are counted, and no function of a task is called. */
final class Planner {
    private final Driver driver;
    private final Job job;
    private final CatalogVersion base;
    private final Map<String, CatalogVersion> versions;

    Planner(Driver driver, Job job, CatalogVersion base, Map<String, CatalogVersion> versions) {
        this.driver = driver;
        this.job = job;
        this.base = base;
        this.versions = versions;
    }

    Plan plan() {
        List<Plan.PlannedTask> planned = new ArrayList<>();
        Set<Task> mayChange = new HashSet<>();
        try (Relations relations = new Relations(driver.engine())) {
            RunSources sources = RunSources.of(driver, job, base, versions);
            RunInputs inputs = new RunInputs(relations, sources.sources(), driver.tasks());
            Decisions decisions = new Decisions(driver, job, base, versions, sources, inputs, relations);
            for (Task task : driver.tasks()) {
                List<String> after = driver.order().before(task).stream()
                        .filter(mayChange::contains)
                        .map(Task::id)
                        .toList();
                Plan.PlannedTask each = plan(task, decisions, after);
                if (each.mode() != Mode.SKIP || !after.isEmpty()) {
                    mayChange.add(task);
                }
                planned.add(each);
            }
        }
        return new Plan(job, base, versions, planned);
    }

    private static Plan.PlannedTask plan(Task task, Decisions decisions, List<String> after) {
        Decisions.Decision decision = decisions.decide(task);
        long affected = 0;
        if (decision.mode() == Mode.INCREMENTAL) {
            affected = decisions.affected(task);
            decision = decisions.limited(decision, affected, decisions.all(task));
        }
        if (decision.mode() == Mode.FULL) {
            affected = decisions.all(task);
        }
        return new Plan.PlannedTask(
                task.id(), decision.mode(), decision.reason(), decision.detail(), decision.changed(), affected, after);
    }
}
