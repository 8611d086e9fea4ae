package io.tidemark.duckdb.sql;

import static io.tidemark.duckdb.sql.Functions.template;

import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.sql.Functions.Rule;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Functions on dates and times. */
final class TemporalFunctions {
    private static final Map<String, String> TRUNCATIONS = Map.ofEntries(
            Map.entry("YEAR", "year"),
            Map.entry("YYYY", "year"),
            Map.entry("YY", "year"),
            Map.entry("QUARTER", "quarter"),
            Map.entry("MONTH", "month"),
            Map.entry("MON", "month"),
            Map.entry("MM", "month"),
            Map.entry("WEEK", "week"),
            Map.entry("DAY", "day"),
            Map.entry("DD", "day"),
            Map.entry("HOUR", "hour"),
            Map.entry("MINUTE", "minute"),
            Map.entry("SECOND", "second"),
            Map.entry("MILLISECOND", "milliseconds"),
            Map.entry("MICROSECOND", "microseconds"));
    private static final Map<String, String> PARTS = Map.ofEntries(
            Map.entry("YEAR", "year"),
            Map.entry("YEARS", "year"),
            Map.entry("Y", "year"),
            Map.entry("QUARTER", "quarter"),
            Map.entry("QTR", "quarter"),
            Map.entry("MONTH", "month"),
            Map.entry("MON", "month"),
            Map.entry("MONS", "month"),
            Map.entry("MONTHS", "month"),
            Map.entry("WEEK", "weekofyear"),
            Map.entry("W", "weekofyear"),
            Map.entry("WEEKS", "weekofyear"),
            Map.entry("DAY", "day"),
            Map.entry("D", "day"),
            Map.entry("DAYS", "day"),
            Map.entry("DAYOFWEEK", "dayofweek"),
            Map.entry("DOW", "dayofweek"),
            Map.entry("DOY", "dayofyear"),
            Map.entry("HOUR", "hour"),
            Map.entry("H", "hour"),
            Map.entry("HOURS", "hour"),
            Map.entry("MINUTE", "minute"),
            Map.entry("M", "minute"),
            Map.entry("MIN", "minute"),
            Map.entry("MINUTES", "minute"));
    private static final List<String> DATE_TRUNCATIONS =
            List.of("YEAR", "YYYY", "YY", "QUARTER", "MONTH", "MON", "MM", "WEEK");

    private TemporalFunctions() {}

    static void addTo(Map<String, Rule> rules) {
        parts(rules);
        dates(rules);
        instants(rules);
    }

    private static void parts(Map<String, Rule> rules) {
        for (String name : List.of("year", "quarter", "month", "day", "dayofyear", "weekofyear")) {
            rules.put(name, template("d", "CAST(" + name + "({0}) AS INTEGER)"));
        }
        rules.put("dayofmonth", template("d", "CAST(day({0}) AS INTEGER)"));
        rules.put("dayofweek", template("d", "CAST(dayofweek({0}) + 1 AS INTEGER)"));
        rules.put("weekday", template("d", "CAST(isodow({0}) - 1 AS INTEGER)"));
        for (String name : List.of("hour", "minute", "second")) {
            rules.put(name, template("t", "CAST(" + name + "({0}) AS INTEGER)"));
        }
        for (String name : List.of("date_part", "datepart", "extract")) {
            rules.put(name, site -> part(site, rules));
        }
    }

    private static String part(CallSite site, Map<String, Rule> rules) {
        if (site.count() != 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        String field = site.literal(0);
        Rule rule = rules.get(PARTS.getOrDefault(field.toUpperCase(Locale.ROOT), ""));
        if (rule == null) {
            throw site.unsupported("the field " + field + " is not possible");
        }
        return rule.write(site.with(List.of(site.argument(1))));
    }

    private static void dates(Map<String, Rule> rules) {
        for (String name : List.of("current_date", "curdate")) {
            rules.put(name, template("", "current_date"));
        }
        for (String name : List.of("date_add", "dateadd")) {
            rules.put(name, template("di", "CAST({0} + {1} AS DATE)"));
        }
        rules.put("date_sub", template("di", "CAST({0} - {1} AS DATE)"));
        for (String name : List.of("datediff", "date_diff")) {
            rules.put(name, template("dd", "CAST({0} - {1} AS INTEGER)"));
        }
        rules.put("add_months", template("di", "CAST({0} + to_months({1}) AS DATE)"));
        rules.put("last_day", template("d", "last_day({0})"));
        rules.put("make_date", template("iii", "make_date({0}, {1}, {2})"));
        rules.put("unix_date", template("d", "CAST({0} - DATE '1970-01-01' AS INTEGER)"));
        rules.put("date_from_unix_date", template("i", "CAST(DATE '1970-01-01' + {0} AS DATE)"));
        rules.put(
                "to_date",
                template("d", "{0}")
                        .or(2, template("ss", "CAST(DATE '1970-01-01' + spark_parse_date({0}, {1}) AS DATE)")));
        rules.put("trunc", site -> {
            if (site.count() != 2) {
                throw site.invalid("wrong number of arguments (" + site.count() + ")");
            }
            if (site.isPending()) {
                return site.placeholder();
            }
            String unit = site.literal(1).toUpperCase(Locale.ROOT);
            if (!DATE_TRUNCATIONS.contains(unit)) {
                throw site.unsupported("the unit " + site.literal(1) + " is not possible");
            }
            return "CAST(date_trunc(" + Spelling.string(TRUNCATIONS.getOrDefault(unit, "")) + ", "
                    + site.coerced(0, ScalarType.DATE) + ") AS DATE)";
        });
    }

    private static void instants(Map<String, Rule> rules) {
        for (String name : List.of("current_timestamp", "now")) {
            rules.put(name, template("", "now()"));
        }
        rules.put("localtimestamp", template("", "CAST(now() AS TIMESTAMP)"));
        rules.put("date_trunc", site -> {
            if (site.count() != 2) {
                throw site.invalid("wrong number of arguments (" + site.count() + ")");
            }
            if (site.isPending()) {
                return site.placeholder();
            }
            String unit = TRUNCATIONS.get(site.literal(0).toUpperCase(Locale.ROOT));
            if (unit == null) {
                throw site.unsupported("the unit " + site.literal(0) + " is not possible");
            }
            return "date_trunc(" + Spelling.string(unit) + ", " + site.coerced(1, ScalarType.TIMESTAMP) + ")";
        });
        rules.put("date_format", template("ts", "spark_date_format(epoch_us({0}), {1})"));
        rules.put(
                "to_timestamp",
                template("t", "CAST({0} AS TIMESTAMPTZ)")
                        .or(2, template("ss", "spark.timestamp_of_micros(spark_parse_timestamp({0}, {1}))")));
        rules.put("to_timestamp_ntz", site -> {
            if (site.count() != 1) {
                throw site.invalid("wrong number of arguments (" + site.count() + ")");
            }
            return site.coerced(0, ScalarType.TIMESTAMP_NTZ);
        });
        for (String name : List.of("unix_timestamp", "to_unix_timestamp")) {
            rules.put(
                    name,
                    template(
                                    "?t",
                                    "spark.floor_div(epoch_us(now()), 1000000)",
                                    "spark.floor_div(epoch_us({0}), 1000000)")
                            .or(2, template("ss", "spark.floor_div(spark_parse_timestamp({0}, {1}), 1000000)")));
        }
        rules.put(
                "from_unixtime",
                template(
                        "l?s",
                        "spark_date_format({0} * 1000000, 'yyyy-MM-dd HH:mm:ss')",
                        "spark_date_format({0} * 1000000, {1})"));
        rules.put("timestamp_micros", template("l", "spark.timestamp_of_micros({0})"));
        rules.put("timestamp_millis", template("l", "spark.timestamp_of_micros({0} * 1000)"));
        rules.put("timestamp_seconds", template("l", "spark.timestamp_of_micros({0} * 1000000)"));
        rules.put("unix_micros", template("t", "epoch_us({0})"));
        rules.put("unix_millis", template("t", "spark.floor_div(epoch_us({0}), 1000)"));
        rules.put("unix_seconds", template("t", "spark.floor_div(epoch_us({0}), 1000000)"));
    }
}
