/** What a user of Spark names: the class for spark-submit, the session extension and the catalog. */
@NullMarked
package io.tidemark.spark;

import org.jspecify.annotations.NullMarked;
