/** Texts that users wrote: places in them, excerpts for errors, and the spelling of literals and names. */
@NullMarked
package io.tidemark.sql.text;

import org.jspecify.annotations.NullMarked;
