/** Tests of the embedded engine. */
@NullMarked
package io.tidemark.duckdb;

import org.jspecify.annotations.NullMarked;
