/** Tidemark's statements inside a session of Spark. */
@NullMarked
package io.tidemark.spark.session;

import org.jspecify.annotations.NullMarked;
