package io.tidemark.core.engine;

import io.tidemark.core.type.StructType;

/**
 * A checked query in the engine's own SQL.
 *
 * @param sql engine SQL that reads registered relations only
 * @param schema names and types of its columns
 */
public record PreparedQuery(String sql, StructType schema) {}
