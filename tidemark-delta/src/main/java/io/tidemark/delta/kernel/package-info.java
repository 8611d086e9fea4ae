/** The one place that knows Delta Kernel: replay of a log and checkpoints. */
@NullMarked
package io.tidemark.delta.kernel;

import org.jspecify.annotations.NullMarked;
