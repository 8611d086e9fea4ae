/** What a change flow means, compiled to set-based SQL that every engine runs. */
@NullMarked
package io.tidemark.core.change;

import org.jspecify.annotations.NullMarked;
