/** Updates of single flows and materialized views: from new input to one commit. */
@NullMarked
package io.tidemark.pipeline.update;

import org.jspecify.annotations.NullMarked;
