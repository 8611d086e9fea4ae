/** Pipelines: their definition in Java, and runs that update their tables. */
@NullMarked
package io.tidemark.pipeline;

import org.jspecify.annotations.NullMarked;
