/** Snapshots of dbt projects, run as they are. */
@NullMarked
package io.tidemark.dbt;

import org.jspecify.annotations.NullMarked;
