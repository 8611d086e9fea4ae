/** Proof of pipelines: SQL text and source files in, Delta tables out. */
@NullMarked
package io.tidemark.tests.pipeline;

import org.jspecify.annotations.NullMarked;
