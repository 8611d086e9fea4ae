/** The command line. */
@NullMarked
package io.tidemark.app;

import org.jspecify.annotations.NullMarked;
