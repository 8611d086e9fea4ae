/** Apache Spark as a second engine in tests: the same plans must give the same rows. */
@NullMarked
package io.tidemark.tests.spark;

import org.jspecify.annotations.NullMarked;
