package io.tidemark.duckdb.sql;

import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.sql.Functions.Rule;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Aggregate and window functions. */
final class AggregateFunctions {
    private static final int SUM_DIGITS_MORE = 10;
    private static final int AVERAGE_DIGITS_MORE = 4;
    private static final int COUNT_DIGITS = 20;

    private AggregateFunctions() {}

    static void addTo(Map<String, Rule> rules) {
        rules.put("count", AggregateFunctions::count);
        rules.put("count_star", site -> site.aggregate("count", List.of(), Optional.empty()));
        rules.put("count_if", site -> {
            String condition = only(site);
            return site.aggregate("count", List.of(), Optional.of(condition));
        });
        rules.put("sum", AggregateFunctions::sum);
        rules.put("avg", AggregateFunctions::average);
        rules.put("mean", AggregateFunctions::average);
        for (String name : List.of("min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "bit_xor")) {
            rules.put(name, site -> site.aggregate(name, List.of(only(site)), Optional.empty()));
        }
        rules.put("every", site -> site.aggregate("bool_and", List.of(only(site)), Optional.empty()));
        for (String name : List.of("some", "any")) {
            rules.put(name, site -> site.aggregate("bool_or", List.of(only(site)), Optional.empty()));
        }
        for (String name : List.of("first", "first_value", "any_value")) {
            rules.put(name, site -> edge(site, "first", "first_value"));
        }
        for (String name : List.of("last", "last_value")) {
            rules.put(name, site -> edge(site, "last", "last_value"));
        }
        for (String name : List.of("collect_list", "array_agg")) {
            rules.put(name, site -> {
                String value = only(site);
                return "coalesce(" + site.aggregate("list", List.of(value), Optional.of(value + " IS NOT NULL"))
                        + ", [])";
            });
        }
        rules.put("collect_set", site -> {
            String value = only(site);
            String list = site.aggregate("list", List.of(value), Optional.of(value + " IS NOT NULL"));
            return "coalesce(list_sort(list_distinct(" + list + ")), [])";
        });
        rules.put("max_by", site -> by(site, "arg_max_null"));
        rules.put("min_by", site -> by(site, "arg_min_null"));
        statistics(rules);
        windows(rules);
    }

    private static void statistics(Map<String, Rule> rules) {
        Map<String, String> names = Map.of(
                "stddev", "stddev_samp",
                "std", "stddev_samp",
                "stddev_samp", "stddev_samp",
                "stddev_pop", "stddev_pop",
                "variance", "var_samp",
                "var_samp", "var_samp",
                "var_pop", "var_pop",
                "median", "median");
        names.forEach((spark, duck) -> rules.put(spark, site -> {
            only(site);
            return site.aggregate(duck, List.of(site.coerced(0, ScalarType.DOUBLE)), Optional.empty());
        }));
        for (String name : List.of("corr", "covar_pop", "covar_samp")) {
            rules.put(name, site -> {
                need(site, 2);
                return site.aggregate(
                        name,
                        List.of(site.coerced(0, ScalarType.DOUBLE), site.coerced(1, ScalarType.DOUBLE)),
                        Optional.empty());
            });
        }
        for (String name : List.of("string_agg", "listagg")) {
            rules.put(name, site -> {
                String separator = site.count() == 2 ? site.coerced(1, ScalarType.STRING) : "''";
                if (site.count() < 1 || site.count() > 2) {
                    throw site.invalid("wrong number of arguments (" + site.count() + ")");
                }
                return site.aggregate(
                        "string_agg", List.of(site.coerced(0, ScalarType.STRING), separator), Optional.empty());
            });
        }
    }

    private static void windows(Map<String, Rule> rules) {
        for (String name : List.of("row_number", "rank", "dense_rank")) {
            rules.put(name, site -> "CAST(" + window(site, name, 0, 0) + " AS INTEGER)");
        }
        rules.put("ntile", site -> "CAST(" + window(site, "ntile", 1, 1) + " AS INTEGER)");
        for (String name : List.of("percent_rank", "cume_dist")) {
            rules.put(name, site -> window(site, name, 0, 0));
        }
        for (String name : List.of("lag", "lead")) {
            rules.put(name, site -> window(site, name, 1, 3));
        }
        rules.put("nth_value", site -> window(site, "nth_value", 2, 2));
    }

    private static String window(CallSite site, String name, int least, int most) {
        if (site.suffix().over().isEmpty()) {
            throw site.invalid("it needs OVER");
        }
        if (site.count() < least || site.count() > most) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        return site.aggregate(name, site.arguments().stream().map(Typed::sql).toList(), Optional.empty());
    }

    private static void need(CallSite site, int count) {
        if (site.count() != count) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
    }

    private static String only(CallSite site) {
        need(site, 1);
        return site.sql(0);
    }

    private static String count(CallSite site) {
        return site.count() == 0
                ? site.aggregate("count", List.of(), Optional.empty())
                : site.aggregate("count", List.of(only(site)), Optional.empty());
    }

    private static String sum(CallSite site) {
        String value = only(site);
        Typed argument = site.argument(0);
        if (argument.type() instanceof DecimalType decimal) {
            String sum = site.aggregate("sum", List.of(value), Optional.empty());
            return "CAST(" + sum + " AS " + Spelling.type(sumType(decimal)) + ")";
        }
        if (argument.isIntegral()) {
            return "CAST(" + site.aggregate("sum", List.of(value), Optional.empty()) + " AS BIGINT)";
        }
        return site.aggregate("sum", List.of(site.coerced(0, ScalarType.DOUBLE)), Optional.empty());
    }

    private static DecimalType sumType(DecimalType decimal) {
        return new DecimalType(
                Math.min(DecimalType.PRECISION_MAX, decimal.precision() + SUM_DIGITS_MORE), decimal.scale());
    }

    private static String average(CallSite site) {
        String value = only(site);
        if (site.argument(0).type() instanceof DecimalType decimal) {
            DecimalType sum = sumType(decimal);
            DecimalType count = new DecimalType(COUNT_DIGITS, 0);
            DecimalType result =
                    WideTypes.bounded(decimal.precision() + AVERAGE_DIGITS_MORE, decimal.scale() + AVERAGE_DIGITS_MORE);
            String function = site.decimals().name("/", sum, count, result);
            return function + "(CAST(" + site.aggregate("sum", List.of(value), Optional.empty()) + " AS "
                    + Spelling.type(sum) + "), CAST(nullif("
                    + site.aggregate("count", List.of(value), Optional.empty()) + ", 0) AS DECIMAL(20,0)))";
        }
        return site.aggregate("avg", List.of(site.coerced(0, ScalarType.DOUBLE)), Optional.empty());
    }

    private static String edge(CallSite site, String aggregate, String window) {
        boolean flag = site.count() == 2;
        if (site.count() < 1 || site.count() > 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        boolean ignore = site.suffix().ignoreNulls();
        if (flag) {
            String literal = site.argument(1).literal();
            if (literal == null) {
                throw site.unsupported("the second argument must be true or false");
            }
            ignore = ignore || literal.equalsIgnoreCase("true");
        }
        CallSite plain = site.withIgnoreNulls(ignore && !site.suffix().over().isEmpty());
        if (!site.suffix().over().isEmpty()) {
            return plain.aggregate(window, List.of(site.sql(0)), Optional.empty());
        }
        Optional<String> condition = ignore ? Optional.of(site.sql(0) + " IS NOT NULL") : Optional.empty();
        return plain.aggregate(aggregate, List.of(site.sql(0)), condition);
    }

    /** Rows without an order are left out; values may be NULL. */
    private static String by(CallSite site, String function) {
        need(site, 2);
        return site.aggregate(function, List.of(site.sql(0), site.sql(1)), Optional.of(site.sql(1) + " IS NOT NULL"));
    }
}
