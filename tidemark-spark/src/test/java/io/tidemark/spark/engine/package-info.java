/** Tests of what the distributed engine does before Spark runs; the rest is tested with the whole system. */
@NullMarked
package io.tidemark.spark.engine;

import org.jspecify.annotations.NullMarked;
