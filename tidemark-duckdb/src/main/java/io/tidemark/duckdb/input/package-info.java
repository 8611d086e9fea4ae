/**
 * Internal: source files become tables. The rows of files of text are appended as they are read in the JVM; Parquet
 * files are read by DuckDB.
 */
@NullMarked
package io.tidemark.duckdb.input;

import org.jspecify.annotations.NullMarked;
