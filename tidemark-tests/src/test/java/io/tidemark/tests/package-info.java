/** Proof of the whole system. */
@NullMarked
package io.tidemark.tests;

import org.jspecify.annotations.NullMarked;
