/** The contract that an engine fulfils: it computes relations and writes data files, and never commits. */
@NullMarked
package io.tidemark.core.engine;

import org.jspecify.annotations.NullMarked;
