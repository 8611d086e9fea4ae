/** Jinja of a project: templates, and what their expressions may call. */
@NullMarked
package io.tidemark.dbt.jinja;

import org.jspecify.annotations.NullMarked;
