package io.tidemark.duckdb.sql;

import java.util.ArrayList;
import java.util.List;

/** SQL functions in the schema {@code spark} that behave as Spark's functions and casts do. */
final class SparkMacros {
    /**
     * Blanks before each body, so that places in a bound plan tell the casts of these bodies from those of queries,
     * which are shorter.
     */
    static final int BODY_OFFSET = 1 << 15;

    /** Where the functions live. */
    static final String SCHEMA = "spark";

    private static final String INTEGER = "[+-]?[0-9]+";
    private static final String NUMBER = "[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?";
    private static final String DOUBLE = "(" + NUMBER + "|(?i:nan)|[+-]?(?i:inf|infinity))";
    private static final String DAY = "[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}";
    private static final String TIME = "[0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}(\\.[0-9]{0,9})?)?";
    private static final String ZONE = " ?(Z|UTC|GMT|[+-][0-9]{1,2}(:?[0-9]{2})?)";

    private SparkMacros() {}

    /** Statements that make the functions. */
    static List<String> statements() {
        List<String> statements = new ArrayList<>();
        statements.add("CREATE SCHEMA " + SCHEMA);
        texts(statements);
        numbers(statements);
        collections(statements);
        casts(statements);
        return statements;
    }

    private static void macro(List<String> statements, String head, String body) {
        statements.add("CREATE MACRO " + SCHEMA + "." + head + " AS " + " ".repeat(BODY_OFFSET) + body);
    }

    private static void texts(List<String> statements) {
        for (String name : List.of("upper", "lower")) {
            // letters beyond ASCII change as in the JVM: ß becomes SS
            macro(
                    statements,
                    name + "(s)",
                    "CASE WHEN strlen(s) = length(s) THEN " + name + "(s) ELSE spark_" + name + "(s) END");
        }
        macro(
                statements,
                "substring_start(s, p)",
                "CASE WHEN p > 0 THEN p - 1 WHEN p < 0 THEN length(s) + p ELSE 0 END");
        macro(
                statements,
                "substring_from(s, p)",
                "CASE WHEN p IS NOT NULL THEN substr(s, greatest(spark.substring_start(s, p), 0) + 1) END");
        macro(statements, "substring_for(s, p, n)", """
                CASE WHEN s IS NULL OR p IS NULL OR n IS NULL THEN NULL
                  WHEN spark.substring_start(s, p) + CAST(n AS BIGINT) <= greatest(spark.substring_start(s, p), 0)
                    THEN ''
                  ELSE substr(s, greatest(spark.substring_start(s, p), 0) + 1,
                    spark.substring_start(s, p) + CAST(n AS BIGINT) - greatest(spark.substring_start(s, p), 0)) END""");
        for (String side : List.of("lpad", "rpad")) {
            macro(
                    statements,
                    side + "(s, n, p)",
                    "CASE WHEN s IS NULL OR n IS NULL OR p IS NULL THEN NULL WHEN n <= 0 THEN ''"
                            + " WHEN p = '' OR length(s) >= n THEN left(s, n) ELSE " + side + "(s, n, p) END");
        }
        macro(statements, "locate_from(t, s, p)", """
                CASE WHEN t IS NULL OR s IS NULL THEN NULL WHEN p IS NULL OR p < 1 THEN 0
                  WHEN instr(substr(s, p), t) = 0 THEN 0 ELSE CAST(instr(substr(s, p), t) + p - 1 AS INTEGER) END""");
        macro(statements, "json_text(s, p)", "CASE WHEN json_valid(s) THEN json_extract_string(s, p) END");
    }

    private static void numbers(List<String> statements) {
        macro(
                statements,
                "divide(a, b)",
                "CASE WHEN b = 0 AND a IS NOT NULL THEN error('division by zero') ELSE a / b END");
        macro(
                statements,
                "remainder(a, b)",
                "CASE WHEN b = 0 AND a IS NOT NULL THEN error('division by zero') ELSE a % b END");
        macro(statements, "floor_div(a, b)", "CASE WHEN a % b < 0 THEN a // b - 1 ELSE a // b END");
        macro(statements, "pmod(a, b)", "CASE WHEN a % b < 0 THEN (a % b + b) % b ELSE a % b END");
        macro(statements, "sqrt(x)", "CASE WHEN x < 0 THEN CAST('nan' AS DOUBLE) ELSE sqrt(x) END");
        for (String name : List.of("ln", "log2", "log10")) {
            macro(statements, name + "(x)", "CASE WHEN x <= 0 THEN NULL ELSE " + name + "(x) END");
        }
        macro(statements, "timestamp_of_micros(u)", "CAST(make_timestamp(u) AS TIMESTAMPTZ)");
    }

    private static void collections(List<String> statements) {
        macro(statements, "array_contains(a, x)", """
                CASE WHEN a IS NULL OR x IS NULL THEN NULL WHEN list_contains(a, x) THEN true
                  WHEN len(list_filter(a, lambda e: e IS NULL)) > 0 THEN NULL ELSE false END""");
        macro(statements, "element_at(a, i)", """
                CASE WHEN a IS NULL OR i IS NULL THEN NULL
                  WHEN i = 0 OR abs(CAST(i AS BIGINT)) > len(a)
                    THEN error('index ' || CAST(i AS VARCHAR) || ' is out of the bounds of an array with '
                      || CAST(len(a) AS VARCHAR) || ' elements')
                  ELSE list_extract(a, i) END""");
        macro(statements, "subscript(a, i)", """
                CASE WHEN a IS NULL OR i IS NULL THEN NULL
                  WHEN i < 0 OR i >= len(a)
                    THEN error('index ' || CAST(i AS VARCHAR) || ' is out of the bounds of an array with '
                      || CAST(len(a) AS VARCHAR) || ' elements')
                  ELSE list_extract(a, CAST(i AS BIGINT) + 1) END""");
    }

    private static void casts(List<String> statements) {
        macro(statements, "trimmed(x)", "trim(x, E' \\t\\n\\r\\f\\x0B')");
        checked(statements, "integer_text", INTEGER, "a whole number");
        checked(statements, "number_text", NUMBER, "a number");
        checked(statements, "double_text", DOUBLE, "a number");
        macro(statements, "try_boolean_text(x)", """
                CASE WHEN lower(spark.trimmed(x)) IN ('t', 'true', 'y', 'yes', '1') THEN true
                  WHEN lower(spark.trimmed(x)) IN ('f', 'false', 'n', 'no', '0') THEN false END""");
        strict(statements, "boolean_text", "BOOLEAN");
        macro(
                statements,
                "try_date_text(x)",
                "CASE WHEN regexp_full_match(spark.trimmed(x), '[0-9]{4}')"
                        + " THEN TRY_CAST(spark.trimmed(x) || '-01-01' AS DATE)"
                        + " WHEN regexp_full_match(spark.trimmed(x), '[0-9]{4}-[0-9]{1,2}')"
                        + " THEN TRY_CAST(spark.trimmed(x) || '-01' AS DATE)"
                        + " WHEN regexp_full_match(spark.trimmed(x), '" + DAY + "([ T].*)?')"
                        + " THEN TRY_CAST(regexp_extract(spark.trimmed(x), '^" + DAY + "') AS DATE) END");
        strict(statements, "date_text", "DATE");
        macro(
                statements,
                "try_timestamp_text(x)",
                "CASE WHEN regexp_full_match(spark.trimmed(x), '" + DAY + "[ T]" + TIME + "(" + ZONE + ")?')"
                        + " THEN TRY_CAST(spark.trimmed(x) AS TIMESTAMPTZ)"
                        + " WHEN regexp_full_match(spark.trimmed(x), '" + DAY + "[ T]" + TIME
                        + " [A-Za-z]+/[A-Za-z_/]+')"
                        + " THEN TRY_CAST(replace(spark.trimmed(x), 'T', ' ') AS TIMESTAMPTZ)"
                        + " WHEN NOT contains(x, ':') THEN CAST(spark.try_date_text(x) AS TIMESTAMPTZ) END");
        strict(statements, "timestamp_text", "TIMESTAMP");
        macro(
                statements,
                "try_local_timestamp_text(x)",
                "CASE WHEN regexp_full_match(spark.trimmed(x), '" + DAY + "[ T]" + TIME + "(" + ZONE + ")?')"
                        + " THEN TRY_CAST(regexp_replace(spark.trimmed(x), '" + ZONE + "$', '') AS TIMESTAMP)"
                        + " WHEN NOT contains(x, ':') THEN CAST(spark.try_date_text(x) AS TIMESTAMP) END");
        strict(statements, "local_timestamp_text", "TIMESTAMP_NTZ");
    }

    /** A text without the blanks around it, if it is well formed. */
    private static void checked(List<String> statements, String name, String pattern, String what) {
        macro(
                statements,
                "try_" + name + "(x)",
                "CASE WHEN regexp_full_match(spark.trimmed(x), '" + pattern + "') THEN spark.trimmed(x) END");
        macro(
                statements,
                name + "(x)",
                "CASE WHEN x IS NOT NULL THEN coalesce(spark.try_" + name
                        + "(x), error('the text ''' || x || ''' is not " + what + "')) END");
    }

    private static void strict(List<String> statements, String name, String type) {
        macro(
                statements,
                name + "(x)",
                "CASE WHEN x IS NOT NULL THEN coalesce(spark.try_" + name + "(x), error('the text ''' || x"
                        + " || ''' cannot be cast to " + type + "')) END");
    }
}
