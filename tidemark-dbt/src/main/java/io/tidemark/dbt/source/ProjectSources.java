package io.tidemark.dbt.source;

import io.tidemark.dbt.project.References;
import io.tidemark.dbt.project.SnapshotNode;
import io.tidemark.dbt.run.ProjectSql;
import io.tidemark.dbt.run.SourceQuery;

/**
 * The relations that one snapshot reads, made while its SQL is rendered. Used for one run of one snapshot; closing it
 * takes them from the engine.
 */
public interface ProjectSources extends References, AutoCloseable {
    /** How the project's SQL becomes the engine's. */
    ProjectSql sql();

    /**
     * What a snapshot reads.
     *
     * @param rendered its SQL, rendered with these references
     */
    SourceQuery query(SnapshotNode node, String rendered);

    /**
     * Engine SQL of the table that dbt keeps for the snapshot where its SQL runs.
     *
     * @throws io.tidemark.core.error.TidemarkException {@code UNKNOWN_TABLE} if there is none
     */
    String tableOfDbt();

    @Override
    void close();
}
