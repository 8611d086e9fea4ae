/** What compilers remember from one run to the next: relations in files that the output catalog's commit pins. */
@NullMarked
package io.tidemark.compile.state;

import org.jspecify.annotations.NullMarked;
