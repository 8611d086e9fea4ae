package io.tidemark.dbt;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.dbt.project.Project;
import io.tidemark.dbt.project.SnapshotNode;
import io.tidemark.dbt.project.Target.Adapter;
import io.tidemark.dbt.run.SnapshotImport;
import io.tidemark.dbt.run.SnapshotResult;
import io.tidemark.dbt.run.SnapshotResult.Counts;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.dbt.run.SnapshotUpdate;
import io.tidemark.dbt.run.SourceQuery;
import io.tidemark.dbt.source.EngineSources;
import io.tidemark.dbt.source.ProjectSources;
import io.tidemark.dbt.source.PushedDownSources;
import io.tidemark.sql.warehouse.Warehouse;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Runs snapshots of a project, one after the other. Used by one thread; the engine stays the caller's. */
public final class SnapshotRunner {
    private static final long NANOS_PER_MILLI = 1_000_000;

    private final Project project;
    private final Engine engine;
    private final Warehouse warehouse;
    private final LongSupplier nanoClock;

    /** Runs snapshots of a project into a warehouse. */
    public SnapshotRunner(Project project, Engine engine, Warehouse warehouse) {
        this.project = project;
        this.engine = engine;
        this.warehouse = warehouse;
        this.nanoClock = System::nanoTime;
    }

    /** Hears of what happens. */
    public interface Listener {
        /** Hears nothing. */
        Listener NONE = new Listener() {};

        /** The SQL of a snapshot's query was made. */
        default void compiled(SnapshotNode node, String sql) {}

        /** A snapshot's run ended, well or not. */
        default void ended(SnapshotResult result) {}
    }

    /**
     * What a run gave.
     *
     * @param results one of each snapshot, in the order of the run
     * @param errors what went wrong, one of each snapshot that failed
     */
    public record Report(List<SnapshotResult> results, List<TidemarkException> errors) {
        /** Copies the lists. */
        public Report {
            results = List.copyOf(results);
            errors = List.copyOf(errors);
        }
    }

    /**
     * Runs snapshots. Each is a commit of its own: when one fails the others run all the same, except those that read it.
     *
     * @param chosen snapshots of the project, each behind those that it reads
     * @param runTime the time of the run, which stands for every "now"
     * @param commit whether to commit; otherwise all is read, computed and checked, and nothing is written
     */
    public Report run(List<SnapshotNode> chosen, Instant runTime, boolean commit, Listener listener) {
        return each(chosen, listener, node -> run(node, runTime, commit, listener));
    }

    /**
     * Makes the tables of snapshots of those that dbt keeps where the project's SQL runs: in the profile's DuckDB file or
     * in PostgreSQL. Runs continue them then.
     *
     * @param chosen snapshots of the project
     * @param commit whether to commit
     */
    public Report importTables(List<SnapshotNode> chosen, boolean commit, Listener listener) {
        return each(chosen, listener, node -> {
            try (ProjectSources sources = sources(node)) {
                TableName table = table(node);
                return new SnapshotImport(
                                engine, node.name(), table, warehouse.table(table), sources.sql(), node.settings())
                        .run(sources.tableOfDbt(), commit);
            } catch (TidemarkException e) {
                throw e.at(node.location());
            }
        });
    }

    private Report each(List<SnapshotNode> chosen, Listener listener, Function<SnapshotNode, SnapshotResult> work) {
        List<SnapshotResult> results = new ArrayList<>();
        List<TidemarkException> errors = new ArrayList<>();
        Set<String> failed = new LinkedHashSet<>();
        for (SnapshotNode node : chosen) {
            long begin = nanoClock.getAsLong();
            SnapshotResult result;
            Set<String> missing = new LinkedHashSet<>(project.snapshotsReadBy(node));
            missing.retainAll(failed);
            if (missing.isEmpty()) {
                try {
                    result = work.apply(node);
                } catch (TidemarkException e) {
                    if (e.code() == ErrorCode.INTERRUPTED) {
                        throw e;
                    }
                    errors.add(e);
                    failed.add(node.name());
                    result = without(node, Status.FAILED);
                }
            } else {
                failed.add(node.name());
                result = without(node, Status.SKIPPED);
            }
            SnapshotResult timed = new SnapshotResult(
                    result.snapshot(),
                    result.table(),
                    result.status(),
                    result.counts(),
                    result.version(),
                    result.warnings(),
                    (nanoClock.getAsLong() - begin) / NANOS_PER_MILLI);
            results.add(timed);
            listener.ended(timed);
        }
        return new Report(results, errors);
    }

    private SnapshotResult without(SnapshotNode node, Status status) {
        return new SnapshotResult(
                node.name(), table(node).toString(), status, Counts.NONE, OptionalLong.empty(), List.of(), 0);
    }

    private static TableName table(SnapshotNode node) {
        return new TableName(node.schema(), node.identifier());
    }

    private SnapshotResult run(SnapshotNode node, Instant runTime, boolean commit, Listener listener) {
        Hooks hooks = new Hooks(project, engine, warehouse);
        if (commit) {
            hooks.run(node, "pre_hook", node.preHooks(), "The snapshot was not run.");
        }
        SnapshotResult result = compared(node, runTime, commit, listener);
        if (commit) {
            hooks.run(node, "post_hook", node.postHooks(), "The snapshot itself was run, and what it committed stays.");
        }
        return result;
    }

    private SnapshotResult compared(SnapshotNode node, Instant runTime, boolean commit, Listener listener) {
        try (ProjectSources sources = sources(node)) {
            String sql = project.compile(node, sources);
            listener.compiled(node, sql);
            SourceQuery query = sources.query(node, sql);
            TableName table = table(node);
            return new SnapshotUpdate(
                            engine,
                            node.name(),
                            table,
                            warehouse.table(table),
                            sources.sql(),
                            node.settings(),
                            query,
                            runTime,
                            project.target().adapter() == Adapter.SPARK)
                    .run(commit);
        } catch (TidemarkException e) {
            throw e.at(node.location());
        }
    }

    private ProjectSources sources(SnapshotNode node) {
        return project.target().adapter() == Adapter.POSTGRES
                ? new PushedDownSources(engine, project, node)
                : new EngineSources(engine, warehouse, project, node);
    }
}
