/** Tables kept by whole snapshots of their sources. */
@NullMarked
package io.tidemark.tests.snapshot;

import org.jspecify.annotations.NullMarked;
