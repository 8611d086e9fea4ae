package io.tidemark.core.engine;

import io.tidemark.core.error.TextLocation;
import java.util.List;

/**
 * What can be told of a query without looking at its relations: which it reads, and where it makes one row of several.
 *
 * @param reads the relations, each as often as it stands in the text
 * @param combinations where rows are not handled one by one
 */
public record QueryShape(List<Read> reads, List<Combination> combinations) {
    /** Copies the lists. */
    public QueryShape {
        reads = List.copyOf(reads);
        combinations = List.copyOf(combinations);
    }

    /**
     * A relation that the query reads.
     *
     * @param parts the parts of its name
     * @param location where it stands
     */
    public record Read(List<String> parts, TextLocation location) {
        /** Copies the parts. */
        public Read {
            parts = List.copyOf(parts);
        }
    }

    /**
     * A place at which the result depends on several rows at once: an aggregate, DISTINCT, ORDER BY, LIMIT, a window
     * function, a join.
     *
     * @param what its name
     * @param location where it stands
     * @param over the relations whose rows are combined
     * @param with the relations on the other side of a join; empty for all else
     */
    public record Combination(String what, TextLocation location, List<Read> over, List<Read> with) {
        /** Copies the lists. */
        public Combination {
            over = List.copyOf(over);
            with = List.copyOf(with);
        }
    }
}
