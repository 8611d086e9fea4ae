package io.tidemark.core.flow;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The table properties that Tidemark itself obeys: their names, what they may be, and what they are. */
public final class CdcProperties {
    /** What happens to events without key or sequence: {@code fail} or {@code drop}. */
    public static final String ON_NULL = "tidemark.cdc.onNullKeyOrSequence";
    /** How long events that made no row are remembered; for ever if not set. */
    public static final String HIDDEN_EVENT_RETENTION = "tidemark.cdc.hiddenEventRetention";
    /** How long remembered deletes are kept. */
    public static final String TOMBSTONE_THRESHOLD = "pipelines.cdc.tombstoneGCThresholdInSeconds";
    /** What happens to a snapshot whose version is not above the last one: {@code fail} or {@code skip}. */
    public static final String ON_OLD_VERSION = "tidemark.snapshot.onOldVersion";
    /** Whether a full refresh may rebuild the table. */
    public static final String RESET_ALLOWED = "pipelines.reset.allowed";

    /** All of them. */
    public static final List<String> NAMES =
            List.of(ON_NULL, HIDDEN_EVENT_RETENTION, TOMBSTONE_THRESHOLD, ON_OLD_VERSION, RESET_ALLOWED);

    private static final List<String> OWN_PREFIXES = List.of("tidemark.", "pipelines.cdc.", "pipelines.reset.");
    private static final long TOMBSTONE_SECONDS_DEFAULT = 2 * 86_400L;
    private static final Pattern PERIOD =
            Pattern.compile("(?:interval\\s+)?(\\d{1,9})\\s*(second|minute|hour|day|week)s?", Pattern.CASE_INSENSITIVE);
    private static final Map<String, Long> UNIT_SECONDS =
            Map.of("second", 1L, "minute", 60L, "hour", 3_600L, "day", 86_400L, "week", 604_800L);

    private CdcProperties() {}

    /** Whether a name begins as Tidemark's own do, so that it must be one of {@link #NAMES}. */
    public static boolean isOwn(String name) {
        String folded = name.toLowerCase(Locale.ROOT);
        return OWN_PREFIXES.stream().anyMatch(folded::startsWith);
    }

    /**
     * Checks the value of one of {@link #NAMES}; others are not looked at.
     *
     * @throws TidemarkException {@code INVALID_SETTING}
     */
    public static void check(String name, String value) {
        Map<String, String> one = Map.of(name, value);
        switch (name) {
            case ON_NULL -> dropsFaulty(one);
            case HIDDEN_EVENT_RETENTION -> hiddenEventSeconds(one);
            case TOMBSTONE_THRESHOLD -> tombstoneSeconds(one);
            case ON_OLD_VERSION -> skipsOldVersions(one);
            case RESET_ALLOWED -> resetAllowed(one);
            default -> {
                // not ours
            }
        }
    }

    /** Whether events without key or sequence are dropped instead of failing the update. */
    public static boolean dropsFaulty(Map<String, String> properties) {
        return choice(properties, ON_NULL, "fail", "drop");
    }

    /** Whether a snapshot whose version is not above the last one is skipped instead of failing the update. */
    public static boolean skipsOldVersions(Map<String, String> properties) {
        return choice(properties, ON_OLD_VERSION, "fail", "skip");
    }

    /** Whether a full refresh may rebuild the table. */
    public static boolean resetAllowed(Map<String, String> properties) {
        return !choice(properties, RESET_ALLOWED, "true", "false");
    }

    /** For how many seconds remembered deletes are kept at least. */
    public static long tombstoneSeconds(Map<String, String> properties) {
        return seconds(properties, TOMBSTONE_THRESHOLD).orElse(TOMBSTONE_SECONDS_DEFAULT);
    }

    /** For how many seconds events that made no row are kept at least; nothing for ever. */
    public static OptionalLong hiddenEventSeconds(Map<String, String> properties) {
        return seconds(properties, HIDDEN_EVENT_RETENTION);
    }

    /** Whether a property has the second of two values; the first is the default. */
    private static boolean choice(Map<String, String> properties, String name, String first, String second) {
        String value = properties.getOrDefault(name, first);
        if (!value.equalsIgnoreCase(first) && !value.equalsIgnoreCase(second)) {
            throw invalid(name, value, "neither " + first + " nor " + second, "set it to " + first + " or " + second);
        }
        return value.equalsIgnoreCase(second);
    }

    private static OptionalLong seconds(Map<String, String> properties, String name) {
        String value = properties.get(name);
        if (value == null) {
            return OptionalLong.empty();
        }
        if (value.strip().matches("\\d{1,12}")) {
            return OptionalLong.of(Long.parseLong(value.strip()));
        }
        Matcher period = PERIOD.matcher(value.strip());
        if (!period.matches()) {
            throw invalid(
                    name,
                    value,
                    "no time",
                    "set it to a number of seconds, 0 or more, or to a time like interval 30 days");
        }
        long unit = UNIT_SECONDS.getOrDefault(period.group(2).toLowerCase(Locale.ROOT), 1L);
        return OptionalLong.of(Long.parseLong(period.group(1)) * unit);
    }

    private static TidemarkException invalid(String name, String value, String what, String hint) {
        return TidemarkException.of(
                        ErrorCode.INVALID_SETTING, "table property " + name + " is '" + value + "', which is " + what)
                .hint(hint)
                .build();
    }
}
