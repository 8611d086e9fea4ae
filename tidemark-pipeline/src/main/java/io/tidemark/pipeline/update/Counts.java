package io.tidemark.pipeline.update;

import io.tidemark.core.engine.Engine;

/** Small results of queries. */
final class Counts {
    private Counts() {}

    /** The number that a query with one row and one column gives. */
    static long count(Engine engine, String sql) {
        long[] count = new long[1];
        engine.stream(sql, row -> {
            count[0] = row.get(0) instanceof Number number ? number.longValue() : 0;
            return false;
        });
        return count[0];
    }
}
