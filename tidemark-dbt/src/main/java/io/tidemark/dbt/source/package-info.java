/** What the names in a project's SQL stand for: tables of the warehouse, files, database files and databases. */
@NullMarked
package io.tidemark.dbt.source;

import org.jspecify.annotations.NullMarked;
