package io.tidemark.duckdb.sql;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** What names mean at a place in a query: the queries of WITH, and the tables of the SELECT at hand. */
final class Scope {
    private final Set<String> queries;
    private final List<List<String>> tables = new ArrayList<>();
    private final int number;

    Scope(Set<String> queries, int number) {
        this.queries = new HashSet<>(queries);
        this.number = number;
    }

    /** A scope for a SELECT inside of this one. */
    Scope inner(int innerNumber) {
        return new Scope(queries, innerNumber);
    }

    /** Tells equal expressions of different SELECTs apart. */
    int number() {
        return number;
    }

    void addQuery(String name) {
        queries.add(name.toLowerCase(Locale.ROOT));
    }

    boolean isQuery(List<String> parts) {
        return parts.size() == 1 && queries.contains(parts.get(0).toLowerCase(Locale.ROOT));
    }

    void addTable(List<String> parts) {
        tables.add(parts);
    }

    /** A column's path without the schema of its table, if it begins with one. */
    List<String> columnPath(List<String> path) {
        for (List<String> table : tables) {
            if (table.size() == 2
                    && path.size() > 2
                    && table.get(0).equalsIgnoreCase(path.get(0))
                    && table.get(1).equalsIgnoreCase(path.get(1))) {
                return path.subList(1, path.size());
            }
        }
        return path;
    }
}
