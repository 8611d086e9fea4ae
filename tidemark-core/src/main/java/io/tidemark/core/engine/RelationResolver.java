package io.tidemark.core.engine;

import io.tidemark.core.error.TextLocation;
import java.util.List;

/** Finds the relation that a name in a query means. */
@FunctionalInterface
public interface RelationResolver {
    /**
     * Resolves a table or view name; the resolver registers the relation with the engine if it is not there yet.
     *
     * @param parts name parts as written, without quotes: {@code [table]} or {@code [schema, table]}
     * @param location the query's place, or the name's place where the engine knows it
     * @return the name under which the relation is registered with the engine
     */
    String resolve(List<String> parts, TextLocation location);
}
