/** Benchmarks: one workload, several contestants, each in a process of its own. */
@NullMarked
package io.tidemark.bench;

import org.jspecify.annotations.NullMarked;
