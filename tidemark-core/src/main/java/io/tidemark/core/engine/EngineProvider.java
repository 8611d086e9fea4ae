package io.tidemark.core.engine;

import io.tidemark.core.error.TidemarkException;

/**
 * Opens engines of one kind. Providers are found by {@link java.util.ServiceLoader}, so that a program can use an engine
 * that it was not built with. Making a provider must be cheap and must not need the engine's own libraries.
 */
public interface EngineProvider {
    /** The name by which users ask for the engine, as {@link Engine#name} says it. */
    String name();

    /**
     * Opens an engine without relations.
     *
     * @throws TidemarkException {@code INVALID_SETTING} for settings that the engine cannot have, {@code ENGINE_UNAVAILABLE}
     *     if its libraries are not there or its cluster cannot be reached
     */
    Engine open(EngineSettings settings);
}
