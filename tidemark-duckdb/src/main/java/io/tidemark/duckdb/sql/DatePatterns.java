package io.tidemark.duckdb.sql;

import io.tidemark.core.type.EpochMicros;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalField;
import java.time.temporal.TemporalQueries;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Dates and times in the patterns of {@code date_format} and {@code to_timestamp}, which are those of java.time. */
final class DatePatterns {
    private static final int CACHED_MAX = 256;
    private static final String LETTERS = "GyMLdQqEaHhKkmsSVzOXxDF";
    private static final int YEAR_DEFAULT = 1970;
    private static final Map<String, DateTimeFormatter> FORMATTERS = new ConcurrentHashMap<>();

    private DatePatterns() {}

    /** The text of an instant in UTC. */
    static String format(long micros, String pattern) {
        return formatter(pattern)
                .format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS).atZone(ZoneOffset.UTC));
    }

    /** The day in a text, counted from 1970. */
    static int parseDay(String text, String pattern) {
        return (int) date(parse(text, pattern)).toEpochDay();
    }

    /** The instant in a text, in microseconds; without a zone it is in UTC. */
    static long parseMicros(String text, String pattern) {
        TemporalAccessor parsed = parse(text, pattern);
        ZoneId zone = parsed.query(TemporalQueries.zone());
        LocalTime time = parsed.query(TemporalQueries.localTime());
        LocalTime known = time == null ? LocalTime.of(field(parsed, ChronoField.HOUR_OF_DAY, 0), 0) : time;
        Instant instant = ZonedDateTime.of(date(parsed), known, zone == null ? ZoneOffset.UTC : zone)
                .toInstant();
        return EpochMicros.of(instant);
    }

    private static TemporalAccessor parse(String text, String pattern) {
        try {
            return formatter(pattern).parse(text);
        } catch (DateTimeException e) {
            throw new IllegalArgumentException("the text '" + text + "' does not fit the pattern '" + pattern + "'", e);
        }
    }

    private static LocalDate date(TemporalAccessor parsed) {
        LocalDate date = parsed.query(TemporalQueries.localDate());
        if (date != null) {
            return date;
        }
        return LocalDate.of(
                field(parsed, ChronoField.YEAR, YEAR_DEFAULT),
                field(parsed, ChronoField.MONTH_OF_YEAR, 1),
                field(parsed, ChronoField.DAY_OF_MONTH, 1));
    }

    private static int field(TemporalAccessor parsed, TemporalField field, int otherwise) {
        return parsed.isSupported(field) ? parsed.get(field) : otherwise;
    }

    private static DateTimeFormatter formatter(String pattern) {
        if (FORMATTERS.size() > CACHED_MAX) {
            FORMATTERS.clear();
        }
        return FORMATTERS.computeIfAbsent(pattern, DatePatterns::build);
    }

    private static DateTimeFormatter build(String pattern) {
        StringBuilder spelled = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i < pattern.length(); i++) {
            char character = pattern.charAt(i);
            if (character == '\'') {
                quoted = !quoted;
            }
            boolean letter = Character.isLetter(character) && !quoted;
            if (letter && LETTERS.indexOf(character) < 0) {
                throw new IllegalArgumentException("the letter " + character + " in a date pattern is not supported");
            }
            // y is the year of an era; u is the year itself, which needs no era to be resolved
            spelled.append(letter && character == 'y' && !pattern.contains("G") ? 'u' : character);
        }
        return new DateTimeFormatterBuilder()
                .parseCaseInsensitive()
                .appendPattern(spelled.toString())
                .toFormatter(Locale.US)
                .withResolverStyle(ResolverStyle.STRICT);
    }
}
