package io.tidemark.sql.query;

import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.sql.text.LocatedText;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Finds the relations of a query that engines do not know by name, by its tokens alone. */
public final class QueryScanner {
    private QueryScanner() {}

    /** Scans a query in the time zone UTC. */
    public static ScannedQuery scan(QueryText query) {
        return scan(query, ZoneOffset.UTC);
    }

    /**
     * Scans a query. Found and replaced in places where a relation may stand: {@code STREAM(x)}, {@code STREAM x},
     * {@code read_files(…)}, {@code table_changes(…)}, {@code t VERSION AS OF n}, {@code t TIMESTAMP AS OF '…'},
     * {@code t@v3}, {@code t@yyyyMMddHHmmssSSS} and {@code LIVE.t}. Everything else stays for the engine to judge.
     *
     * @param zone the time zone of timestamps that name none
     */
    public static ScannedQuery scan(QueryText query, ZoneId zone) {
        LocatedText text = LocatedText.of(query);
        try {
            return new RelationFinder(text, zone).scan();
        } catch (TidemarkException fault) {
            throw text.explain(fault);
        }
    }
}
