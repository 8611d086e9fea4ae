package io.tidemark.pipeline.run;

import io.tidemark.core.flow.TableName;
import java.util.Set;

/**
 * How a pipeline is run.
 *
 * @param pipelineId id of the pipeline; a flow's entry in its target belongs to one pipeline
 * @param refreshAll whether all tables are rebuilt from the start of their sources
 * @param refresh tables to rebuild
 * @param resumeAtRestored whether flows go on from the version that another engine restored
 * @param adoptRows whether rows of tables without state are taken as they are
 * @param dryRun whether everything is checked and nothing is changed
 */
public record RunOptions(
        String pipelineId,
        boolean refreshAll,
        Set<TableName> refresh,
        boolean resumeAtRestored,
        boolean adoptRows,
        boolean dryRun) {
    /** Copies the set. */
    public RunOptions {
        refresh = Set.copyOf(refresh);
    }

    /** An ordinary run. */
    public static RunOptions of(String pipelineId) {
        return new RunOptions(pipelineId, false, Set.of(), false, false, false);
    }

    /** Whether a table is rebuilt. */
    public boolean refreshes(TableName table) {
        return refreshAll || refresh.contains(table);
    }

    /** These options with a rebuild of all tables. */
    public RunOptions withFullRefresh() {
        return new RunOptions(pipelineId, true, refresh, resumeAtRestored, adoptRows, dryRun);
    }

    /** These options with a rebuild of some tables. */
    public RunOptions withFullRefresh(Set<TableName> tables) {
        return new RunOptions(pipelineId, refreshAll, tables, resumeAtRestored, adoptRows, dryRun);
    }
}
