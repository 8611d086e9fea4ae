package io.tidemark.delta.maintenance;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How long files are kept, by the properties of a table. */
public final class Retention {
    private static final String DELETED_FILES = "delta.deletedFileRetentionDuration";
    private static final Duration DELETED_FILES_DEFAULT = Duration.ofDays(7);
    private static final Pattern INTERVAL =
            Pattern.compile("(?:interval\\s+)?(\\d{1,9})\\s+(week|day|hour|minute|second|millisecond)s?");

    private Retention() {}

    /** How long files stay that were removed from a table; a value that cannot be read counts as the default. */
    public static Duration deletedFiles(Map<String, String> properties) {
        return Optional.ofNullable(properties.get(DELETED_FILES))
                .flatMap(Retention::parse)
                .orElse(DELETED_FILES_DEFAULT);
    }

    /** The duration of a text such as {@code interval 7 days}; nothing if it is none. */
    public static Optional<Duration> parse(String text) {
        Matcher matcher = INTERVAL.matcher(text.trim().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            return Optional.empty();
        }
        long number = Long.parseLong(matcher.group(1));
        return Optional.of(
                switch (matcher.group(2)) {
                    case "week" -> Duration.ofDays(7 * number);
                    case "day" -> Duration.ofDays(number);
                    case "hour" -> Duration.ofHours(number);
                    case "minute" -> Duration.ofMinutes(number);
                    case "second" -> Duration.ofSeconds(number);
                    default -> Duration.ofMillis(number);
                });
    }

    static String text(Duration duration) {
        return duration.toMinutesPart() == 0 && duration.toSecondsPart() == 0
                ? duration.toHours() + " hours"
                : duration.toSeconds() + " seconds";
    }
}
