package io.tidemark.compile;

import io.tidemark.compile.catalog.Catalog;
import io.tidemark.compile.catalog.CatalogVersion;
import io.tidemark.compile.state.StateTable;
import io.tidemark.compile.work.Relations;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Decides how much of each task runs. The fingerprint is looked at before the input: other code may find other things. */
final class Decisions {
    /** Setting of the output catalog with the version that a driver made last. */
    static final String COMPILED = "compiledVersion";

    private final Driver driver;
    private final Job job;
    private final CatalogVersion base;
    private final Map<String, CatalogVersion> versions;
    private final RunSources sources;
    private final RunInputs inputs;
    private final Relations relations;

    Decisions(
            Driver driver,
            Job job,
            CatalogVersion base,
            Map<String, CatalogVersion> versions,
            RunSources sources,
            RunInputs inputs,
            Relations relations) {
        this.driver = driver;
        this.job = job;
        this.base = base;
        this.versions = versions;
        this.sources = sources;
        this.inputs = inputs;
        this.relations = relations;
    }

    /**
     * What a task does.
     *
     * @param changed input partitions with a net change; 0 if that was not asked
     */
    record Decision(Mode mode, Reason reason, String detail, long changed) {
        static Decision full(Reason reason, String detail) {
            return new Decision(Mode.FULL, reason, detail, 0);
        }
    }

    TaskFingerprint fingerprint(Task task) {
        return TaskFingerprint.of(task, versions, driver.fixedVersions(), base);
    }

    /** Decides on a task; those that run before it have run, or are not counted. */
    Decision decide(Task task) {
        if (base.isEmpty()) {
            return Decision.full(Reason.EMPTY_OUTPUT, "");
        }
        String recorded = base.fingerprints().get(task.id());
        if (recorded == null || (base.stateManifest().isEmpty() && !(task.pattern() instanceof Pattern.Whole))) {
            return Decision.full(Reason.NO_STATE, "");
        }
        if (job.isReprocess()) {
            return Decision.full(Reason.REQUESTED, "");
        }
        List<String> different = fingerprint(task).differencesTo(recorded);
        if (!different.isEmpty()) {
            return Decision.full(Reason.FINGERPRINT, String.join(", ", different));
        }
        for (String id : task.inputLayers().keySet()) {
            RunSources.Problem problem = sources.problems().get(id);
            if (problem != null) {
                return Decision.full(problem.reason(), problem.detail());
            }
        }
        if (isOutputForeign(task)) {
            return Decision.full(Reason.OUTPUT_CHANGED, "");
        }
        try {
            long changed = relations.count("(" + inputs.changedKeys(task.inputLayers()) + ")");
            return decide(task, changed);
        } catch (TidemarkException e) {
            if (e.code() != ErrorCode.CHANGES_UNAVAILABLE) {
                throw e;
            }
            return Decision.full(Reason.CHANGES_UNAVAILABLE, e.primary());
        }
    }

    private Decision decide(Task task, long changed) {
        if (changed == 0) {
            return new Decision(Mode.SKIP, Reason.NO_CHANGE, "", 0);
        }
        if (!job.isIncremental()) {
            return new Decision(Mode.FULL, Reason.INCREMENTAL_DISABLED, "", changed);
        }
        if (task.pattern() instanceof Pattern.Whole) {
            return new Decision(Mode.FULL, Reason.PATTERN, "", changed);
        }
        return new Decision(Mode.INCREMENTAL, Reason.INPUT_CHANGED, "", changed);
    }

    /**
     * Changes an incremental decision if the change affects more than the job allows.
     *
     * @param affected input partitions that are affected by what is known before functions run
     * @param all all input partitions that are compiled
     */
    Decision limited(Decision decision, long affected, long all) {
        if (decision.mode() == Mode.INCREMENTAL && affected > job.dirtyShareMax() * all) {
            return new Decision(Mode.FULL, Reason.TOO_MUCH_DIRTY, affected + " of " + all, decision.changed());
        }
        return decision;
    }

    boolean isLimited() {
        return job.dirtyShareMax() < 1;
    }

    /** Whether somebody else has published the task's layers since the last run: then the state says nothing of them. */
    private boolean isOutputForeign(Task task) {
        long compiled = Long.parseLong(base.configuration().getOrDefault(COMPILED, "0"));
        if (compiled == base.number()) {
            return false;
        }
        String raw = relations.fresh("foreign");
        try {
            Catalog output = driver.output();
            output.registerChanges(relations.engine(), raw, output.version(compiled), base, task.outputs());
        } catch (TidemarkException e) {
            if (e.code() == ErrorCode.CHANGES_UNAVAILABLE || e.code() == ErrorCode.CATALOG_VERSION_NOT_FOUND) {
                return true;
            }
            throw e;
        }
        return relations.count(relations.adopt(raw, Catalog.relations(raw))) > 0;
    }

    /** How many of a task's partitions a change affects by what the state knows. */
    long affected(Task task) {
        String changed = relations.view("changed", inputs.changedKeys(task.inputLayers()));
        List<String> causes = new ArrayList<>();
        causes.add("SELECT k FROM " + changed);
        StateTable reads = StateTable.of(relations, driver.output(), base, task.id(), TaskState.READS);
        causes.add("SELECT r.subject AS k FROM " + reads.live() + " r JOIN " + changed + " c ON c.k = r.target");
        if (task.pattern() instanceof Pattern.RefTree<?> tree) {
            StateTable state = StateTable.of(relations, driver.output(), base, task.id(), TaskState.REFERENCES);
            String reach = ReferenceGraph.reach(relations, tree, state.live());
            causes.add("SELECT r.subject AS k FROM " + reach + " r JOIN " + changed + " c ON c.k = r.target");
        }
        return relations.count("(SELECT k FROM (" + inputs.keys(task.subjectLayers()) + ") s INTERSECT SELECT k FROM ("
                + String.join(" UNION ALL ", causes) + ") a)");
    }

    /** How many partitions a task compiles in a full run, filters not counted. */
    long all(Task task) {
        return relations.count("(" + inputs.keys(task.subjectLayers()) + ")");
    }
}
