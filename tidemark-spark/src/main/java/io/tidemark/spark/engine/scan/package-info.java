/** Reading the data files of tables: deleted rows left out, files and positions told. */
@NullMarked
package io.tidemark.spark.engine.scan;

import org.jspecify.annotations.NullMarked;
