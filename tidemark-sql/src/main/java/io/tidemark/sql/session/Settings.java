package io.tidemark.sql.session;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
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

    private final Map<String, String> values = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    Settings() {
        values.put(TIME_ZONE, "UTC");
        values.put(ANSI, "true");
        values.put(CASE_SENSITIVE, "false");
    }

    void set(String name, String value) {
        FIXED.forEach((fixed, allowed) -> {
            if (fixed.equalsIgnoreCase(name) && !allowed.contains(value.toLowerCase(Locale.ROOT))) {
                throw TidemarkException.of(
                                ErrorCode.INVALID_SETTING, fixed + " cannot be changed, it is " + values.get(fixed))
                        .hint("convert in the query instead")
                        .build();
            }
        });
        values.put(name, value);
    }

    Map<String, String> all() {
        return Collections.unmodifiableMap(values);
    }
}
