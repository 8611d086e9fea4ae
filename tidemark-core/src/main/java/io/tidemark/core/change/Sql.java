package io.tidemark.core.change;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Small pieces of SQL text. Internal columns bear generated names, so that no user's name can clash with them. */
final class Sql {
    private Sql() {}

    /** {@code prefix0 … prefix(n-1)}. */
    static List<String> numbered(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    /** Joins with commas. */
    static String list(List<String> parts) {
        return String.join(", ", parts);
    }

    /** Joins lists with commas, leaving out empty ones. */
    @SafeVarargs
    static String lists(List<String>... parts) {
        List<String> all = new ArrayList<>();
        for (List<String> part : parts) {
            all.addAll(part);
        }
        return String.join(", ", all);
    }

    /** Applies a function to each part. */
    static List<String> each(List<String> parts, UnaryOperator<String> function) {
        return parts.stream().map(function).toList();
    }

    /** {@code alias.name} for each name. */
    static List<String> of(String alias, List<String> names) {
        return each(names, name -> alias + "." + name);
    }

    /** {@code expression AS name} for each pair. */
    static List<String> as(List<String> expressions, List<String> names) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            parts.add(expressions.get(i) + " AS " + names.get(i));
        }
        return parts;
    }

    /** Conjunction of {@code left = right}, for columns that are never NULL. */
    static String equal(List<String> left, List<String> right) {
        return pairs(left, right, " = ");
    }

    /** Conjunction of null-safe equalities. */
    static String same(List<String> left, List<String> right) {
        return pairs(left, right, " IS NOT DISTINCT FROM ");
    }

    /** Disjunction of null-safe inequalities; FALSE for no columns. */
    static String differ(List<String> left, List<String> right) {
        if (left.isEmpty()) {
            return "FALSE";
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            parts.add(left.get(i) + " IS DISTINCT FROM " + right.get(i));
        }
        return "(" + String.join(" OR ", parts) + ")";
    }

    /** ORDER BY terms, NULL first, ascending. */
    static String ascending(List<String> columns) {
        return columns.stream().map(column -> column + " ASC NULLS FIRST").collect(Collectors.joining(", "));
    }

    /** ORDER BY terms, NULL last, descending: the exact reverse of {@link #ascending}. */
    static String descending(List<String> columns) {
        return columns.stream().map(column -> column + " DESC NULLS LAST").collect(Collectors.joining(", "));
    }

    /** Lexicographic {@code left < right}, a NULL part before all others; never NULL. */
    static String less(List<String> left, List<String> right) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < left.size(); i++) {
            String a = left.get(i);
            String b = right.get(i);
            if (i > 0) {
                text.append(" OR (")
                        .append(same(left.subList(0, i), right.subList(0, i)))
                        .append(" AND ");
            }
            text.append("(")
                    .append(b)
                    .append(" IS NOT NULL AND (")
                    .append(a)
                    .append(" IS NULL OR ")
                    .append(a)
                    .append(" < ")
                    .append(b)
                    .append("))");
            if (i > 0) {
                text.append(")");
            }
        }
        return "(" + text + ")";
    }

    /** Whether all parts are NULL. */
    static String allNull(List<String> columns) {
        return columns.stream().map(column -> column + " IS NULL").collect(Collectors.joining(" AND ", "(", ")"));
    }

    /** Whether any part is NULL. */
    static String anyNull(List<String> columns) {
        return columns.stream().map(column -> column + " IS NULL").collect(Collectors.joining(" OR ", "(", ")"));
    }

    private static String pairs(List<String> left, List<String> right, String operator) {
        if (left.isEmpty()) {
            return "TRUE";
        }
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < left.size(); i++) {
            parts.add(left.get(i) + operator + right.get(i));
        }
        return "(" + String.join(" AND ", parts) + ")";
    }
}
