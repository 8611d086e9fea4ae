package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.Reruns;
import io.tidemark.sql.grammar.SettingNames;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Settings of a session. Those that would change what queries mean have one possible value. */
final class Settings {
    private static final String TIME_ZONE = "spark.sql.session.timeZone";
    private static final String ANSI = "spark.sql.ansi.enabled";
    private static final String CASE_SENSITIVE = "spark.sql.caseSensitive";
    private static final Map<String, Set<String>> FIXED = Map.of(
            TIME_ZONE, Set.of("utc", "etc/utc", "z", "gmt", "+00:00"),
            ANSI, Set.of("true"),
            CASE_SENSITIVE, Set.of("false"));

    /** How often a statement that loses to another writer is run, and the longest pause between two runs. */
    static final String ATTEMPTS = "tidemark.commit.attempts";

    static final String MAX_WAIT = "tidemark.commit.maxWaitMillis";
    /** Delta Lake's own name, as people know it from there. */
    private static final String RETENTION_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled";

    private static final Map<String, String> NUMBERS = Map.of(ATTEMPTS, "[1-9]\\d{0,5}", MAX_WAIT, "\\d{1,8}");

    private final Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    Settings() {
        values.put(TIME_ZONE, "UTC");
        values.put(ANSI, "true");
        values.put(CASE_SENSITIVE, "false");
        values.put(RETENTION_CHECK, "true");
        values.put(ATTEMPTS, Integer.toString(Reruns.Limits.DEFAULT.attempts()));
        values.put(MAX_WAIT, Long.toString(Reruns.Limits.DEFAULT.maxWaitMillis()));
    }

    void set(String name, String value) {
        SettingNames.check(name, SettingNames.OF_SESSIONS);
        FIXED.forEach((fixed, allowed) -> {
            if (fixed.equalsIgnoreCase(name) && !allowed.contains(value.toLowerCase(Locale.ROOT))) {
                throw TidemarkException.of(
                                ErrorCode.INVALID_SETTING, fixed + " cannot be changed, it is " + values.get(fixed))
                        .hint("convert in the query instead")
                        .build();
            }
        });
        NUMBERS.forEach((number, pattern) -> {
            if (number.equalsIgnoreCase(name) && !value.matches(pattern)) {
                throw TidemarkException.of(ErrorCode.INVALID_SETTING, number + " cannot be '" + value + "'")
                        .hint(number.equals(ATTEMPTS) ? "set a whole number from 1" : "set a whole number from 0")
                        .build();
            }
        });
        values.put(name, value);
    }

    /** How often a statement is run that loses to other writers. */
    Reruns.Limits reruns() {
        return new Reruns.Limits(
                Integer.parseInt(values.getOrDefault(ATTEMPTS, "1")),
                Long.parseLong(values.getOrDefault(MAX_WAIT, "0")));
    }

    /** Whether a VACUUM must keep to the table's retention. */
    boolean checksRetention() {
        return !"false".equalsIgnoreCase(values.get(RETENTION_CHECK));
    }

    Map<String, String> all() {
        return Collections.unmodifiableMap(values);
    }
}
