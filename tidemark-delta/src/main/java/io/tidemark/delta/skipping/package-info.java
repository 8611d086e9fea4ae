/** Which files can hold rows of a condition, by their partition values and statistics. */
@NullMarked
package io.tidemark.delta.skipping;

import org.jspecify.annotations.NullMarked;
