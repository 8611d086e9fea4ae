package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.session.TypeText;
import io.tidemark.duckdb.sql.Functions.Rule;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes the expressions of a parsed query in DuckDB's SQL with Spark's meaning. */
final class ExpressionWriter {
    private static final Set<String> ARITHMETIC = Set.of("+", "-", "*", "/", "//", "%");
    private static final Map<String, String> COMPARISONS = Map.of(
            "COMPARE_EQUAL", "=",
            "COMPARE_NOTEQUAL", "<>",
            "COMPARE_LESSTHAN", "<",
            "COMPARE_GREATERTHAN", ">",
            "COMPARE_LESSTHANOREQUALTO", "<=",
            "COMPARE_GREATERTHANOREQUALTO", ">=",
            "COMPARE_DISTINCT_FROM", "IS DISTINCT FROM",
            "COMPARE_NOT_DISTINCT_FROM", "IS NOT DISTINCT FROM");
    private static final Pattern PLACES = Pattern.compile("\"query_location(_length)?\":\\d+,?");
    private static final BigDecimal INTEGER_MAX = BigDecimal.valueOf(Integer.MAX_VALUE);
    private static final BigDecimal INTEGER_MIN = BigDecimal.valueOf(Integer.MIN_VALUE);
    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final BigDecimal LONG_MIN = BigDecimal.valueOf(Long.MIN_VALUE);

    private final SelectWriter selects;
    private final QueryContext context;
    private final Scope scope;
    private final Arithmetic arithmetic;
    private final WindowWriter windows;

    ExpressionWriter(SelectWriter selects, QueryContext context, Scope scope) {
        this.selects = selects;
        this.context = context;
        this.scope = scope;
        this.arithmetic = new Arithmetic(context.decimals(), context.positions());
        this.windows = new WindowWriter(this);
    }

    /** Writes an expression. */
    String write(JsonNode node) {
        return switch (node.path("class").asText()) {
            case "COLUMN_REF" -> column(node);
            case "CONSTANT" -> constant(node);
            case "FUNCTION" -> function(node);
            case "OPERATOR" -> operator(node);
            case "COMPARISON" -> compare(node, COMPARISONS.get(node.path("type").asText()));
            case "CONJUNCTION" -> conjunction(node);
            case "BETWEEN" -> between(node);
            case "CASE" -> choice(node);
            case "CAST" -> cast(node);
            case "SUBQUERY" -> subquery(node);
            case "WINDOW" -> windows.write(node);
            case "LAMBDA" -> lambda(node);
            default -> throw unsupported(node, "this expression");
        };
    }

    /** Writes an expression and tells what is known of its type. */
    Typed typed(JsonNode node) {
        String kind = node.path("class").asText();
        if (kind.equals("CONSTANT")) {
            return literal(node);
        }
        if (kind.equals("LAMBDA")) {
            return Typed.untyped(write(node));
        }
        if (kind.equals("CAST") && typeName(node.path("type_expr")).equals("INTERVAL")) {
            return new Typed(
                    write(node),
                    null,
                    true,
                    node.path("child").path("literal").path("text").asText(),
                    false);
        }
        String sql = write(node);
        String key = scope.number() + " " + PLACES.matcher(node.toString()).replaceAll("");
        Optional<TypeProbes.Found> found = context.probes().find(key);
        boolean probing = context.probes().isProbing();
        if (found.isEmpty() && !probing) {
            throw unsupported(node, "an expression whose type is not known");
        }
        String probed = probing ? context.probes().wrap(key, holdsColumn(node) ? sql : unfolded(sql)) : sql;
        return new Typed(
                probed,
                found.map(TypeProbes.Found::type).orElse(null),
                found.map(TypeProbes.Found::interval).orElse(false),
                null,
                found.isEmpty());
    }

    /** The binder computes constants at once, and the probe with them; it leaves volatile expressions alone. */
    private static String unfolded(String sql) {
        return "CASE WHEN random() < 2 THEN " + sql + " END";
    }

    private static boolean holdsColumn(JsonNode node) {
        if (node.path("class").asText().equals("COLUMN_REF")) {
            return true;
        }
        for (JsonNode child : node) {
            if (holdsColumn(child)) {
                return true;
            }
        }
        return false;
    }

    int offset(JsonNode node) {
        return context.offset(node);
    }

    TidemarkException unsupported(JsonNode node, String what) {
        return context.positions()
                .error(ErrorCode.UNSUPPORTED_FEATURE, what + " is not supported by the embedded engine", offset(node))
                .build();
    }

    private TidemarkException invalid(JsonNode node, String message) {
        return context.positions()
                .error(ErrorCode.QUERY_INVALID, message, offset(node))
                .build();
    }

    private String column(JsonNode node) {
        List<String> path = new ArrayList<>();
        node.path("column_names").forEach(part -> path.add(part.asText()));
        return scope.columnPath(path).stream().map(Spelling::name).collect(Collectors.joining("."));
    }

    private String constant(JsonNode node) {
        JsonNode literal = node.path("literal");
        String text = literal.path("text").asText();
        return switch (literal.path("kind").asText()) {
            case "NULL_LITERAL" -> "NULL";
            case "BOOLEAN" -> text;
            case "STRING" -> Spelling.string(text);
            case "INTEGER", "NUMERIC" -> "CAST('" + text + "' AS " + Spelling.type(numberType(text)) + ")";
            default -> throw unsupported(node, "this literal");
        };
    }

    private Typed literal(JsonNode node) {
        JsonNode literal = node.path("literal");
        String text = literal.path("text").asText();
        DataType type = switch (literal.path("kind").asText()) {
            case "NULL_LITERAL" -> ScalarType.VOID;
            case "BOOLEAN" -> ScalarType.BOOLEAN;
            case "STRING" -> ScalarType.STRING;
            default -> numberType(text);
        };
        return new Typed(constant(node), type, false, text, false);
    }

    private static DataType numberType(String text) {
        if (text.contains("e") || text.contains("E")) {
            return ScalarType.DOUBLE;
        }
        BigDecimal value = new BigDecimal(text);
        if (text.contains(".")) {
            return new DecimalType(Math.max(value.precision(), value.scale()), value.scale());
        }
        if (value.compareTo(INTEGER_MAX) <= 0 && value.compareTo(INTEGER_MIN) >= 0) {
            return ScalarType.INTEGER;
        }
        if (value.compareTo(LONG_MAX) <= 0 && value.compareTo(LONG_MIN) >= 0) {
            return ScalarType.LONG;
        }
        return new DecimalType(Math.min(DecimalType.PRECISION_MAX, value.precision()), 0);
    }

    private String function(JsonNode node) {
        String name = node.path("function_name").asText();
        List<JsonNode> arguments = arguments(node);
        if (name.equals("struct_pack")) {
            return struct(node);
        }
        if (ARITHMETIC.contains(name) && arguments.size() == 2) {
            return arithmetic.write(name, typed(arguments.get(0)), typed(arguments.get(1)), offset(node));
        }
        if (name.equals("-") || name.equals("+")) {
            return "(" + name + write(arguments.get(0)) + ")";
        }
        Rule rule = rule(node, name);
        for (JsonNode argument : node.path("arguments")) {
            if (!argument.path("name").asText().isEmpty()) {
                throw unsupported(node, "a named argument");
            }
        }
        CallSite.Suffix suffix = new CallSite.Suffix(
                node.path("distinct").asBoolean(),
                false,
                orders(node.path("order_bys").path("orders")),
                node.path("filter").isObject() ? write(node.path("filter")) : "",
                "");
        return rule.write(site(node, name, arguments, suffix));
    }

    Rule rule(JsonNode node, String name) {
        return Functions.rule(name).orElseThrow(() -> Functions.unknown(context.positions(), name, offset(node)));
    }

    CallSite site(JsonNode node, String name, List<JsonNode> arguments, CallSite.Suffix suffix) {
        return new CallSite(
                name,
                arguments.stream().map(this::typed).toList(),
                suffix,
                context.positions(),
                offset(node),
                context.decimals());
    }

    static List<JsonNode> arguments(JsonNode node) {
        List<JsonNode> arguments = new ArrayList<>();
        node.path("arguments").forEach(argument -> arguments.add(argument.path("expression")));
        return arguments;
    }

    private String struct(JsonNode node) {
        List<String> parts = new ArrayList<>();
        for (JsonNode argument : node.path("arguments")) {
            parts.add(Spelling.name(argument.path("name").asText()) + " := " + write(argument.path("expression")));
        }
        return "struct_pack(" + String.join(", ", parts) + ")";
    }

    private String operator(JsonNode node) {
        JsonNode children = node.path("children");
        return switch (node.path("type").asText()) {
            case "OPERATOR_NOT" -> "(NOT " + write(children.path(0)) + ")";
            case "OPERATOR_IS_NULL" -> "(" + write(children.path(0)) + " IS NULL)";
            case "OPERATOR_IS_NOT_NULL" -> "(" + write(children.path(0)) + " IS NOT NULL)";
            case "COMPARE_IN" -> "(" + in(node, children) + ")";
            case "COMPARE_NOT_IN" -> "(NOT (" + in(node, children) + "))";
            case "OPERATOR_COALESCE" ->
                rule(node, "coalesce").write(site(node, "coalesce", list(children), CallSite.Suffix.NONE));
            case "ARRAY_EXTRACT" ->
                CollectionFunctions.subscript(site(node, "[]", list(children), CallSite.Suffix.NONE));
            case "STRUCT_EXTRACT" ->
                "struct_extract(" + write(children.path(0)) + ", "
                        + Spelling.string(
                                children.path(1).path("literal").path("text").asText()) + ")";
            case "GROUPING_FUNCTION" ->
                "CAST(grouping(" + list(children).stream().map(this::write).collect(Collectors.joining(", "))
                        + ") AS TINYINT)";
            default -> throw unsupported(node, "this operator");
        };
    }

    private static List<JsonNode> list(JsonNode array) {
        List<JsonNode> nodes = new ArrayList<>();
        array.forEach(nodes::add);
        return nodes;
    }

    private String in(JsonNode node, JsonNode children) {
        List<Typed> values = list(children).stream().map(this::typed).toList();
        if (values.stream().anyMatch(Typed::pending)) {
            return CallSite.placeholder(values, "CAST(NULL AS BOOLEAN)");
        }
        Typed first = values.get(0);
        // One equality per type of partner: the left side may have to be cast for one and not for another.
        List<String> tests = new ArrayList<>();
        List<String> plain = new ArrayList<>();
        for (Typed value : values.subList(1, values.size())) {
            List<String> sides = sides(node, first, value);
            if (sides.get(0).equals(first.sql())) {
                plain.add(sides.get(1));
            } else {
                tests.add(sides.get(0) + " = " + sides.get(1));
            }
        }
        if (!plain.isEmpty()) {
            tests.add(first.sql() + " IN (" + String.join(", ", plain) + ")");
        }
        return String.join(" OR ", tests);
    }

    private String compare(JsonNode node, @Nullable String operator) {
        if (operator == null) {
            throw unsupported(node, "this comparison");
        }
        Typed left = typed(node.path("left"));
        Typed right = typed(node.path("right"));
        if (left.pending() || right.pending()) {
            return CallSite.placeholder(List.of(left, right), "CAST(NULL AS BOOLEAN)");
        }
        List<String> sides = sides(node, left, right);
        return "(" + sides.get(0) + " " + operator + " " + sides.get(1) + ")";
    }

    private String between(JsonNode node) {
        Typed input = typed(node.path("input"));
        Typed from = typed(node.path("lower"));
        Typed to = typed(node.path("upper"));
        if (input.pending() || from.pending() || to.pending()) {
            return CallSite.placeholder(List.of(input, from, to), "CAST(NULL AS BOOLEAN)");
        }
        List<String> lower = sides(node, input, from);
        List<String> upper = sides(node, input, to);
        if (lower.get(0).equals(upper.get(0))) {
            return "(" + lower.get(0) + " BETWEEN " + lower.get(1) + " AND " + upper.get(1) + ")";
        }
        return "(" + lower.get(0) + " >= " + lower.get(1) + " AND " + upper.get(0) + " <= " + upper.get(1) + ")";
    }

    /** Both sides of a comparison, cast where DuckDB would not cast as Spark does. */
    private List<String> sides(JsonNode node, Typed left, Typed right) {
        DataType a = left.type();
        DataType b = right.type();
        if (a == null || b == null || a.equals(b) || left.isVoid() || right.isVoid()) {
            if (left.isMap() && right.isMap()) {
                throw invalid(node, "maps cannot be compared");
            }
            return List.of(left.sql(), right.sql());
        }
        if (left.isString() != right.isString()) {
            DataType other = left.isString() ? b : a;
            Typed text = left.isString() ? left : right;
            DataType target = partner(other);
            String literal = text.literal();
            String cast = Optional.ofNullable(target)
                    .flatMap(type -> literal == null
                            ? Casts.write(text.sql(), ScalarType.STRING, type, Casts.Mode.STRICT)
                            : Casts.writeLiteral(literal, text.sql(), type, Casts.Mode.STRICT))
                    .orElseThrow(() -> mismatch(node, a, b));
            return left.isString() ? List.of(cast, right.sql()) : List.of(left.sql(), cast);
        }
        DataType common = WideTypes.common(a, b).orElseThrow(() -> mismatch(node, a, b));
        if (common == ScalarType.DOUBLE || Typed.isNested(common)) {
            String type = Spelling.type(common);
            return List.of("CAST(" + left.sql() + " AS " + type + ")", "CAST(" + right.sql() + " AS " + type + ")");
        }
        return List.of(left.sql(), right.sql());
    }

    private TidemarkException mismatch(JsonNode node, DataType a, DataType b) {
        return invalid(node, a.sql() + " and " + b.sql() + " cannot be compared");
    }

    /** The type to which Spark casts a text that is compared with a value of the given type. */
    private static @Nullable DataType partner(DataType other) {
        if (Typed.isIntegral(other)) {
            return ScalarType.LONG;
        }
        if (Typed.isNumeric(other)) {
            return ScalarType.DOUBLE;
        }
        return Typed.isTime(other) || other == ScalarType.BOOLEAN || other == ScalarType.BINARY ? other : null;
    }

    private String conjunction(JsonNode node) {
        String word = node.path("type").asText().equals("CONJUNCTION_AND") ? " AND " : " OR ";
        return list(node.path("children")).stream().map(this::write).collect(Collectors.joining(word, "(", ")"));
    }

    private String choice(JsonNode node) {
        List<JsonNode> results = new ArrayList<>();
        node.path("case_checks").forEach(check -> results.add(check.path("then_expr")));
        results.add(node.path("else_expr"));
        List<String> values = site(node, "CASE", results, CallSite.Suffix.NONE).unified();
        StringBuilder text = new StringBuilder("CASE");
        for (int i = 0; i < results.size() - 1; i++) {
            text.append(" WHEN ").append(write(node.path("case_checks").path(i).path("when_expr")));
            text.append(" THEN ").append(values.get(i));
        }
        return text.append(" ELSE ")
                .append(values.get(values.size() - 1))
                .append(" END")
                .toString();
    }

    private String cast(JsonNode node) {
        String name = typeName(node.path("type_expr"));
        if (name.equals("INTERVAL")) {
            return "CAST("
                    + Spelling.string(
                            node.path("child").path("literal").path("text").asText()) + " AS INTERVAL)";
        }
        DataType to = TypeText.parse(typeText(node.path("type_expr")));
        Typed child = typed(node.path("child"));
        DataType from = child.type();
        if (child.pending()) {
            return CallSite.placeholder(List.of(child), "CAST(NULL AS " + Spelling.type(to) + ")");
        }
        if (from == null) {
            throw invalid(node, "a cast to " + to.sql() + " is not possible here");
        }
        Casts.Mode mode = node.path("try_cast").asBoolean() ? Casts.Mode.TRY : Casts.Mode.STRICT;
        Optional<String> cast = child.literal() != null && child.isString()
                ? Casts.writeLiteral(child.literal(), child.sql(), to, mode)
                : Casts.write(child.sql(), from, to, mode);
        return cast.orElseThrow(
                () -> invalid(node, "a cast from " + from.sql() + " to " + to.sql() + " is not possible"));
    }

    private static String typeName(JsonNode type) {
        return type.path("type_name").asText().toUpperCase(Locale.ROOT);
    }

    private static String typeText(JsonNode type) {
        JsonNode children = type.path("children");
        return switch (typeName(type)) {
            case "LIST" -> typeText(children.path(0)) + "[]";
            case "STRUCT" ->
                list(children).stream()
                        .map(child -> Spelling.name(child.path("alias").asText()) + " " + typeText(child))
                        .collect(Collectors.joining(", ", "STRUCT(", ")"));
            case "MAP" -> "MAP(" + typeText(children.path(0)) + ", " + typeText(children.path(1)) + ")";
            case "DECIMAL" ->
                "DECIMAL(" + children.path(0).path("literal").path("text").asText() + ","
                        + children.path(1).path("literal").path("text").asText() + ")";
            case "TIMESTAMPTZ" -> "TIMESTAMP WITH TIME ZONE";
            default -> typeName(type);
        };
    }

    private String subquery(JsonNode node) {
        String query = "(" + selects.query(node.path("subquery").path("node"), scope) + ")";
        return switch (node.path("subquery_type").asText()) {
            case "SCALAR" -> query;
            case "EXISTS" -> "EXISTS " + query;
            case "NOT_EXISTS" -> "NOT EXISTS " + query;
            case "ANY" -> {
                String operator = COMPARISONS.get(node.path("comparison_type").asText());
                if (operator == null || !operator.equals("=")) {
                    throw unsupported(node, "this comparison with a subquery");
                }
                yield "(" + write(node.path("child")) + " IN " + query + ")";
            }
            default -> throw unsupported(node, "this subquery");
        };
    }

    private String lambda(JsonNode node) {
        JsonNode parameters = node.path("lhs");
        if (!parameters.path("class").asText().equals("COLUMN_REF")) {
            throw unsupported(node, "a lambda with several parameters");
        }
        return "lambda " + Spelling.name(parameters.path("column_names").path(0).asText()) + ": "
                + write(node.path("expr"));
    }

    /** Writes what to order by; NULLs come first in ascending and last in descending order unless said otherwise. */
    String orders(JsonNode orders) {
        return list(orders).stream().map(this::order).collect(Collectors.joining(", "));
    }

    private String order(JsonNode order) {
        boolean descending = order.path("type").asText().equals("DESCENDING");
        String nulls = order.path("null_order").asText();
        boolean first = nulls.equals("ORDER_DEFAULT") ? !descending : nulls.equals("NULLS FIRST");
        return orderKey(order.path("expression"))
                + (descending ? " DESC" : " ASC")
                + (first ? " NULLS FIRST" : " NULLS LAST");
    }

    /** A whole number is the position of a column, and a star means all columns. */
    String orderKey(JsonNode node) {
        if (node.path("class").asText().equals("STAR")) {
            return "ALL";
        }
        JsonNode literal = node.path("literal");
        return literal.path("kind").asText().equals("INTEGER")
                ? literal.path("text").asText()
                : write(node);
    }
}
