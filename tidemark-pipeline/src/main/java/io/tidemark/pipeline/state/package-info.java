/** The pinned state of targets: what their rows cannot say, and how far their flows have come. */
@NullMarked
package io.tidemark.pipeline.state;

import org.jspecify.annotations.NullMarked;
