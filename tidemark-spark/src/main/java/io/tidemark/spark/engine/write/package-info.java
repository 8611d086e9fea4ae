/** Writing data files on executors, with their statistics. */
@NullMarked
package io.tidemark.spark.engine.write;

import org.jspecify.annotations.NullMarked;
