/** Errors as part of the product: one code, one category, a message in three parts, and a place. */
@NullMarked
package io.tidemark.core.error;

import org.jspecify.annotations.NullMarked;
