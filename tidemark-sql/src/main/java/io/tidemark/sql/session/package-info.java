/** The session: executes statements over a warehouse, one after the other. */
@NullMarked
package io.tidemark.sql.session;

import org.jspecify.annotations.NullMarked;
