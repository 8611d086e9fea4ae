/** The dataflow graph: which dataset reads which, and in what order they are updated. */
@NullMarked
package io.tidemark.pipeline.graph;

import org.jspecify.annotations.NullMarked;
