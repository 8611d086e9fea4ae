/**
 * Incremental compilers: programs that turn partitions of input layers into partitions of output layers, recompute what a
 * change can reach, and publish what really differs. A {@link io.tidemark.compile.Task} says what is computed, a
 * {@link io.tidemark.compile.Driver} runs tasks and makes one commit.
 */
@NullMarked
package io.tidemark.compile;

import org.jspecify.annotations.NullMarked;
