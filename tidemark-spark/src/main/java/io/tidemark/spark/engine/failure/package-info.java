/** Failures of Spark as errors of the product. */
@NullMarked
package io.tidemark.spark.engine.failure;

import org.jspecify.annotations.NullMarked;
