/** Conformance cases: hand-derived inputs and rows, run through the whole product. */
@NullMarked
package io.tidemark.app.conformance;

import org.jspecify.annotations.NullMarked;
