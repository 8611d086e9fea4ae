/** Proof that plans mean what the specification says: an oracle, random histories and the conformance cases. */
@NullMarked
package io.tidemark.tests.change;

import org.jspecify.annotations.NullMarked;
