package io.tidemark.pipeline.run;

import io.tidemark.core.engine.Engine;
import java.util.List;

/** Hears of the progress of a run, from the thread that runs it. */
public interface RunListener {
    /** A listener that ignores everything. */
    RunListener NONE = new RunListener() {};

    /**
     * The order of updates is known.
     *
     * @param steps a line for each step
     */
    default void planned(List<String> steps) {}

    /**
     * A flow or materialized view begins.
     *
     * @param name its name
     * @param target the table
     * @param engine the engine, whose progress may be asked from another thread
     */
    default void started(String name, String target, Engine engine) {}

    /** A flow or materialized view ended. */
    default void finished(FlowResult result) {}

    /** Something that the user should know and that is no error. */
    default void warned(String text) {}
}
