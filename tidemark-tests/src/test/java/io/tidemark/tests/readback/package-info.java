/** Tables read and changed by Tidemark, Delta Kernel and Spark alike. */
@NullMarked
package io.tidemark.tests.readback;

import org.jspecify.annotations.NullMarked;
