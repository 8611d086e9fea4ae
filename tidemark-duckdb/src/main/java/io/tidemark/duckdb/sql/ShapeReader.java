package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryShape.Combination;
import io.tidemark.core.engine.QueryShape.Read;
import io.tidemark.core.error.TextLocation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Finds in a parsed query which relations it reads and where it combines rows. */
final class ShapeReader {
    private static final Set<String> AGGREGATES = aggregates();

    private final QueryContext context;
    private final List<Read> reads = new ArrayList<>();
    private final List<Combination> combinations = new ArrayList<>();

    ShapeReader(QueryContext context) {
        this.context = context;
    }

    private static Set<String> aggregates() {
        Map<String, Functions.Rule> rules = new HashMap<>();
        AggregateFunctions.addTo(rules);
        return Set.copyOf(rules.keySet());
    }

    QueryShape read(JsonNode query) {
        query(query, Map.of());
        return new QueryShape(reads, combinations);
    }

    /** The relations behind the rows of a query. */
    private List<Read> query(JsonNode node, Map<String, List<Read>> outer) {
        Map<String, List<Read>> named = new HashMap<>(outer);
        for (JsonNode entry : node.path("cte_map").path("map")) {
            List<Read> behind = query(entry.path("value").path("query_node"), named);
            named.put(folded(entry.path("key")), behind);
        }
        List<Read> over = new ArrayList<>();
        if (node.path("type").asText().equals("SET_OPERATION_NODE")) {
            node.path("children").forEach(child -> over.addAll(query(child, named)));
            boolean rowByRow = node.path("setop_type").asText().equals("UNION")
                    && node.path("setop_all").asBoolean();
            if (!rowByRow) {
                combine(node.path("setop_type").asText(), node, over);
            }
        } else {
            over.addAll(from(node.path("from_table"), named));
            select(node, over, named);
        }
        for (JsonNode modifier : node.path("modifiers")) {
            switch (modifier.path("type").asText()) {
                case "DISTINCT_MODIFIER" -> combine("DISTINCT", node, over);
                case "ORDER_MODIFIER" ->
                    combine("ORDER BY", modifier.path("orders").path(0).path("expression"), over);
                default -> combine("LIMIT", node, over);
            }
        }
        return over;
    }

    private void select(JsonNode node, List<Read> over, Map<String, List<Read>> named) {
        boolean groups = !node.path("group_expressions").isEmpty()
                || !node.path("group_sets").isEmpty();
        if (groups || node.path("aggregate_handling").asText().equals("FORCE_AGGREGATES")) {
            combine("GROUP BY", node.path("group_expressions").path(0), over);
        }
        for (String part : List.of("select_list", "where_clause", "group_expressions", "having", "qualify")) {
            // with GROUP BY the aggregates are no second fault
            expression(node.path(part), groups ? List.of() : over, over, named);
        }
    }

    private void expression(JsonNode node, List<Read> aggregated, List<Read> windowed, Map<String, List<Read>> named) {
        String kind = node.path("class").asText();
        if (kind.equals("SUBQUERY")) {
            combine(
                    "a subquery in an expression",
                    node,
                    query(node.path("subquery").path("node"), named));
            expression(node.path("child"), aggregated, windowed, named);
            return;
        }
        if (kind.equals("WINDOW")) {
            combine("the window function " + node.path("function_name").asText(), node, windowed);
        } else if (kind.equals("FUNCTION")
                && AGGREGATES.contains(node.path("function_name").asText().toLowerCase(Locale.ROOT))) {
            combine("the aggregate " + node.path("function_name").asText().replace("_star", ""), node, aggregated);
        }
        node.forEach(child -> expression(child, aggregated, windowed, named));
    }

    private List<Read> from(JsonNode source, Map<String, List<Read>> named) {
        return switch (source.path("type").asText()) {
            case "BASE_TABLE" -> table(source, named);
            case "SUBQUERY" -> query(source.path("subquery").path("node"), named);
            case "JOIN" -> join(source, named);
            default -> List.of();
        };
    }

    private List<Read> table(JsonNode source, Map<String, List<Read>> named) {
        JsonNode path = source.path("qualified_name").path("path");
        if (path.size() == 1 && named.containsKey(folded(path.path(0)))) {
            return named.getOrDefault(folded(path.path(0)), List.of());
        }
        List<String> parts = new ArrayList<>();
        path.forEach(part -> parts.add(part.asText()));
        Read read = new Read(parts, context.positions().at(context.offset(source)));
        reads.add(read);
        return List.of(read);
    }

    /** Rows of an outer or anti join depend on all rows of the side that they may lack. */
    private List<Read> join(JsonNode source, Map<String, List<Read>> named) {
        List<Read> left = from(source.path("left"), named);
        List<Read> right = from(source.path("right"), named);
        expression(source.path("condition"), List.of(), List.of(), named);
        String kind = source.path("join_type").asText();
        switch (kind) {
            case "INNER" -> combinations.add(new Combination("a join of two streams", place(source), left, right));
            case "LEFT", "SEMI", "ANTI" -> combine("a " + kind + " JOIN with a stream on the right", source, right);
            case "RIGHT" -> combine("a RIGHT JOIN with a stream on the left", source, left);
            default -> {
                combine("a FULL JOIN", source, left);
                combine("a FULL JOIN", source, right);
            }
        }
        List<Read> both = new ArrayList<>(left);
        both.addAll(right);
        return both;
    }

    private void combine(String what, JsonNode node, List<Read> over) {
        if (!over.isEmpty()) {
            combinations.add(new Combination(what, place(node), over, List.of()));
        }
    }

    private TextLocation place(JsonNode node) {
        return context.positions().at(context.offset(node));
    }

    private static String folded(JsonNode name) {
        return name.asText().toLowerCase(Locale.ROOT);
    }
}
