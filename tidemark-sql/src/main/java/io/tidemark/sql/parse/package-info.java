/** From statement texts to definitions of core and to statements of the session. */
@NullMarked
package io.tidemark.sql.parse;

import org.jspecify.annotations.NullMarked;
