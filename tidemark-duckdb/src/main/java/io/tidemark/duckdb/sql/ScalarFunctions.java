package io.tidemark.duckdb.sql;

import static io.tidemark.duckdb.sql.Functions.template;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.sql.Functions.Rule;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Functions on texts, numbers and truth values. */
final class ScalarFunctions {
    private static final int DECIMAL_PRECISION_DEFAULT = 10;

    private ScalarFunctions() {}

    static void addTo(Map<String, Rule> rules) {
        texts(rules);
        patterns(rules);
        numbers(rules);
        conditions(rules);
        casts(rules);
    }

    private static void texts(Map<String, Rule> rules) {
        for (String name : List.of("upper", "ucase")) {
            rules.put(name, template("s", "spark.upper({0})"));
        }
        for (String name : List.of("lower", "lcase")) {
            rules.put(name, template("s", "spark.lower({0})"));
        }
        for (String name : List.of("length", "len", "char_length", "character_length")) {
            rules.put(name, ScalarFunctions::length);
        }
        rules.put("octet_length", template("s", "CAST(strlen({0}) AS INTEGER)"));
        // One argument, or the text before the characters: the parser turns TRIM(… FROM …) around.
        rules.put("trim", template("s?s", "trim({0}, ' ')", "trim({0}, {1})"));
        rules.put("btrim", template("s", "trim({0}, ' ')"));
        rules.put("ltrim", template("s?s", "ltrim({0}, ' ')", "ltrim({0}, {1})"));
        rules.put("rtrim", template("s?s", "rtrim({0}, ' ')", "rtrim({0}, {1})"));
        rules.put("concat", ScalarFunctions::concat);
        rules.put("||", ScalarFunctions::concat);
        rules.put("concat_ws", template("ss*", "concat_ws({*})"));
        for (String name : List.of("substring", "substr")) {
            rules.put(name, template("si?i", "spark.substring_from({0}, {1})", "spark.substring_for({0}, {1}, {2})"));
        }
        rules.put("left", template("si", "left({0}, greatest({1}, 0))"));
        rules.put("right", template("si", "right({0}, greatest({1}, 0))"));
        rules.put("replace", template("ss?s", "replace({0}, {1}, '')", "replace({0}, {1}, {2})"));
        rules.put("translate", template("sss", "translate({0}, {1}, {2})"));
        rules.put("lpad", template("si?s", "spark.lpad({0}, {1}, ' ')", "spark.lpad({0}, {1}, {2})"));
        rules.put("rpad", template("si?s", "spark.rpad({0}, {1}, ' ')", "spark.rpad({0}, {1}, {2})"));
        rules.put("repeat", template("si", "repeat({0}, greatest({1}, 0))"));
        rules.put("space", template("i", "repeat(' ', greatest({0}, 0))"));
        rules.put("initcap", template("s", "spark_initcap({0})"));
        rules.put("instr", template("ss", "CAST(instr({0}, {1}) AS INTEGER)"));
        rules.put("position", template("ss", "CAST(instr({0}, {1}) AS INTEGER)"));
        rules.put("locate", template("ss?i", "CAST(instr({1}, {0}) AS INTEGER)", "spark.locate_from({0}, {1}, {2})"));
        rules.put("ascii", template("s", "CAST(ascii({0}) AS INTEGER)"));
        rules.put("startswith", template("ss", "starts_with({0}, {1})"));
        rules.put("endswith", template("ss", "ends_with({0}, {1})"));
        rules.put("contains", template("ss", "contains({0}, {1})"));
        rules.put("md5", template("y", "md5({0})"));
        rules.put("sha", template("y", "sha1({0})"));
        rules.put("sha1", template("y", "sha1({0})"));
        rules.put("sha2", template("yi", "spark_sha2(to_base64({0}), {1})"));
        rules.put("base64", template("y", "to_base64({0})"));
        rules.put("unbase64", template("s", "from_base64({0})"));
        rules.put("hex", template("y", "hex({0})"));
        rules.put("unhex", template("s", "from_hex({0})"));
        rules.put("uuid", template("", "CAST(uuid() AS VARCHAR)"));
        rules.put("get_json_object", ScalarFunctions::jsonPath);
        rules.put("typeof", ScalarFunctions::typeName);
    }

    private static String length(CallSite site) {
        if (site.count() == 1 && site.argument(0).type() == ScalarType.BINARY) {
            return "CAST(octet_length(" + site.sql(0) + ") AS INTEGER)";
        }
        return template("s", "CAST(length({0}) AS INTEGER)").write(site);
    }

    private static String concat(CallSite site) {
        if (site.count() == 0) {
            return "''";
        }
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.arguments().stream().anyMatch(Typed::isArray)) {
            String nulls = site.arguments().stream()
                    .map(value -> value.sql() + " IS NULL")
                    .collect(Collectors.joining(" OR "));
            return "CASE WHEN " + nulls + " THEN NULL ELSE list_concat(" + String.join(", ", site.unified()) + ") END";
        }
        return IntStream.range(0, site.count())
                .mapToObj(i -> site.coerced(i, ScalarType.STRING))
                .collect(Collectors.joining(" || ", "(", ")"));
    }

    /** DuckDB returns a list for patterns with wildcards, so only plain paths are translated. */
    private static String jsonPath(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.count() != 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        String path = site.literal(1);
        if (!path.matches("\\$(\\.[A-Za-z_][A-Za-z0-9_]*|\\[[0-9]+]|\\['[^'\"]+'])*")) {
            throw site.unsupported("only paths such as $.a.b[0] are possible");
        }
        String spelled = path.replaceAll("\\['([^'\"]+)']", ".\"$1\"");
        return "spark.json_text(" + site.coerced(0, ScalarType.STRING) + ", " + Spelling.string(spelled) + ")";
    }

    private static String typeName(CallSite site) {
        if (site.count() != 1) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        if (site.isPending()) {
            return CallSite.placeholder(site.arguments(), "CAST(NULL AS VARCHAR)");
        }
        DataType type = site.argument(0).type();
        if (Typed.isNested(type)) {
            throw site.unsupported("nested types have other names");
        }
        return Spelling.string(type == null ? "" : type.sql().toLowerCase(Locale.ROOT));
    }

    private static void patterns(Map<String, Rule> rules) {
        for (String name : List.of("rlike", "regexp", "regexp_like", "regexp_full_match")) {
            rules.put(name, template("ss", "spark_rlike({0}, {1})"));
        }
        rules.put("regexp_replace", template("sss", "spark_regexp_replace({0}, {1}, {2})"));
        rules.put(
                "regexp_extract",
                template("ss?i", "spark_regexp_extract({0}, {1}, 1)", "spark_regexp_extract({0}, {1}, {2})"));
        rules.put(
                "split",
                template(
                        "ss?i",
                        "CAST(CAST(spark_split({0}, {1}, -1) AS JSON) AS VARCHAR[])",
                        "CAST(CAST(spark_split({0}, {1}, {2}) AS JSON) AS VARCHAR[])"));
        rules.put("~~", template("ss", "({0} LIKE {1} ESCAPE '\\')"));
        rules.put("!~~", template("ss", "(NOT ({0} LIKE {1} ESCAPE '\\'))"));
        rules.put("~~*", template("ss", "({0} ILIKE {1} ESCAPE '\\')"));
        rules.put("!~~*", template("ss", "(NOT ({0} ILIKE {1} ESCAPE '\\'))"));
        rules.put("like_escape", template("sss", "({0} LIKE {1} ESCAPE {2})"));
        rules.put("not_like_escape", template("sss", "(NOT ({0} LIKE {1} ESCAPE {2}))"));
        rules.put("ilike_escape", template("sss", "({0} ILIKE {1} ESCAPE {2})"));
        rules.put("not_ilike_escape", template("sss", "(NOT ({0} ILIKE {1} ESCAPE {2}))"));
    }

    private static void numbers(Map<String, Rule> rules) {
        rules.put("abs", template("x", "abs({0})"));
        rules.put("negative", template("x", "(-{0})"));
        rules.put("positive", template("x", "{0}"));
        for (String name : List.of("sign", "signum")) {
            rules.put(name, template("f", "CAST(sign({0}) AS DOUBLE)"));
        }
        rules.put("sqrt", template("f", "spark.sqrt({0})"));
        rules.put("cbrt", template("f", "cbrt({0})"));
        rules.put("exp", template("f", "exp({0})"));
        rules.put("ln", template("f", "spark.ln({0})"));
        rules.put("log", template("f", "spark.ln({0})"));
        rules.put("log2", template("f", "spark.log2({0})"));
        rules.put("log10", template("f", "spark.log10({0})"));
        for (String name : List.of("power", "pow")) {
            rules.put(name, template("ff", "pow({0}, {1})"));
        }
        for (String name : List.of("sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "degrees", "radians")) {
            rules.put(name, template("f", name + "({0})"));
        }
        rules.put("atan2", template("ff", "atan2({0}, {1})"));
        rules.put("pi", template("", "pi()"));
        rules.put("round", ScalarFunctions::round);
        rules.put("floor", site -> integer(site, "floor"));
        rules.put("ceil", site -> integer(site, "ceil"));
        rules.put("ceiling", site -> integer(site, "ceil"));
        rules.put("pmod", ScalarFunctions::positiveModulus);
        rules.put("mod", site -> operator(site, "%"));
        rules.put("isnan", template("f", "coalesce(isnan({0}), false)"));
        rules.put("&", template("xx", "({0} & {1})"));
        rules.put("|", template("xx", "({0} | {1})"));
        rules.put("~", template("x", "(~{0})"));
    }

    private static String operator(CallSite site, String operator) {
        if (site.count() != 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        return site.arithmetic().write(operator, site.argument(0), site.argument(1), site.offset());
    }

    private static String positiveModulus(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.count() != 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        List<String> values = site.unified();
        return "spark.pmod(" + values.get(0) + ", " + values.get(1) + ")";
    }

    private static String round(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.count() < 1 || site.count() > 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        Typed value = site.argument(0);
        int digits = 0;
        if (site.count() == 2) {
            String literal = site.argument(1).literal();
            if (literal == null || !site.argument(1).isIntegral()) {
                throw site.unsupported("the number of digits must be a literal");
            }
            digits = new BigDecimal(literal).intValueExact();
        }
        if (value.type() instanceof DecimalType decimal) {
            if (digits < 0) {
                throw site.unsupported("negative numbers of digits are not possible for decimals");
            }
            int scale = Math.min(decimal.scale(), digits);
            int precision = Math.min(DecimalType.PRECISION_MAX, decimal.precision() - decimal.scale() + 1 + scale);
            return "CAST(round(" + value.sql() + ", " + scale + ") AS "
                    + Spelling.type(new DecimalType(precision, scale)) + ")";
        }
        if (value.isFloating()) {
            String rounded = "spark_round(CAST(" + value.sql() + " AS DOUBLE), " + digits + ")";
            return value.type() == ScalarType.FLOAT ? "CAST(" + rounded + " AS FLOAT)" : rounded;
        }
        if (value.isKnown() && !value.isIntegral() && !value.isVoid()) {
            throw site.wrongType(0, site.knownType(0));
        }
        if (digits < 0) {
            throw site.unsupported("negative numbers of digits are not possible for whole numbers");
        }
        return value.sql();
    }

    private static String integer(CallSite site, String function) {
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.count() != 1) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        Typed value = site.argument(0);
        if (value.type() instanceof DecimalType decimal) {
            int precision = Math.min(DecimalType.PRECISION_MAX, decimal.precision() - decimal.scale() + 1);
            return "CAST(" + function + "(" + value.sql() + ") AS DECIMAL(" + precision + ",0))";
        }
        if (value.isIntegral()) {
            return "CAST(" + value.sql() + " AS BIGINT)";
        }
        return "CAST(" + function + "(" + site.coerced(0, ScalarType.DOUBLE) + ") AS BIGINT)";
    }

    private static void conditions(Map<String, Rule> rules) {
        rules.put("coalesce", site -> "coalesce(" + String.join(", ", site.unified()) + ")");
        for (String name : List.of("nvl", "ifnull")) {
            rules.put(name, site -> {
                if (site.count() != 2) {
                    throw site.invalid("wrong number of arguments (" + site.count() + ")");
                }
                return "coalesce(" + String.join(", ", site.unified()) + ")";
            });
        }
        for (String name : List.of("if", "iff")) {
            rules.put(name, site -> choose(site, " THEN "));
        }
        rules.put("nvl2", site -> choose(site, " IS NOT NULL THEN "));
        rules.put("nullif", ScalarFunctions::nullIf);
        rules.put("isnull", template("x", "({0} IS NULL)"));
        rules.put("isnotnull", template("x", "({0} IS NOT NULL)"));
        for (String name : List.of("greatest", "least")) {
            rules.put(name, site -> {
                if (site.count() < 2) {
                    throw site.invalid("wrong number of arguments (" + site.count() + ")");
                }
                return name + "(" + String.join(", ", site.unified()) + ")";
            });
        }
    }

    private static String choose(CallSite site, String then) {
        if (site.count() != 3) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        List<String> values = site.unified(site.arguments().subList(1, 3));
        return "CASE WHEN " + site.sql(0) + then + values.get(0) + " ELSE " + values.get(1) + " END";
    }

    private static String nullIf(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.count() != 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        List<String> values = site.unified();
        return "CASE WHEN " + values.get(0) + " = " + values.get(1) + " THEN NULL ELSE " + site.sql(0) + " END";
    }

    private static void casts(Map<String, Rule> rules) {
        for (String name : List.of(
                "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "string", "binary", "date")) {
            DataType type = SparkTypes.scalar(name).orElseThrow();
            rules.put(name, site -> cast(site, type));
        }
        rules.put("timestamp", site -> cast(site, ScalarType.TIMESTAMP));
        rules.put("decimal", site -> cast(site, new DecimalType(DECIMAL_PRECISION_DEFAULT, 0)));
    }

    private static String cast(CallSite site, DataType to) {
        if (site.count() != 1) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        if (site.isPending()) {
            return CallSite.placeholder(site.arguments(), "CAST(NULL AS " + Spelling.type(to) + ")");
        }
        DataType from = site.knownType(0);
        return Optional.of(from)
                .flatMap(known -> Casts.write(site.sql(0), known, to, Casts.Mode.STRICT))
                .orElseThrow(() -> site.wrongType(0, from));
    }

    /** Whether a value is a list of texts or may be one. */
    static boolean isTextList(Typed value) {
        return !value.isKnown() || (value.type() instanceof ArrayType array && array.element() == ScalarType.STRING);
    }
}
