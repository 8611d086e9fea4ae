/**
 * Versioned catalogs: layers of partitions with payloads, kept in one Delta table each, and the publisher that makes
 * their versions.
 */
@NullMarked
package io.tidemark.compile.catalog;

import org.jspecify.annotations.NullMarked;
