/** Rows that Spark keeps while a relation is in use. */
@NullMarked
package io.tidemark.spark.engine.rows;

import org.jspecify.annotations.NullMarked;
