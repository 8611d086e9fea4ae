/** The change data feed through the whole product: SQL, command, streams of flows, Spark as a second reader. */
@NullMarked
package io.tidemark.tests.feed;

import org.jspecify.annotations.NullMarked;
