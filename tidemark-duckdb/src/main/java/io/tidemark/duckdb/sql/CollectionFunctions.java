package io.tidemark.duckdb.sql;

import static io.tidemark.duckdb.sql.Functions.template;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.session.Spelling;
import io.tidemark.duckdb.sql.Functions.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Functions on arrays and maps. */
final class CollectionFunctions {
    private CollectionFunctions() {}

    static void addTo(Map<String, Rule> rules) {
        rules.put("array", site -> "list_value(" + String.join(", ", site.unified()) + ")");
        rules.put("map", CollectionFunctions::map);
        rules.put("map_from_arrays", template("xx", "map({0}, {1})"));
        for (String name : List.of("size", "cardinality")) {
            rules.put(
                    name,
                    site -> one(
                            site,
                            site.count() == 1 && site.argument(0).isMap()
                                    ? "CAST(cardinality({0}) AS INTEGER)"
                                    : "CAST(len({0}) AS INTEGER)"));
        }
        rules.put("array_size", array("CAST(len({0}) AS INTEGER)"));
        rules.put("array_contains", CollectionFunctions::contains);
        rules.put("element_at", CollectionFunctions::elementAt);
        rules.put("get", CollectionFunctions::getElement);
        rules.put("map_keys", map("map_keys({0})"));
        rules.put("map_values", map("map_values({0})"));
        rules.put("map_entries", map("map_entries({0})"));
        rules.put("map_contains_key", CollectionFunctions::containsKey);
        rules.put("array_max", array("list_max({0})"));
        rules.put("array_min", array("list_min({0})"));
        rules.put("array_join", CollectionFunctions::join);
        rules.put("sort_array", CollectionFunctions::sorted);
        rules.put("array_sort", array("list_sort({0}, 'ASC', 'NULLS LAST')"));
        rules.put(
                "reverse",
                site -> one(
                        site, site.count() == 1 && site.argument(0).isArray() ? "list_reverse({0})" : "reverse({0})"));
        rules.put("transform", template("xx", "list_transform({0}, {1})"));
        rules.put("filter", template("xx", "list_filter({0}, {1})"));
        rules.put("explode", CollectionFunctions::explode);
        rules.put("explode_outer", array("unnest(CASE WHEN len({0}) > 0 THEN {0} ELSE [NULL] END)"));
        rules.put("generator_position", array("CAST(unnest(range(len({0}))) AS INTEGER)"));
        rules.put("generator_keys", map("unnest(map_keys({0}))"));
        rules.put("generator_values", map("unnest(map_values({0}))"));
        rules.put("range", site -> {
            throw site.unsupported("it stands in FROM only");
        });
        rules.put("sequence", CollectionFunctions::sequence);
    }

    private static String one(CallSite site, String template) {
        return template("x", template).write(site);
    }

    private static Rule array(String template) {
        return site -> {
            if (site.count() == 1
                    && site.argument(0).isKnown()
                    && !site.argument(0).isArray()) {
                throw site.wrongType(0, site.knownType(0));
            }
            return one(site, template);
        };
    }

    private static String explode(CallSite site) {
        if (site.count() != 1) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        if (site.argument(0).isKnown()
                && !site.argument(0).isArray()
                && !site.argument(0).isVoid()) {
            throw site.wrongType(0, site.knownType(0));
        }
        return "unnest(" + site.sql(0) + ")";
    }

    private static Rule map(String template) {
        return site -> {
            if (site.count() == 1
                    && site.argument(0).isKnown()
                    && !site.argument(0).isMap()) {
                throw site.wrongType(0, site.knownType(0));
            }
            return one(site, template);
        };
    }

    private static String map(CallSite site) {
        if (site.count() % 2 != 0) {
            throw site.invalid("a value is missing for the last key");
        }
        List<Typed> keys = new ArrayList<>();
        List<Typed> values = new ArrayList<>();
        for (int i = 0; i < site.count(); i += 2) {
            keys.add(site.argument(i));
            values.add(site.argument(i + 1));
        }
        return "map(list_value(" + String.join(", ", site.unified(keys)) + "), list_value("
                + String.join(", ", site.unified(values)) + "))";
    }

    private static void needTwo(CallSite site) {
        if (site.count() != 2) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
    }

    private static String contains(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        needTwo(site);
        if (site.argument(0).type() instanceof ArrayType array) {
            String value = fitting(site, 1, array.element());
            return "spark.array_contains(" + site.sql(0) + ", " + value + ")";
        }
        return template("xx", "list_contains({0}, {1})").write(site);
    }

    private static String containsKey(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        needTwo(site);
        if (site.argument(0).type() instanceof MapType map) {
            return "list_contains(map_keys(" + site.sql(0) + "), " + fitting(site, 1, map.key()) + ")";
        }
        return template("xx", "map_contains({0}, {1})").write(site);
    }

    /** An argument in the type of an element or key; other types are refused rather than guessed. */
    private static String fitting(CallSite site, int index, DataType type) {
        DataType found = site.knownType(index);
        boolean fits = WideTypes.common(type, found).filter(type::equals).isPresent();
        if (!fits) {
            throw site.wrongType(index, found);
        }
        return "CAST(" + site.sql(index) + " AS " + Spelling.type(type) + ")";
    }

    private static String elementAt(CallSite site) {
        needTwo(site);
        if (site.isPending() || site.argument(0).isVoid()) {
            return CallSite.placeholder(site.arguments(), site.sql(0) + "[" + site.sql(1) + "]");
        }
        if (site.argument(0).type() instanceof MapType map) {
            return "map_extract_value(" + site.sql(0) + ", " + fitting(site, 1, map.key()) + ")";
        }
        if (site.argument(0).isArray()) {
            return "spark.element_at(" + site.sql(0) + ", " + site.coerced(1, ScalarType.INTEGER) + ")";
        }
        throw site.wrongType(0, site.knownType(0));
    }

    /** The subscript {@code a[i]}: from 0 in arrays, by key in maps. */
    static String subscript(CallSite site) {
        if (site.isPending() || site.argument(0).isVoid()) {
            return CallSite.placeholder(site.arguments(), site.sql(0) + "[" + site.sql(1) + "]");
        }
        if (site.argument(0).type() instanceof MapType map) {
            return "map_extract_value(" + site.sql(0) + ", " + fitting(site, 1, map.key()) + ")";
        }
        if (site.argument(0).isArray()) {
            if (!site.argument(1).isIntegral()) {
                throw site.wrongType(1, site.knownType(1));
            }
            return "spark.subscript(" + site.sql(0) + ", " + site.sql(1) + ")";
        }
        throw site.wrongType(0, site.knownType(0));
    }

    private static String getElement(CallSite site) {
        needTwo(site);
        if (site.isPending() || site.argument(0).isVoid()) {
            return CallSite.placeholder(site.arguments(), site.sql(0) + "[" + site.sql(1) + "]");
        }
        if (site.argument(0).isKnown() && !site.argument(0).isArray()) {
            throw site.wrongType(0, site.knownType(0));
        }
        String index = site.coerced(1, ScalarType.INTEGER);
        return "CASE WHEN " + index + " >= 0 THEN list_extract(" + site.sql(0) + ", " + index + " + 1) END";
    }

    private static String join(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        needTwo(site);
        if (!ScalarFunctions.isTextList(site.argument(0))) {
            throw site.wrongType(0, site.knownType(0));
        }
        return template("xs", "array_to_string({0}, {1})").write(site);
    }

    private static String sorted(CallSite site) {
        if (site.count() == 2) {
            String ascending = site.argument(1).literal();
            if (ascending == null) {
                throw site.unsupported("the direction must be a literal");
            }
            return template(
                            "xx",
                            ascending.equalsIgnoreCase("true")
                                    ? "list_sort({0}, 'ASC', 'NULLS FIRST')"
                                    : "list_sort({0}, 'DESC', 'NULLS LAST')")
                    .write(site);
        }
        return one(site, "list_sort({0}, 'ASC', 'NULLS FIRST')");
    }

    private static String sequence(CallSite site) {
        if (site.isPending()) {
            return site.placeholder();
        }
        if (site.count() < 2 || site.count() > 3) {
            throw site.invalid("wrong number of arguments (" + site.count() + ")");
        }
        for (Typed value : site.arguments()) {
            if (value.isKnown() && !value.isIntegral()) {
                throw site.unsupported("only whole numbers are possible");
            }
        }
        DataType type = WideTypes.common(site.knownType(0), site.knownType(1)).orElse(ScalarType.LONG);
        String step = site.count() == 3
                ? site.sql(2)
                : "CASE WHEN " + site.sql(0) + " <= " + site.sql(1) + " THEN 1 ELSE -1 END";
        String list = "generate_series(CAST(" + site.sql(0) + " AS BIGINT), CAST(" + site.sql(1) + " AS BIGINT), CAST("
                + step + " AS BIGINT))";
        return type == ScalarType.VOID ? list : "CAST(" + list + " AS " + Spelling.type(type) + "[])";
    }
}
