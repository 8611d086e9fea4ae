package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.duckdb.session.Spelling;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes the queries of a parsed text: WITH, SELECT, set operations and what stands in FROM. Whatever has no branch
 * here is refused, so a query can reach nothing but the relations that it is given.
 */
final class SelectWriter {
    private static final Map<String, String> JOINS = Map.of(
            "INNER",
            "JOIN",
            "LEFT",
            "LEFT JOIN",
            "RIGHT",
            "RIGHT JOIN",
            "FULL",
            "FULL JOIN",
            "SEMI",
            "SEMI JOIN",
            "ANTI",
            "ANTI JOIN");
    private static final Set<String> SET_OPERATIONS = Set.of("UNION", "EXCEPT", "INTERSECT");

    private final QueryContext context;
    private int selects;

    SelectWriter(QueryContext context) {
        this.context = context;
    }

    /** Writes the whole query. */
    String write(JsonNode node) {
        selects = 0;
        return query(node, new Scope(Set.of(), 0));
    }

    /** Writes a query at a place where the outer scope's names can be seen. */
    String query(JsonNode node, Scope outer) {
        Scope scope = outer.inner(++selects);
        String with = with(node.path("cte_map").path("map"), scope);
        ExpressionWriter expressions = new ExpressionWriter(this, context, scope);
        String body = switch (node.path("type").asText()) {
            case "SELECT_NODE" -> select(node, scope, expressions);
            case "SET_OPERATION_NODE" -> setOperation(node, scope);
            default -> throw unsupported(node, "this kind of query");
        };
        return with + body + ending(node, expressions);
    }

    private TidemarkException unsupported(JsonNode node, String what) {
        return context.positions()
                .error(
                        ErrorCode.UNSUPPORTED_FEATURE,
                        what + " is not supported by the embedded engine",
                        context.offset(node))
                .build();
    }

    private String with(JsonNode entries, Scope scope) {
        List<String> queries = new ArrayList<>();
        for (JsonNode entry : entries) {
            JsonNode value = entry.path("value");
            JsonNode body = value.path("query_node");
            if (body.path("type").asText().contains("RECURSIVE")) {
                throw unsupported(body, "WITH RECURSIVE");
            }
            String name = entry.path("key").asText();
            queries.add(Spelling.name(name) + aliases(value.path("aliases")) + " AS (" + query(body, scope) + ")");
            scope.addQuery(name);
        }
        return queries.isEmpty() ? "" : "WITH " + String.join(", ", queries) + " ";
    }

    private static String aliases(JsonNode names) {
        List<String> quoted = new ArrayList<>();
        names.forEach(name -> quoted.add(Spelling.name(name.asText())));
        return quoted.isEmpty() ? "" : "(" + String.join(", ", quoted) + ")";
    }

    private String setOperation(JsonNode node, Scope scope) {
        String operation = node.path("setop_type").asText();
        if (!SET_OPERATIONS.contains(operation)) {
            throw unsupported(node, operation);
        }
        String all = node.path("setop_all").asBoolean() ? " ALL " : " ";
        List<String> parts = new ArrayList<>();
        node.path("children").forEach(child -> parts.add("(" + query(child, scope) + ")"));
        return String.join(" " + operation + all, parts);
    }

    private String ending(JsonNode node, ExpressionWriter expressions) {
        StringBuilder ending = new StringBuilder();
        for (JsonNode modifier : node.path("modifiers")) {
            switch (modifier.path("type").asText()) {
                case "DISTINCT_MODIFIER" -> {
                    if (!modifier.path("distinct_on_targets").isEmpty()) {
                        throw unsupported(modifier, "DISTINCT ON");
                    }
                }
                case "ORDER_MODIFIER" ->
                    ending.append(" ORDER BY ").append(expressions.orders(modifier.path("orders")));
                case "LIMIT_MODIFIER" -> {
                    if (!modifier.path("limit_type").asText("ROW_COUNT").equals("ROW_COUNT")) {
                        throw unsupported(modifier, "LIMIT with a percentage");
                    }
                    if (modifier.path("limit").isObject()) {
                        ending.append(" LIMIT ").append(expressions.orderKey(modifier.path("limit")));
                    }
                    if (modifier.path("offset").isObject()) {
                        ending.append(" OFFSET ").append(expressions.orderKey(modifier.path("offset")));
                    }
                }
                default -> throw unsupported(modifier, modifier.path("type").asText());
            }
        }
        return ending.toString();
    }

    private String select(JsonNode node, Scope scope, ExpressionWriter expressions) {
        if (!node.path("sample").isNull()) {
            throw unsupported(node, "a sample");
        }
        JsonNode source = node.path("from_table");
        String from = source.path("type").asText().equals("EMPTY") ? "" : " FROM " + from(source, scope, expressions);
        StringBuilder text = new StringBuilder("SELECT ");
        for (JsonNode modifier : node.path("modifiers")) {
            if (modifier.path("type").asText().equals("DISTINCT_MODIFIER")) {
                text.append("DISTINCT ");
            }
        }
        List<String> items = new ArrayList<>();
        Set<String> merged = new HashSet<>();
        List<String> using = mergedColumns(source, merged);
        node.path("select_list").forEach(item -> items.add(item(item, using, source, expressions)));
        text.append(String.join(", ", items)).append(from);
        if (node.path("where_clause").isObject()) {
            text.append(" WHERE ").append(expressions.write(node.path("where_clause")));
        }
        text.append(groups(node, expressions));
        if (node.path("having").isObject()) {
            text.append(" HAVING ").append(expressions.write(node.path("having")));
        }
        if (node.path("qualify").isObject()) {
            text.append(" QUALIFY ").append(expressions.write(node.path("qualify")));
        }
        return text.toString();
    }

    private String item(JsonNode item, List<String> using, JsonNode source, ExpressionWriter expressions) {
        if (item.path("class").asText().equals("STAR")) {
            return star(item, using, source);
        }
        String alias = item.path("alias").asText();
        String text = expressions.write(item);
        if (!alias.isEmpty()) {
            return text + " AS " + Spelling.name(alias);
        }
        if (item.path("class").asText().equals("COLUMN_REF") && context.probes().isProbing()) {
            // With an alias of the same name the binder would not list candidates for an unknown column.
            return text;
        }
        if (item.path("class").asText().equals("COLUMN_REF")) {
            JsonNode path = item.path("column_names");
            return text + " AS " + Spelling.name(path.path(path.size() - 1).asText());
        }
        String name = Names.of(item);
        // Spark gives the literal '' an empty name, which DuckDB does not have.
        return text + " AS " + Spelling.name(name.isEmpty() ? "''" : name);
    }

    /** Columns of USING come first in Spark's star, each once. */
    private String star(JsonNode item, List<String> using, JsonNode source) {
        if (item.path("columns").asBoolean()
                || !item.path("replace_list").isEmpty()
                || !item.path("rename_list").isEmpty()
                || !item.path("qualified_exclude_list").isEmpty()) {
            throw unsupported(item, "this form of *");
        }
        Set<String> excluded = new HashSet<>();
        List<String> names = new ArrayList<>();
        item.path("exclude_list").forEach(name -> {
            excluded.add(name.asText().toLowerCase(Locale.ROOT));
            names.add(name.asText());
        });
        String relation = item.path("relation_name").asText();
        List<String> first = new ArrayList<>();
        if (relation.isEmpty()) {
            if (holdsNaturalJoin(source)) {
                throw unsupported(item, "* with NATURAL JOIN");
            }
            for (String column : using) {
                if (excluded.add(column.toLowerCase(Locale.ROOT))) {
                    first.add(Spelling.name(column));
                    names.add(column);
                }
            }
        }
        String star = (relation.isEmpty() ? "" : Spelling.name(relation) + ".") + "*";
        if (!names.isEmpty()) {
            star += names.stream().map(Spelling::name).collect(Collectors.joining(", ", " EXCLUDE (", ")"));
        }
        first.add(star);
        return String.join(", ", first);
    }

    private static boolean holdsNaturalJoin(JsonNode source) {
        return source.path("type").asText().equals("JOIN")
                && (source.path("ref_type").asText().equals("NATURAL")
                        || holdsNaturalJoin(source.path("left"))
                        || holdsNaturalJoin(source.path("right")));
    }

    /** The columns of USING, those of the outermost join first. */
    private static List<String> mergedColumns(JsonNode source, Set<String> seen) {
        List<String> columns = new ArrayList<>();
        if (!source.path("type").asText().equals("JOIN")) {
            return columns;
        }
        for (JsonNode column : source.path("using_columns")) {
            if (seen.add(column.asText().toLowerCase(Locale.ROOT))) {
                columns.add(column.asText());
            }
        }
        columns.addAll(mergedColumns(source.path("left"), seen));
        columns.addAll(mergedColumns(source.path("right"), seen));
        return columns;
    }

    private String groups(JsonNode node, ExpressionWriter expressions) {
        JsonNode keys = node.path("group_expressions");
        JsonNode sets = node.path("group_sets");
        if (keys.isEmpty() && sets.isEmpty()) {
            return node.path("aggregate_handling").asText().equals("FORCE_AGGREGATES") ? " GROUP BY ALL" : "";
        }
        List<String> written = new ArrayList<>();
        keys.forEach(key -> written.add(expressions.orderKey(key)));
        if (sets.size() <= 1) {
            return written.isEmpty() ? " GROUP BY ()" : " GROUP BY " + String.join(", ", written);
        }
        List<String> groupings = new ArrayList<>();
        for (JsonNode set : sets) {
            List<String> members = new ArrayList<>();
            set.forEach(index -> members.add(written.get(index.asInt())));
            groupings.add("(" + String.join(", ", members) + ")");
        }
        return " GROUP BY GROUPING SETS (" + String.join(", ", groupings) + ")";
    }

    private String from(JsonNode source, Scope scope, ExpressionWriter expressions) {
        if (source.has("sample") && !source.path("sample").isNull()) {
            throw unsupported(source, "TABLESAMPLE");
        }
        return switch (source.path("type").asText()) {
            case "BASE_TABLE" -> table(source, scope);
            case "SUBQUERY" -> {
                String alias = source.path("alias").asText();
                yield "(" + query(source.path("subquery").path("node"), scope) + ")" + alias(alias, source);
            }
            case "EXPRESSION_LIST" -> values(source, expressions);
            case "TABLE_FUNCTION" -> tableFunction(source, expressions);
            case "JOIN" -> join(source, scope, expressions);
            default -> throw unsupported(source, "this source of rows");
        };
    }

    private static String alias(String alias, JsonNode source) {
        String columns = aliases(source.path("column_name_alias"));
        if (alias.isEmpty()) {
            return columns.isEmpty() ? "" : " AS __rows" + columns;
        }
        return " AS " + Spelling.name(alias) + columns;
    }

    private String table(JsonNode source, Scope scope) {
        List<String> parts = new ArrayList<>();
        source.path("qualified_name").path("path").forEach(part -> parts.add(part.asText()));
        if (!source.path("at_clause").isNull()) {
            throw unsupported(source, "AT");
        }
        String written = source.path("alias").asText();
        String alias = alias(written.isEmpty() ? parts.get(parts.size() - 1) : written, source);
        if (scope.isQuery(parts)) {
            return Spelling.name(parts.get(0)) + alias;
        }
        if (parts.size() > 2) {
            throw context.positions()
                    .error(
                            ErrorCode.QUERY_NOT_ALLOWED,
                            "a query may not read other catalogs: " + String.join(".", parts),
                            context.offset(source))
                    .build();
        }
        if (written.isEmpty()) {
            scope.addTable(parts);
        }
        return context.tables().apply(parts, context.offset(source)) + alias;
    }

    private String values(JsonNode source, ExpressionWriter expressions) {
        List<List<JsonNode>> rows = new ArrayList<>();
        for (JsonNode row : source.path("values")) {
            List<JsonNode> cells = new ArrayList<>();
            row.forEach(cells::add);
            rows.add(cells);
        }
        int width = rows.get(0).size();
        List<List<String>> columns = new ArrayList<>();
        for (int i = 0; i < width; i++) {
            int column = i;
            List<JsonNode> cells = rows.stream()
                    .map(row -> row.size() == width ? row.get(column) : row.get(0))
                    .toList();
            columns.add(expressions
                    .site(source, "VALUES", cells, CallSite.Suffix.NONE)
                    .unified());
        }
        List<String> written = new ArrayList<>();
        for (int r = 0; r < rows.size(); r++) {
            int row = r;
            if (rows.get(r).size() != width) {
                throw context.positions()
                        .error(
                                ErrorCode.QUERY_INVALID,
                                "rows of VALUES differ in length",
                                context.offset(rows.get(r).get(0)))
                        .build();
            }
            written.add(columns.stream().map(cells -> cells.get(row)).collect(Collectors.joining(", ", "(", ")")));
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < width; i++) {
            JsonNode given = source.path("expected_names").path(i);
            names.add(Spelling.name(given.isTextual() ? given.asText() : "col" + (i + 1)));
        }
        String alias = source.path("alias").asText();
        return "(VALUES " + String.join(", ", written) + ") AS "
                + Spelling.name(alias.isEmpty() ? "__values" : alias)
                + "(" + String.join(", ", names) + ")";
    }

    private String tableFunction(JsonNode source, ExpressionWriter expressions) {
        JsonNode call = source.path("function");
        String name = call.path("function_name").asText();
        if (!source.path("with_ordinality").asText("WITHOUT_ORDINALITY").equals("WITHOUT_ORDINALITY")) {
            throw unsupported(source, "WITH ORDINALITY");
        }
        String alias = source.path("alias").asText();
        String columns = aliases(source.path("column_name_alias"));
        List<String> arguments = ExpressionWriter.arguments(call).stream()
                .map(expressions::write)
                .toList();
        if (name.equals("range")) {
            return "range("
                    + arguments.stream()
                            .map(value -> "CAST(" + value + " AS BIGINT)")
                            .collect(Collectors.joining(", ")) + ") AS "
                    + Spelling.name(alias.isEmpty() ? "range" : alias) + (columns.isEmpty() ? "(id)" : columns);
        }
        if (name.equals("explode")) {
            return "unnest(" + String.join(", ", arguments) + ") AS "
                    + Spelling.name(alias.isEmpty() ? "explode" : alias) + (columns.isEmpty() ? "(col)" : columns);
        }
        throw Functions.unknown(context.positions(), name, context.offset(source));
    }

    private String join(JsonNode source, Scope scope, ExpressionWriter expressions) {
        String left = from(source.path("left"), scope, expressions);
        String right = from(source.path("right"), scope, expressions);
        if (source.path("right").path("type").asText().equals("JOIN")) {
            right = "(" + right + ")";
        }
        String kind = source.path("ref_type").asText();
        String join = JOINS.get(source.path("join_type").asText());
        if (join == null) {
            throw unsupported(source, "this join");
        }
        return switch (kind) {
            case "CROSS" -> left + " CROSS JOIN " + right;
            case "NATURAL" -> left + " NATURAL " + join + " " + right;
            case "REGULAR" -> {
                if (!source.path("using_columns").isEmpty()) {
                    yield left + " " + join + " " + right + " USING " + aliases(source.path("using_columns"));
                }
                yield left + " " + join + " " + right + " ON " + expressions.write(source.path("condition"));
            }
            default -> throw unsupported(source, kind + " JOIN");
        };
    }
}
