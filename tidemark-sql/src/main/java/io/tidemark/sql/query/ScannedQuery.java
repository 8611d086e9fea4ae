package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import java.util.List;
import java.util.Optional;

/**
 * A query whose special relations were replaced by names.
 *
 * @param text the query with placeholders; every other character keeps its line, and its column unless a placeholder
 *     needed more room than the text that it replaced
 * @param references what the placeholders stand for, in the order of the text
 */
public record ScannedQuery(QueryText text, List<RelationReference> references) {
    /** Copies the list. */
    public ScannedQuery {
        references = List.copyOf(references);
    }

    /** Whether any relation is read as a stream. */
    public boolean isStreaming() {
        return references.stream().anyMatch(RelationReference::streaming);
    }

    /** What a name in the scanned text stands for, if it is a placeholder. */
    public Optional<RelationReference> reference(String name) {
        return references.stream()
                .filter(reference -> reference.placeholder().equalsIgnoreCase(name))
                .findFirst();
    }
}
