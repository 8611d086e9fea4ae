/** Whether a commit that lost its version number may still take the next one. */
@NullMarked
package io.tidemark.delta.conflict;

import org.jspecify.annotations.NullMarked;
