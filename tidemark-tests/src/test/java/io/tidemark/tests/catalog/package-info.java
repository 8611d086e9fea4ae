/** Versioned catalogs beside other programs. */
@NullMarked
package io.tidemark.tests.catalog;

import org.jspecify.annotations.NullMarked;
