/**
 * Internal: queries in Spark SQL become DuckDB's SQL. Tokens are respelled so that DuckDB's parser reads them, the
 * parsed tree is checked and written again node by node, and what depends on types is decided after asking the
 * binder.
 */
@NullMarked
package io.tidemark.duckdb.sql;

import org.jspecify.annotations.NullMarked;
