/** Digests of code and values: what besides the input decides an output. */
@NullMarked
package io.tidemark.compile.fingerprint;

import org.jspecify.annotations.NullMarked;
