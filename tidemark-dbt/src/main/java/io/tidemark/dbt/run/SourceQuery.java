package io.tidemark.dbt.run;

import io.tidemark.core.error.TextLocation;
import java.util.Map;
import java.util.Optional;

/**
 * What a snapshot reads.
 *
 * @param sql engine SQL of its query
 * @param location where the query stands
 * @param fingerprint changes whenever the query does
 * @param versions version of each table that the query reads; absent if it reads anything else, or is not certain to give
 *     the same rows again
 */
public record SourceQuery(
        String sql, TextLocation location, String fingerprint, Optional<Map<String, String>> versions) {
    /** Copies the map. */
    public SourceQuery {
        versions = versions.map(Map::copyOf);
    }
}
