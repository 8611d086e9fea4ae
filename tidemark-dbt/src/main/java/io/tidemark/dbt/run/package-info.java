/** The run of one snapshot: its source compared with the current rows of its table, and one commit. */
@NullMarked
package io.tidemark.dbt.run;

import org.jspecify.annotations.NullMarked;
