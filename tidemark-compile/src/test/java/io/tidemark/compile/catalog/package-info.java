/** Tests of versioned catalogs. */
@NullMarked
package io.tidemark.compile.catalog;

import org.jspecify.annotations.NullMarked;
