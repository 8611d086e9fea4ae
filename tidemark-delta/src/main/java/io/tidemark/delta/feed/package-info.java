/** Reading of the change data feed: which rows the commits of a range of versions inserted, updated and deleted. */
@NullMarked
package io.tidemark.delta.feed;

import org.jspecify.annotations.NullMarked;
