/** What keeps a table quick and its folder small without changing what the table says. */
@NullMarked
package io.tidemark.delta.maintenance;

import org.jspecify.annotations.NullMarked;
