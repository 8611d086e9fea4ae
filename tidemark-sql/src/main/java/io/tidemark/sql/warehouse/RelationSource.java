package io.tidemark.sql.warehouse;

import io.tidemark.core.error.TextLocation;
import io.tidemark.core.flow.TableName;
import io.tidemark.sql.query.RelationReference;
import java.util.Optional;

/**
 * Knows relations that are not in the warehouse, or stand before those that are: a pipeline's own views and streams.
 * Asked first for every relation of a query and of the stored views that it reads.
 */
public interface RelationSource {
    /** Knows nothing. */
    RelationSource NONE = new RelationSource() {};

    /**
     * The relation of a plain name.
     *
     * @param name the table or view
     * @param location where the name, or else the query stands
     * @return the name under which the relation is registered with the engine; nothing to look in the warehouse
     */
    default Optional<String> relation(TableName name, TextLocation location) {
        return Optional.empty();
    }

    /**
     * The relation of a stream, files, changes or an old version.
     *
     * @param reference what is read
     * @return the name under which the relation is registered with the engine; nothing to look in the warehouse, which
     *     knows no streams
     */
    default Optional<String> relation(RelationReference reference) {
        return Optional.empty();
    }
}
