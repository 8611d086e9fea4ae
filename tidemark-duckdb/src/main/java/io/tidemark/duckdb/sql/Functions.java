package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The functions that a query may call, by Spark's names. What is not here is refused, never guessed. */
final class Functions {
    /** Writes a call. */
    @FunctionalInterface
    interface Rule {
        String write(CallSite site);

        /** This rule, but another one for calls with that number of arguments. */
        default Rule or(int count, Rule other) {
            return site -> site.count() == count ? other.write(site) : write(site);
        }
    }

    /** Marks an argument that repeats. */
    private static final char REPEAT = '*';

    private static final Map<String, Rule> RULES = new HashMap<>();
    private static final Set<String> READERS = Set.of(
            "read_files",
            "read_csv",
            "read_csv_auto",
            "read_json",
            "read_json_auto",
            "read_json_objects",
            "read_ndjson",
            "read_ndjson_objects",
            "read_ndjson_auto",
            "read_json_objects_auto",
            "read_parquet",
            "parquet_scan",
            "parquet_schema",
            "parquet_metadata",
            "parquet_file_metadata",
            "parquet_kv_metadata",
            "read_text",
            "read_blob",
            "sniff_csv",
            "glob",
            "getenv",
            "getvariable",
            "current_setting",
            "query",
            "query_table",
            "json_execute_serialized_sql",
            "sqlite_scan",
            "postgres_scan",
            "iceberg_scan",
            "delta_scan",
            "input_file_name",
            "which_secret",
            "reflect",
            "java_method");
    private static final Map<String, String> DIFFERING = Map.of(
            "to_json", "texts of times and numbers differ between engines; build the text with concat",
            "hash", "hash values differ between engines; use md5 or sha2",
            "xxhash64", "hash values differ between engines; use md5 or sha2",
            "murmur_hash", "hash values differ between engines; use md5 or sha2",
            "monotonically_increasing_id", "its values depend on how an engine divides the work",
            "spark_partition_id", "its values depend on how an engine divides the work",
            "approx_count_distinct", "approximations differ between engines; use count(DISTINCT …)",
            "rand", "random values differ between runs",
            "randn", "random values differ between runs");

    static {
        ScalarFunctions.addTo(RULES);
        TemporalFunctions.addTo(RULES);
        CollectionFunctions.addTo(RULES);
        AggregateFunctions.addTo(RULES);
        JsonFunctions.addTo(RULES);
    }

    private Functions() {}

    /** Whether a query may call the function. */
    static boolean isKnown(String name) {
        return RULES.containsKey(name.toLowerCase(Locale.ROOT));
    }

    /** The rule of a function. */
    static Optional<Rule> rule(String name) {
        return Optional.ofNullable(RULES.get(name.toLowerCase(Locale.ROOT)));
    }

    /** The error for a call of a function that is not here. */
    static TidemarkException unknown(Positions positions, String name, int offset) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (READERS.contains(lower) || lower.startsWith("duckdb_") || lower.startsWith("pragma_")) {
            return positions
                    .error(ErrorCode.QUERY_NOT_ALLOWED, "a query may not call " + name, offset)
                    .hint("Queries read tables and views of the pipeline only.")
                    .build();
        }
        TidemarkException.Builder error =
                positions.error(ErrorCode.UNKNOWN_FUNCTION, "the embedded engine has no function " + name, offset);
        if (lower.equals("row")) {
            return positions
                    .error(ErrorCode.UNSUPPORTED_FEATURE, "(a, b) as one value is not supported", offset)
                    .hint("compare the columns one by one; for (a, b) IN (SELECT …) write WHERE EXISTS (SELECT …)")
                    .build();
        }
        String why = DIFFERING.get(lower);
        if (why != null) {
            return error.hint(why.substring(0, 1).toUpperCase(Locale.ROOT) + why.substring(1) + ".")
                    .build();
        }
        List<String> similar = similar(lower);
        if (!similar.isEmpty()) {
            error.hint("Did you mean " + String.join(", ", similar) + "?");
        }
        return error.build();
    }

    private static List<String> similar(String name) {
        return new TreeSet<>(RULES.keySet())
                .stream()
                        .filter(known -> known.startsWith("generator_")
                                ? false
                                : distance(known, name) <= Math.min(2, name.length() / 3))
                        .limit(3)
                        .toList();
    }

    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int above = row[j];
                int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, Math.min(row[j - 1], above) + 1);
                diagonal = above;
            }
        }
        return row[b.length()];
    }

    /**
     * A rule that fills a template.
     *
     * @param signature one letter per argument: s string, i INT, l BIGINT, d DATE, t TIMESTAMP, f DOUBLE, b BOOLEAN, y
     *     bytes, x anything; {@code ?} before optional ones, {@code *} behind one that may repeat
     * @param template text with {@code {0}}, {@code {1}} … for arguments; {@code {*}} for all with commas
     * @param variants templates for calls with one, two … optional arguments
     */
    static Rule template(String signature, String template, String... variants) {
        return site -> {
            int optional = signature.indexOf('?');
            String letters = signature.replace("?", "").replace("*", "");
            boolean repeats = signature.indexOf(REPEAT) >= 0;
            int least = optional < 0 ? letters.length() : optional;
            boolean fits = site.count() >= least && (repeats || site.count() <= letters.length());
            if (!fits) {
                throw site.invalid("wrong number of arguments (" + site.count() + ")");
            }
            if (!site.suffix().isPlain()) {
                throw site.invalid("it is no aggregate function");
            }
            if (site.isPending() && keepsMeaning(site)) {
                return site.placeholder();
            }
            StringBuilder all = new StringBuilder();
            String text = site.count() == least || variants.length == 0 ? template : variants[site.count() - least - 1];
            for (int i = 0; i < site.count(); i++) {
                String value = coerced(site, i, letters.charAt(Math.min(i, letters.length() - 1)));
                all.append(i == 0 ? "" : ", ").append(value);
                text = text.replace("{" + i + "}", value);
            }
            return text.replace("{*}", all);
        };
    }

    /** Functions with lambdas must stand as they are from the start, or nothing would bind the parameters. */
    private static boolean keepsMeaning(CallSite site) {
        return site.arguments().stream().allMatch(value -> value.pending() || value.isKnown() || value.interval());
    }

    private static String coerced(CallSite site, int index, char letter) {
        DataType type = switch (letter) {
            case 's' -> ScalarType.STRING;
            case 'i' -> ScalarType.INTEGER;
            case 'l' -> ScalarType.LONG;
            case 'd' -> ScalarType.DATE;
            case 't' -> ScalarType.TIMESTAMP;
            case 'f' -> ScalarType.DOUBLE;
            case 'b' -> ScalarType.BOOLEAN;
            case 'y' -> ScalarType.BINARY;
            default -> ScalarType.VOID;
        };
        Typed value = site.argument(index);
        boolean keeps = type == ScalarType.VOID || (letter == 't' && value.type() == ScalarType.TIMESTAMP_NTZ);
        if (letter == 'b' && value.isKnown() && value.type() != ScalarType.BOOLEAN && !value.isVoid()) {
            DataType found = value.type();
            throw site.wrongType(index, found == null ? type : found);
        }
        return keeps ? site.sql(index) : site.coerced(index, type);
    }
}
