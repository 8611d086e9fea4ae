/** What a run is asked to do, and what it tells. */
@NullMarked
package io.tidemark.pipeline.run;

import org.jspecify.annotations.NullMarked;
