/** Failures of storage and engine at every step of every operation that changes a table. */
@NullMarked
package io.tidemark.tests.faults;

import org.jspecify.annotations.NullMarked;
