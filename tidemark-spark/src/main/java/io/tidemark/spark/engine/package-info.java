/** The engine on Apache Spark: relations are data frames, files are read and written by executors. */
@NullMarked
package io.tidemark.spark.engine;

import org.jspecify.annotations.NullMarked;
