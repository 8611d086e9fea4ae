/** Tests of canonical bytes. */
@NullMarked
package io.tidemark.compile.codec;

import org.jspecify.annotations.NullMarked;
