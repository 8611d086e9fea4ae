package io.tidemark.files;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.ScalarType;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.time.temporal.TemporalQueries;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Turns texts into values of plain types; times without zone are in UTC. */
final class TextValues {
    private static final Pattern DATE = Pattern.compile("([+-]?\\d{4,})-(\\d{1,2})-(\\d{1,2})Z?");
    private static final Pattern TIMESTAMP = Pattern.compile(
            "([+-]?\\d{4,})-(\\d{1,2})-(\\d{1,2})(?:[ T](\\d{1,2}):(\\d{2})(?::(\\d{2})(?:\\.(\\d{1,9}))?)?"
                    + "\\s?(Z|UTC|GMT|[+-]\\d{2}(?::?\\d{2})?|[A-Za-z]+/[A-Za-z_]+)?)?");
    private static final int NANOS_DIGITS = 9;
    private static final int NANOS_PER_MICRO = 1000;

    private final @Nullable DateTimeFormatter dateFormat;
    private final @Nullable DateTimeFormatter timestampFormat;

    private TextValues(@Nullable DateTimeFormatter dateFormat, @Nullable DateTimeFormatter timestampFormat) {
        this.dateFormat = dateFormat;
        this.timestampFormat = timestampFormat;
    }

    /** A text that is not of the wanted type. */
    static final class BadValue extends Exception {
        private static final long serialVersionUID = 1L;

        BadValue() {
            super("bad value", null, false, false);
        }
    }

    /** Uses the patterns of the options. */
    static TextValues of(InputOptions options) {
        return new TextValues(
                options.text("dateformat")
                        .map(pattern -> formatter(options, "dateFormat", pattern))
                        .orElse(null),
                options.text("timestampformat")
                        .map(pattern -> formatter(options, "timestampFormat", pattern))
                        .orElse(null));
    }

    private static DateTimeFormatter formatter(InputOptions options, String name, String pattern) {
        try {
            return new DateTimeFormatterBuilder()
                    .parseCaseInsensitive()
                    .appendPattern(pattern.contains("G") ? pattern : pattern.replace('y', 'u'))
                    .toFormatter(Locale.US)
                    .withResolverStyle(ResolverStyle.STRICT);
        } catch (IllegalArgumentException e) {
            throw options.invalid("option " + name + ": '" + pattern + "' is no pattern")
                    .cause(e)
                    .build();
        }
    }

    /** The value in a text. */
    Object parse(String text, DataType type) throws BadValue {
        try {
            if (type instanceof DecimalType decimal) {
                return decimal(text, decimal);
            }
            if (type instanceof ScalarType scalar) {
                return scalar(text, scalar);
            }
        } catch (NumberFormatException | ArithmeticException | DateTimeException e) {
            throw new BadValue();
        }
        throw new BadValue();
    }

    /** A decimal; digits behind the type's scale are rounded half up, digits before it must fit. */
    static BigDecimal decimal(String text, DecimalType type) throws BadValue {
        return decimal(new BigDecimal(text.strip()), type);
    }

    static BigDecimal decimal(BigDecimal value, DecimalType type) throws BadValue {
        // A short text may stand for a number of a billion digits, which must not be written out.
        long digitsBeforePoint = (long) value.precision() - value.scale();
        if (value.signum() != 0 && digitsBeforePoint > type.precision() - type.scale()) {
            throw new BadValue();
        }
        if (value.signum() == 0 || digitsBeforePoint < -type.scale() - 1L) {
            return BigDecimal.ZERO.setScale(type.scale());
        }
        BigDecimal scaled = value.setScale(type.scale(), RoundingMode.HALF_UP);
        if (scaled.precision() > type.precision()) {
            throw new BadValue();
        }
        return scaled;
    }

    private Object scalar(String text, ScalarType type) throws BadValue {
        return switch (type) {
            case STRING -> wellFormed(text);
            case BINARY -> text.getBytes(StandardCharsets.UTF_8);
            case BOOLEAN -> {
                String lower = text.strip().toLowerCase(Locale.ROOT);
                if (!lower.equals("true") && !lower.equals("false")) {
                    throw new BadValue();
                }
                yield lower.equals("true");
            }
            case BYTE -> Byte.valueOf(text.strip());
            case SHORT -> Short.valueOf(text.strip());
            case INTEGER -> Integer.valueOf(text.strip());
            case LONG -> Long.valueOf(text.strip());
            case FLOAT -> (float) floating(text);
            case DOUBLE -> floating(text);
            case DATE -> date(text);
            case TIMESTAMP -> inRange(instant(text));
            case TIMESTAMP_NTZ -> inRange(localDateTime(text));
            case VARIANT, VOID -> throw new BadValue();
        };
    }

    private static Instant inRange(Instant time) {
        EpochMicros.of(time);
        return time;
    }

    private static LocalDateTime inRange(LocalDateTime time) {
        EpochMicros.of(time);
        return time;
    }

    /** A text without halves of characters, which no file could hold and the engine would replace. */
    static String wellFormed(String text) throws BadValue {
        for (int i = 0; i < text.length(); i++) {
            char unit = text.charAt(i);
            if (Character.isSurrogate(unit)) {
                boolean pair = Character.isHighSurrogate(unit)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    throw new BadValue();
                }
                i++;
            }
        }
        return text;
    }

    static double floating(String text) throws BadValue {
        String stripped = text.strip();
        return switch (stripped.toLowerCase(Locale.ROOT)) {
            case "nan" -> Double.NaN;
            case "inf", "+inf", "infinity", "+infinity" -> Double.POSITIVE_INFINITY;
            case "-inf", "-infinity" -> Double.NEGATIVE_INFINITY;
            default -> {
                // Double.valueOf would accept 1d and 0x1p3
                if (!stripped.matches("[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?")) {
                    throw new BadValue();
                }
                yield Double.parseDouble(stripped);
            }
        };
    }

    private LocalDate date(String text) throws BadValue {
        if (dateFormat != null) {
            return Optional.ofNullable(dateFormat.parse(text).query(TemporalQueries.localDate()))
                    .orElseThrow(BadValue::new);
        }
        Matcher matcher = DATE.matcher(text.strip());
        if (!matcher.matches()) {
            throw new BadValue();
        }
        return day(matcher);
    }

    private static LocalDate day(Matcher matcher) {
        return LocalDate.of(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    private Instant instant(String text) throws BadValue {
        if (timestampFormat != null) {
            TemporalAccessor parsed = timestampFormat.parse(text);
            ZoneId zone = parsed.query(TemporalQueries.zone());
            return formatted(parsed)
                    .atZone(zone == null ? ZoneOffset.UTC : zone)
                    .toInstant();
        }
        Matcher matcher = matched(text);
        String zone = matcher.group(8);
        LocalDateTime local = local(matcher);
        if (zone == null || zone.equals("Z") || zone.equals("UTC") || zone.equals("GMT")) {
            return local.toInstant(ZoneOffset.UTC);
        }
        return local.atZone(ZoneId.of(zone)).toInstant();
    }

    private LocalDateTime localDateTime(String text) throws BadValue {
        if (timestampFormat != null) {
            return formatted(timestampFormat.parse(text));
        }
        // A zone is dropped: writers put a Z behind local times as well.
        return local(matched(text));
    }

    private static LocalDateTime formatted(TemporalAccessor parsed) throws BadValue {
        if (parsed.isSupported(ChronoField.INSTANT_SECONDS)) {
            return OffsetDateTime.from(parsed).toLocalDateTime();
        }
        LocalDate date = parsed.query(TemporalQueries.localDate());
        LocalTime time = parsed.query(TemporalQueries.localTime());
        if (date == null) {
            throw new BadValue();
        }
        return date.atTime(time == null ? LocalTime.MIDNIGHT : time);
    }

    private static Matcher matched(String text) throws BadValue {
        Matcher matcher = TIMESTAMP.matcher(text.strip());
        if (!matcher.matches()) {
            throw new BadValue();
        }
        return matcher;
    }

    private static LocalDateTime local(Matcher matcher) {
        LocalDate date = day(matcher);
        if (matcher.group(4) == null) {
            return date.atStartOfDay();
        }
        int second = matcher.group(6) == null ? 0 : Integer.parseInt(matcher.group(6));
        String fraction = matcher.group(7) == null ? "" : matcher.group(7);
        int nanos = Integer.parseInt(fraction + "0".repeat(NANOS_DIGITS - fraction.length()));
        return date.atTime(
                Integer.parseInt(matcher.group(4)),
                Integer.parseInt(matcher.group(5)),
                second,
                nanos / NANOS_PER_MICRO * NANOS_PER_MICRO);
    }
}
