/** Sources of flows: which files and table versions are new since the last update. */
@NullMarked
package io.tidemark.pipeline.source;

import org.jspecify.annotations.NullMarked;
