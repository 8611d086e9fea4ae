/** Targets as tables: which rows an update reads, adds and removes, and what other writers did to them. */
@NullMarked
package io.tidemark.pipeline.target;

import org.jspecify.annotations.NullMarked;
