/** Where a table's files live: reading, listing and exclusive creation. */
@NullMarked
package io.tidemark.delta.storage;

import org.jspecify.annotations.NullMarked;
