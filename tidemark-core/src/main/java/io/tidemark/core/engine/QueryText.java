package io.tidemark.core.engine;

import io.tidemark.core.error.TextLocation;

/**
 * A query or expression in Spark SQL as the user wrote it.
 *
 * @param sql the text
 * @param location where its first character stands
 */
public record QueryText(String sql, TextLocation location) {}
