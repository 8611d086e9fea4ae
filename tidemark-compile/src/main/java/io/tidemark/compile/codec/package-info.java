/** How intermediate values become bytes: one canonical form, derived from records. */
@NullMarked
package io.tidemark.compile.codec;

import org.jspecify.annotations.NullMarked;
