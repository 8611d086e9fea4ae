/** The entries of a Delta log as values, and their JSON. */
@NullMarked
package io.tidemark.delta.log;

import org.jspecify.annotations.NullMarked;
