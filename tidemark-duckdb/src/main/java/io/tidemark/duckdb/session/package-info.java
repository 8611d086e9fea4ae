/** Internal: one DuckDB database, how statements run on it, how its types and errors are spelled. */
@NullMarked
package io.tidemark.duckdb.session;

import org.jspecify.annotations.NullMarked;
