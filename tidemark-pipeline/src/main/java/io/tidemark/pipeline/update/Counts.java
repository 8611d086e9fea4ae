package io.tidemark.pipeline.update;

import io.tidemark.core.engine.Engine;
import java.util.List;

/** Small results of queries. */
final class Counts {
    private Counts() {}

    /** The number that a query with one row and one column gives. */
    static long count(Engine engine, String sql) {
        return numbers(engine, sql).get(0);
    }

    /** The numbers that two such queries give. */
    static List<Long> both(Engine engine, String first, String second) {
        return numbers(engine, "SELECT (" + first + ") AS a, (" + second + ") AS b");
    }

    /** How many rows a relation has, and how many of them fulfil each condition, in one pass. */
    static List<Long> count(Engine engine, String relation, List<String> conditions) {
        StringBuilder sql = new StringBuilder("SELECT count(*) AS n");
        for (int i = 0; i < conditions.size(); i++) {
            sql.append(", count(CASE WHEN ")
                    .append(conditions.get(i))
                    .append(" THEN 1 END) AS n")
                    .append(i);
        }
        return numbers(engine, sql.append(" FROM ").append(relation).toString());
    }

    private static List<Long> numbers(Engine engine, String sql) {
        return engine.rows(sql).get(0).stream()
                .map(value -> value instanceof Number number ? number.longValue() : 0L)
                .toList();
    }
}
