/** YAML files of a project as trees whose parts know their places. */
@NullMarked
package io.tidemark.dbt.yaml;

import org.jspecify.annotations.NullMarked;
