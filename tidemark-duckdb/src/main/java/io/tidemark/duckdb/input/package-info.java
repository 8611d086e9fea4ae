/**
 * Internal: source files become tables. Files of text are read in the JVM, so that an error names the file, the
 * line, the column and the value; Parquet files are read by DuckDB.
 */
@NullMarked
package io.tidemark.duckdb.input;

import org.jspecify.annotations.NullMarked;
