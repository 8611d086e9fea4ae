/** Source files become relations of Spark, read in the order of the files and of their rows. */
@NullMarked
package io.tidemark.spark.engine.input;

import org.jspecify.annotations.NullMarked;
