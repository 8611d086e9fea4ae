package io.tidemark.dbt.project;

/** What stands in SQL for the relations that a template names. */
public interface References {
    /** A model or seed. */
    RelationName model(ModelNode model);

    /** The table of a snapshot. */
    RelationName snapshot(SnapshotNode snapshot);

    /** A source. */
    RelationName source(SourceTable source);

    /** The table of the snapshot that is being rendered. */
    RelationName self();
}
