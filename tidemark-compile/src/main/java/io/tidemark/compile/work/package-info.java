/** Users' functions over streamed rows of an engine, on a bounded pool of threads. */
@NullMarked
package io.tidemark.compile.work;

import org.jspecify.annotations.NullMarked;
