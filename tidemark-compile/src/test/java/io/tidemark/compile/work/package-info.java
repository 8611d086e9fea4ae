/** Tests of the pool. */
@NullMarked
package io.tidemark.compile.work;

import org.jspecify.annotations.NullMarked;
