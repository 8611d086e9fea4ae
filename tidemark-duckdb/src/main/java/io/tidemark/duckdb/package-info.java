/** The embedded engine: relations, queries and Parquet files computed by DuckDB inside the JVM. */
@NullMarked
package io.tidemark.duckdb;

import org.jspecify.annotations.NullMarked;
