/** Test machinery that knows nothing of Tidemark. */
@NullMarked
package io.tidemark.testkit;

import org.jspecify.annotations.NullMarked;
