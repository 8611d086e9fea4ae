package io.tidemark.compile;

import io.tidemark.compile.catalog.Candidates;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.catalog.Dependency;
import io.tidemark.compile.catalog.PayloadStager;
import io.tidemark.compile.catalog.Publication;
import io.tidemark.compile.catalog.PublishMode;
import io.tidemark.compile.catalog.PublishReport;
import io.tidemark.compile.catalog.StateDraft;
import io.tidemark.compile.state.StateShape;
import io.tidemark.compile.state.StateTable;
import io.tidemark.compile.work.LocalRunner;
import io.tidemark.compile.work.PartitionRunner;
import io.tidemark.compile.work.Relations;
import io.tidemark.delta.CrashPoints;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** One run of a driver: its tasks in order, and one commit. */
final class DriverRun {
    private final Driver driver;
    private final Plan plan;
    private final Job job;
    private final CatalogVersion base;
    private final Map<String, String> fingerprints = new LinkedHashMap<>();
    private final Map<String, Decisions.Decision> decided = new HashMap<>();
    private final Map<String, TaskResult> results = new LinkedHashMap<>();
    private final Map<String, PublishMode> modes = new LinkedHashMap<>();

    DriverRun(Driver driver, Plan plan) {
        this.driver = driver;
        this.plan = plan;
        this.job = plan.job();
        this.base = plan.base();
    }

    RunReport run() {
        try (Relations relations = new Relations(driver.engine());
                LocalRunner runner =
                        new LocalRunner(driver.engine(), driver.settings().threads());
                PayloadStager stager =
                        driver.output().stager(base, driver.settings().scratch())) {
            RunSources sources = RunSources.of(driver, job, base, plan.inputs());
            RunInputs inputs = new RunInputs(relations, sources.sources(), driver.tasks());
            Decisions decisions = new Decisions(driver, job, base, plan.inputs(), sources, inputs, relations);
            StateDraft draft = driver.output().draftState(base);
            for (Task task : driver.tasks()) {
                run(task, decisions, context(task, relations, runner, inputs, stager), draft);
            }
            PublishReport published = publish(relations, draft);
            return new RunReport(published.version(), published.committed(), reports(published), inputs.queries());
        }
    }

    private TaskContext context(
            Task task, Relations relations, PartitionRunner runner, RunInputs inputs, PayloadStager stager) {
        return new TaskContext(
                task,
                relations,
                runner,
                inputs,
                stager,
                base.layers(),
                false,
                driver.settings().doubleRuns(),
                OptionalLong.empty());
    }

    private void run(Task task, Decisions decisions, TaskContext given, StateDraft draft) {
        fingerprints.put(task.id(), decisions.fingerprint(task).text());
        Decisions.Decision decision = decisions.decide(task);
        if (decision.mode() == Mode.INCREMENTAL && decisions.isLimited()) {
            decision = decisions.limited(decision, decisions.affected(task), decisions.all(task));
        }
        decided.put(task.id(), decision);
        TaskContext context = given.withChanged(decision.changed());
        Verification verification = new Verification(driver.output(), base, context);
        if (decision.mode() == Mode.SKIP) {
            if (job.isVerified()) {
                verification.skipped(this::execute);
            }
            return;
        }
        boolean full = decision.mode() == Mode.FULL;
        TaskState state = full
                ? TaskState.empty(context.relations(), task.id())
                : TaskState.at(context.relations(), driver.output(), base, task.id());
        TaskResult result = execute(context, state, full);
        boolean verified = job.isVerified() && !full;
        if (verified || driver.order().isRead(task)) {
            Difference difference =
                    Difference.of(context.relations(), driver.output(), base, task, result.candidates(), full);
            if (verified) {
                verification.incremental(this::execute, result, difference);
            }
            task.outputs()
                    .forEach(layer -> context.inputs().made(layer, difference.ofLayer(context.relations(), layer)));
        }
        task.outputs().forEach(layer -> modes.put(layer, full ? PublishMode.SNAPSHOT : PublishMode.INCREMENTAL));
        results.put(task.id(), result);
        write(task, result, full, draft);
    }

    /** Runs a task's functions. */
    private TaskResult execute(TaskContext given, TaskState state, boolean full) {
        TaskContext context = given.inFull(full);
        Pattern pattern = context.task().pattern();
        if (pattern instanceof Pattern.Whole whole) {
            return new WholeRun(context, whole).run();
        }
        if (pattern instanceof Pattern.Dependencies dependencies) {
            return new DependencyRun(context, dependencies, state).run();
        }
        if (pattern instanceof Pattern.WithIntermediates<?> values) {
            return new ContributionRun<>(context, values, state).run();
        }
        throw new IllegalStateException("no pattern " + pattern.name());
    }

    private static void write(Task task, TaskResult result, boolean full, StateDraft draft) {
        Set<StateShape> written = new HashSet<>();
        for (TaskResult.StateStep step : result.state()) {
            written.add(step.table().shape());
            if (full) {
                step.table().replace(draft, step.fresh());
            } else {
                step.table().write(draft, step.old(), step.fresh());
            }
        }
        for (StateShape shape : TaskState.SHAPES) {
            if (!written.contains(shape)) {
                draft.remove(StateTable.name(task.id(), shape));
            }
        }
    }

    private PublishReport publish(Relations relations, StateDraft draft) {
        // The state of tasks that are not there any more would be that of an older input.
        for (String recorded : base.fingerprints().keySet()) {
            if (!fingerprints.containsKey(recorded)) {
                TaskState.SHAPES.forEach(shape -> draft.remove(StateTable.name(recorded, shape)));
            }
        }
        List<Dependency> dependencies = dependencies();
        boolean nothing = results.isEmpty()
                && fingerprints.equals(base.fingerprints())
                && moved(dependencies).isEmpty();
        if (nothing) {
            return new PublishReport(base, false, Map.of());
        }
        CrashPoints.reach(Driver.BEFORE_COMMIT);
        Publication publication = driver.output()
                .publish(base)
                .dependencies(dependencies)
                .fingerprints(fingerprints)
                .settingOfNumber(Decisions.COMPILED)
                .state(draft);
        if (!results.isEmpty()) {
            String columns = String.join(", ", Candidates.COLUMNS.names());
            String name = relations.fresh("all_candidates");
            driver.engine()
                    .createView(
                            name,
                            results.values().stream()
                                    .map(result -> "SELECT " + columns + " FROM " + result.candidates())
                                    .collect(Collectors.joining(" UNION ALL ")));
            relations.adopt(name);
            publication.candidates(name, modes);
        }
        return publication.commit(driver.engine());
    }

    /** What the output is made from, directly and through its inputs. */
    private List<Dependency> dependencies() {
        List<Dependency> all = new ArrayList<>();
        plan.inputs().forEach((id, version) -> all.add(new Dependency(id, version.number(), true)));
        if (driver.tasks().stream().anyMatch(task -> task.inputLayers().containsKey(Task.FEEDBACK))) {
            all.add(new Dependency(Task.FEEDBACK, base.number(), true));
        }
        plan.inputs()
                .forEach((id, version) -> version.dependencies()
                        .forEach(each -> all.add(new Dependency(id + "/" + each.catalog(), each.version(), false))));
        return all;
    }

    /** The inputs whose recorded version changes. The output's own version always does, and is no reason for a new one. */
    private List<Dependency> moved(List<Dependency> dependencies) {
        return dependencies.stream()
                .filter(each -> each.direct() && !each.catalog().equals(Task.FEEDBACK))
                .filter(each -> base.dependency(each.catalog())
                        .filter(before -> before.version() == each.version())
                        .isEmpty())
                .toList();
    }

    private List<RunReport.TaskReport> reports(PublishReport published) {
        List<RunReport.TaskReport> reports = new ArrayList<>();
        for (Task task : driver.tasks()) {
            Decisions.Decision decision = Objects.requireNonNull(decided.get(task.id()));
            TaskResult result = results.get(task.id());
            PublishReport.Counters counters = task.outputs().stream()
                    .map(layer -> published.layers().getOrDefault(layer, PublishReport.Counters.NONE))
                    .reduce(PublishReport.Counters.NONE, PublishReport.Counters::plus);
            reports.add(new RunReport.TaskReport(
                    task.id(),
                    decision.mode(),
                    decision.reason(),
                    decision.detail(),
                    decision.changed(),
                    result == null ? 0 : result.subjects(),
                    result == null ? 0 : result.compileIn(),
                    result == null ? 0 : result.compileOut(),
                    counters));
        }
        return reports;
    }
}
