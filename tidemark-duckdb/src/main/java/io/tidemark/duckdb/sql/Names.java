package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Names of columns that a query computes without naming them, after Spark's habit. */
final class Names {
    private Names() {}

    /** The name of an item of SELECT without alias. */
    static String of(JsonNode node) {
        String kind = node.path("class").asText();
        return switch (kind) {
            case "COLUMN_REF" -> {
                JsonNode path = node.path("column_names");
                yield path.path(path.size() - 1).asText();
            }
            case "CONSTANT" -> {
                JsonNode literal = node.path("literal");
                yield literal.path("kind").asText().equals("NULL_LITERAL")
                        ? "NULL"
                        : literal.path("text").asText();
            }
            case "FUNCTION", "WINDOW" -> call(node);
            case "COMPARISON" ->
                "(" + of(node.path("left")) + " " + comparison(node) + " " + of(node.path("right")) + ")";
            case "CONJUNCTION" ->
                list(node.path("children")).stream()
                        .map(Names::of)
                        .collect(Collectors.joining(
                                node.path("type").asText().equals("CONJUNCTION_AND") ? " AND " : " OR ", "(", ")"));
            case "CAST" -> "CAST(" + of(node.path("child")) + " AS " + typeName(node.path("type_expr")) + ")";
            case "OPERATOR" -> operator(node);
            case "SUBQUERY" -> "scalarsubquery()";
            default -> kind.toLowerCase(Locale.ROOT);
        };
    }

    private static String typeName(JsonNode type) {
        String name = type.path("type_name").asText().toUpperCase(Locale.ROOT);
        return switch (name) {
            case "DECIMAL" ->
                "DECIMAL(" + of(type.path("children").path(0)) + ","
                        + of(type.path("children").path(1)) + ")";
            case "VARCHAR" -> "STRING";
            case "INTEGER" -> "INT";
            case "BLOB" -> "BINARY";
            case "TIMESTAMP" -> "TIMESTAMP_NTZ";
            case "TIMESTAMPTZ" -> "TIMESTAMP";
            default -> name;
        };
    }

    private static String comparison(JsonNode node) {
        return switch (node.path("type").asText()) {
            case "COMPARE_EQUAL" -> "=";
            case "COMPARE_NOTEQUAL" -> "<>";
            case "COMPARE_LESSTHAN" -> "<";
            case "COMPARE_GREATERTHAN" -> ">";
            case "COMPARE_LESSTHANOREQUALTO" -> "<=";
            case "COMPARE_GREATERTHANOREQUALTO" -> ">=";
            default -> "<=>";
        };
    }

    private static String operator(JsonNode node) {
        List<String> children =
                list(node.path("children")).stream().map(Names::of).toList();
        return switch (node.path("type").asText()) {
            case "STRUCT_EXTRACT" -> children.get(children.size() - 1);
            case "ARRAY_EXTRACT" -> children.get(0) + "[" + children.get(1) + "]";
            case "OPERATOR_NOT" -> "(NOT " + children.get(0) + ")";
            case "OPERATOR_IS_NULL" -> "(" + children.get(0) + " IS NULL)";
            case "OPERATOR_IS_NOT_NULL" -> "(" + children.get(0) + " IS NOT NULL)";
            case "GROUPING_FUNCTION" -> "grouping(" + String.join(", ", children) + ")";
            case "OPERATOR_COALESCE" -> "coalesce(" + String.join(", ", children) + ")";
            default -> "(" + String.join(" IN ", children) + ")";
        };
    }

    private static String call(JsonNode node) {
        String name = node.path("function_name").asText();
        List<String> arguments =
                ExpressionWriter.arguments(node).stream().map(Names::of).toList();
        String distinct = node.path("distinct").asBoolean() ? "DISTINCT " : "";
        return switch (name) {
            case "count_star" -> "count(1)";
            case "~~", "!~~", "~~*", "!~~*", "regexp_full_match" ->
                "(" + arguments.get(0) + (name.startsWith("!") ? " NOT" : "")
                        + (name.startsWith("r") ? " RLIKE " : name.endsWith("*") ? " ILIKE " : " LIKE ")
                        + arguments.get(1) + ")";
            case "explode", "explode_outer" -> "col";
            case "struct_pack" -> "struct(" + String.join(", ", arguments) + ")";
            default -> {
                boolean word = Character.isLetter(name.charAt(0));
                if (!word && arguments.size() == 2) {
                    yield "(" + arguments.get(0) + " " + (name.equals("//") ? "div" : name) + " " + arguments.get(1)
                            + ")";
                }
                yield word
                        ? name + "(" + distinct + String.join(", ", arguments) + ")"
                        : "(" + name + " " + String.join(", ", arguments) + ")";
            }
        };
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> nodes = new ArrayList<>();
        array.forEach(nodes::add);
        return nodes;
    }
}
