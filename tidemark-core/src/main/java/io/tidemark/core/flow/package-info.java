/** Definitions of tables, views and flows: what the SQL parser and the Java API both build. */
@NullMarked
package io.tidemark.core.flow;

import org.jspecify.annotations.NullMarked;
