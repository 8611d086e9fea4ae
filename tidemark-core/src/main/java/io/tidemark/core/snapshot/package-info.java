/** What differs between a whole snapshot of a source and the current rows of a table. */
@NullMarked
package io.tidemark.core.snapshot;

import org.jspecify.annotations.NullMarked;
