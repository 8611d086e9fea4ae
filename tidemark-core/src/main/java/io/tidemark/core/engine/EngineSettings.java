package io.tidemark.core.engine;

import java.util.Optional;

/**
 * What an engine is told when it is opened by its name.
 *
 * @param master the address of the cluster's master in the engine's own spelling; empty = what the engine's own settings
 *     say, else this machine
 * @param threads worker threads on this machine; empty = one per processor. Has no meaning for a cluster
 * @param temporaryFolder absolute path of a local folder for what does not fit into memory; exists, and goes when the
 *     engine is closed
 */
public record EngineSettings(Optional<String> master, Optional<Integer> threads, String temporaryFolder) {}
