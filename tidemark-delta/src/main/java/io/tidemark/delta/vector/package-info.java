/** Deletion vectors: sets of row positions and the files that hold them. */
@NullMarked
package io.tidemark.delta.vector;

import org.jspecify.annotations.NullMarked;
