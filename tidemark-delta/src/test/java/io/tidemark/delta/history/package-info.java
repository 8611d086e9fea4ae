/** Proof that committed histories are serializable: random transactions, their interleavings, and a checker. */
@NullMarked
package io.tidemark.delta.history;

import org.jspecify.annotations.NullMarked;
