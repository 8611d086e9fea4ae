/** Tests of compilers on catalogs that lie on a real disk, with the embedded engine. */
@NullMarked
package io.tidemark.compile;

import org.jspecify.annotations.NullMarked;
