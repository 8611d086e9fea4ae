/** Queries of users: what they read, what they combine, and the relations in place of names. */
@NullMarked
package io.tidemark.spark.engine.query;

import org.jspecify.annotations.NullMarked;
