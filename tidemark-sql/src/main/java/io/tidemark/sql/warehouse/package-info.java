/** A folder of Delta tables and stored views, and how queries find what they name in it. */
@NullMarked
package io.tidemark.sql.warehouse;

import org.jspecify.annotations.NullMarked;
