package io.tidemark.dbt.source;

import java.util.regex.Pattern;

/** Whether a query gives the same rows as long as its tables are the same, as far as its text can tell. */
final class Volatility {
    private static final Pattern FUNCTIONS = Pattern.compile(
            "\\b(now|current_timestamp|current_date|current_time|localtime|localtimestamp|today|random|rand|randn|uuid"
                    + "|gen_random_uuid|uuidv4|uuidv7|nextval|currval|getenv|getvariable|glob|shuffle|sample|tablesample"
                    + "|transaction_timestamp|get_current_time|get_current_timestamp|read_\\w+|\\w+_scan"
                    + "|unix_timestamp|monotonically_increasing_id|input_file_name|query|query_table)\\b",
            Pattern.CASE_INSENSITIVE);
    /** A file that stands where a relation does. */
    private static final Pattern FILES = Pattern.compile("\\b(from|join)\\s+['(]*\\s*'", Pattern.CASE_INSENSITIVE);

    private Volatility() {}

    /** True when in doubt. */
    static boolean mayDiffer(String sql) {
        return FUNCTIONS.matcher(sql).find() || FILES.matcher(sql).find();
    }
}
