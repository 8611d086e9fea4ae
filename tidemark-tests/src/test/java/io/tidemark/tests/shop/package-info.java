/** Proof on recorded change events: the tables equal the database that the events came from. */
@NullMarked
package io.tidemark.tests.shop;

import org.jspecify.annotations.NullMarked;
