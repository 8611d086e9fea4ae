/** Tests of digests of code. */
@NullMarked
package io.tidemark.compile.fingerprint;

import org.jspecify.annotations.NullMarked;
