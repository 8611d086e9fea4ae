/** Transactions over Delta Lake tables: snapshots, commits with three outcomes, time travel and history. */
@NullMarked
package io.tidemark.delta;

import org.jspecify.annotations.NullMarked;
