package io.tidemark.bench;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** A program that keeps a table in step with a workload. Opening it is not measured, its steps are. */
interface Contestant extends AutoCloseable {
    /** Scenarios that it can do. */
    List<Scenario> scenarios();

    /** Steps that make sense for it. */
    default List<Step> steps() {
        return List.of(Step.LOAD, Step.BIG, Step.SMALL);
    }

    /** Further steps, measured after the table has been compared. */
    default List<Step> furtherSteps() {
        return List.of();
    }

    /**
     * Does a further step.
     *
     * @param key a key that stands in the table
     * @throws IllegalStateException if the step did not do what it should
     */
    default void further(Step step, long key) throws Exception {
        throw new UnsupportedOperationException(step.label());
    }

    /** Begins with an empty table in a fresh folder. */
    void begin(Scenario scenario, Path folder) throws Exception;

    /** Applies a step's events. */
    void apply(Step step, Path events) throws Exception;

    /**
     * A digest of the table's rows, see {@link FullReplay}; empty if the contestant keeps no table that could be right
     * or wrong.
     */
    String digest() throws Exception;

    @Override
    void close() throws SQLException;
}
