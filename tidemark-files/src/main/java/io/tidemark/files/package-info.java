/**
 * Source files of text become rows, in the JVM and the same for all engines, so that an error names the file, the line,
 * the column and the value.
 */
@NullMarked
package io.tidemark.files;

import org.jspecify.annotations.NullMarked;
