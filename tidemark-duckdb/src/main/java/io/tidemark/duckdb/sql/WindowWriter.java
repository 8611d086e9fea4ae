package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** Writes window functions. */
final class WindowWriter {
    private final ExpressionWriter expressions;

    WindowWriter(ExpressionWriter expressions) {
        this.expressions = expressions;
    }

    String write(JsonNode node) {
        String name = node.path("function_name").asText();
        if (!node.path("exclude_clause").asText("NO_OTHER").equals("NO_OTHER")) {
            throw expressions.unsupported(node, "EXCLUDE in a window");
        }
        CallSite.Suffix suffix = new CallSite.Suffix(
                node.path("distinct").asBoolean(),
                node.path("ignore_nulls").asBoolean(),
                expressions.orders(node.path("arg_orders")),
                node.path("filter_expr").isObject() ? expressions.write(node.path("filter_expr")) : "",
                "(" + window(node) + ")");
        return expressions
                .rule(node, name)
                .write(expressions.site(node, name, ExpressionWriter.arguments(node), suffix));
    }

    private String window(JsonNode node) {
        List<String> parts = new ArrayList<>();
        List<String> partitions = new ArrayList<>();
        node.path("partitions").forEach(partition -> partitions.add(expressions.write(partition)));
        if (!partitions.isEmpty()) {
            parts.add("PARTITION BY " + String.join(", ", partitions));
        }
        if (!node.path("orders").isEmpty()) {
            parts.add("ORDER BY " + expressions.orders(node.path("orders")));
        }
        String start = node.path("start").asText();
        String end = node.path("end").asText();
        if (!start.equals("UNBOUNDED_PRECEDING") || !end.equals("CURRENT_ROW_RANGE")) {
            parts.add(unit(node, start, end) + " BETWEEN " + bound(node, start, node.path("start_expr")) + " AND "
                    + bound(node, end, node.path("end_expr")));
        }
        return String.join(" ", parts);
    }

    private String unit(JsonNode node, String start, String end) {
        if (start.endsWith("_GROUPS") || end.endsWith("_GROUPS")) {
            throw expressions.unsupported(node, "a window in GROUPS");
        }
        return start.endsWith("_RANGE") || end.endsWith("_RANGE") ? "RANGE" : "ROWS";
    }

    private String bound(JsonNode node, String bound, JsonNode expression) {
        if (bound.equals("UNBOUNDED_PRECEDING") || bound.equals("UNBOUNDED_FOLLOWING")) {
            return bound.replace('_', ' ');
        }
        if (bound.startsWith("CURRENT_ROW")) {
            return "CURRENT ROW";
        }
        if (bound.startsWith("EXPR_PRECEDING") || bound.startsWith("EXPR_FOLLOWING")) {
            return expressions.write(expression) + (bound.startsWith("EXPR_PRECEDING") ? " PRECEDING" : " FOLLOWING");
        }
        throw expressions.unsupported(node, "this window");
    }
}
