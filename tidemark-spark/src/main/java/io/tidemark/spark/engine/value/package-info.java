/** Types and values of Spark in Tidemark's terms. */
@NullMarked
package io.tidemark.spark.engine.value;

import org.jspecify.annotations.NullMarked;
