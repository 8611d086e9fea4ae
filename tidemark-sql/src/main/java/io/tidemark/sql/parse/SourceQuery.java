package io.tidemark.sql.parse;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TextLocation;

/**
 * Makes a query of what stands behind FROM of a change flow, or of bare VALUES.
 *
 * <p>The query is {@code SELECT * FROM} and the source's own text. So that places in the query are places in the file,
 * the query is said to begin where the added words push the source exactly to its own place: some columns before it in
 * the same line, or, if the line has no room, at the start of the line above with the source's line filled up with
 * blanks. Both places exist, because a change flow and an INSERT have at least that much text before it. VALUES at the
 * very start of a text has not; then places in its first line point behind the true ones.
 */
final class SourceQuery {
    private static final String PREFIX = "SELECT * FROM";

    private SourceQuery() {}

    static QueryText of(QueryText source) {
        TextLocation place = source.location();
        if (!place.isKnown()) {
            return new QueryText(PREFIX + " " + source.sql(), place);
        }
        if (place.column() > PREFIX.length() + 1) {
            int column = place.column() - PREFIX.length() - 1;
            return new QueryText(PREFIX + " " + source.sql(), new TextLocation(place.file(), place.line(), column));
        }
        if (place.line() == 1) {
            return new QueryText(PREFIX + " " + source.sql(), place);
        }
        String blanks = " ".repeat(place.column() - 1);
        int line = place.line() - 1;
        return new QueryText(PREFIX + "\n" + blanks + source.sql(), new TextLocation(place.file(), line, 1));
    }
}
