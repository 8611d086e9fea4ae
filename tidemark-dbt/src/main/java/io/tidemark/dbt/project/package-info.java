/** What stands in a dbt project: its files, profiles, sources, models and snapshots with their configuration. */
@NullMarked
package io.tidemark.dbt.project;

import org.jspecify.annotations.NullMarked;
