/** Bringing back an earlier version of a table. */
@NullMarked
package io.tidemark.delta.restore;

import org.jspecify.annotations.NullMarked;
