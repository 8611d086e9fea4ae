/** Rows of tables as relations of an engine, and the writing of changed rows. */
@NullMarked
package io.tidemark.delta.rows;

import org.jspecify.annotations.NullMarked;
