package io.tidemark.sql.query;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads timestamps as Spark casts strings to TIMESTAMP. */
final class Timestamps {
    /** Digits of {@code yyyyMMddHHmmssSSS}. */
    static final int COMPACT_LENGTH = 17;

    private static final Pattern SHAPE = Pattern.compile(
            "(\\d{4}-\\d{1,2}-\\d{1,2})(?:[ T](\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(?:\\.(\\d{1,9}))?)?)?\\s*(\\S.*)?");
    private static final DateTimeFormatter COMPACT = DateTimeFormatter.ofPattern("yyyyMMddHHmmss");

    private Timestamps() {}

    /** A date, or a date and time with an optional zone; nothing if the text is neither. */
    static Optional<Instant> parse(String text, ZoneId zone) {
        Matcher matcher = SHAPE.matcher(text.strip());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        try {
            String[] date = matcher.group(1).split("-", -1);
            LocalDateTime day = LocalDate.of(number(date[0]), number(date[1]), number(date[2]))
                    .atStartOfDay();
            LocalDateTime time = matcher.group(2) == null
                    ? day
                    : day.withHour(number(matcher.group(2)))
                            .withMinute(number(matcher.group(3)))
                            .withSecond(matcher.group(4) == null ? 0 : number(matcher.group(4)))
                            .withNano(nanos(matcher.group(5)));
            String said = matcher.group(6);
            return Optional.of(
                    time.atZone(said == null ? zone : ZoneId.of(said.strip())).toInstant());
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** {@code yyyyMMddHHmmssSSS}. */
    static Optional<Instant> parseCompact(String digits, ZoneId zone) {
        if (digits.length() != COMPACT_LENGTH) {
            return Optional.empty();
        }
        try {
            LocalDateTime seconds = LocalDateTime.parse(digits.substring(0, COMPACT_LENGTH - 3), COMPACT);
            long millis = Long.parseLong(digits.substring(COMPACT_LENGTH - 3));
            return Optional.of(seconds.atZone(zone).toInstant().plusMillis(millis));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static int number(String digits) {
        return Integer.parseInt(digits);
    }

    private static int nanos(@Nullable String fraction) {
        return fraction == null ? 0 : Integer.parseInt((fraction + "000000000").substring(0, 9));
    }
}
