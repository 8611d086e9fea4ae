package io.tidemark.delta.skipping;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Values of statistics and partitions as what conditions compare. Null stands for a bound that is not known. */
final class Bounds {
    /** Statistics hold times in whole milliseconds, cut off: a maximum may be one less than a millisecond too small. */
    private static final long TIME_STEP_MICROS = 1_000;

    private static final DateTimeFormatter PARTITION_TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss[.SSSSSS][.SSSSS][.SSSS][.SSS][.SS][.S]", Locale.ROOT);

    private Bounds() {}

    static @Nullable Comparable<?> minimum(@Nullable Object value, DataType type) {
        return value == null ? null : statistic(value, type);
    }

    static @Nullable Comparable<?> maximum(@Nullable Object value, DataType type) {
        Comparable<?> bound = value == null ? null : statistic(value, type);
        if (bound instanceof Instant time) {
            return time.plusNanos(TIME_STEP_MICROS * 1_000);
        }
        if (bound instanceof LocalDateTime time) {
            return time.plusNanos(TIME_STEP_MICROS * 1_000);
        }
        return bound;
    }

    private static @Nullable Comparable<?> statistic(Object value, DataType type) {
        try {
            if (isExactNumber(type)) {
                return number(value);
            }
            if (type == ScalarType.DOUBLE) {
                BigDecimal number = number(value);
                return number == null ? null : Double.valueOf(number.doubleValue());
            }
            if (!(value instanceof String text)) {
                return null;
            }
            if (type == ScalarType.STRING) {
                return new Utf8Text(text);
            }
            if (type == ScalarType.DATE) {
                return LocalDate.parse(text);
            }
            if (type == ScalarType.TIMESTAMP) {
                return OffsetDateTime.parse(text).toInstant();
            }
            return type == ScalarType.TIMESTAMP_NTZ ? LocalDateTime.parse(text) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    static @Nullable Comparable<?> partition(String text, DataType type) {
        try {
            if (isExactNumber(type)) {
                return new BigDecimal(text);
            }
            if (type == ScalarType.DOUBLE) {
                return Double.valueOf(text);
            }
            if (type == ScalarType.STRING) {
                return new Utf8Text(text);
            }
            if (type == ScalarType.BOOLEAN) {
                return Boolean.valueOf(text);
            }
            if (type == ScalarType.DATE) {
                return LocalDate.parse(text);
            }
            if (type == ScalarType.TIMESTAMP) {
                return text.indexOf('T') > 0
                        ? OffsetDateTime.parse(text).toInstant()
                        : LocalDateTime.parse(text, PARTITION_TIME).toInstant(ZoneOffset.UTC);
            }
            return type == ScalarType.TIMESTAMP_NTZ ? LocalDateTime.parse(text, PARTITION_TIME) : null;
        } catch (DateTimeException | NumberFormatException e) {
            return null;
        }
    }

    /** Whether some value between the bounds can stand to a value as the operator says. */
    static boolean mayCompare(
            @Nullable Comparable<?> min, @Nullable Comparable<?> max, FileCondition.Operator operator, Object value) {
        Integer low = min == null ? null : compare(min, value);
        Integer high = max == null ? null : compare(max, value);
        return switch (operator) {
            case EQUAL -> (low == null || low <= 0) && (high == null || high >= 0);
            case NOT_EQUAL -> low == null || high == null || low != 0 || high != 0;
            case LESS -> low == null || low < 0;
            case LESS_OR_EQUAL -> low == null || low <= 0;
            case GREATER -> high == null || high > 0;
            case GREATER_OR_EQUAL -> high == null || high >= 0;
        };
    }

    /** The order of a bound and a value; null if they cannot be compared for sure. */
    private static @Nullable Integer compare(Comparable<?> bound, Object value) {
        if (bound instanceof Double number && value instanceof BigDecimal other) {
            double wanted = other.doubleValue();
            // -0.0 and 0.0 are equal in SQL, and NaN is greater than all
            return number.isNaN() ? null : Integer.valueOf(number == wanted ? 0 : Double.compare(number, wanted));
        }
        if (bound instanceof BigDecimal number && value instanceof BigDecimal other) {
            return number.compareTo(other);
        }
        if (bound instanceof Utf8Text text && value instanceof String other) {
            return text.compareTo(new Utf8Text(other));
        }
        if (bound instanceof LocalDate date && value instanceof LocalDate other) {
            return date.compareTo(other);
        }
        if (bound instanceof Instant time && value instanceof Instant other) {
            return time.compareTo(other);
        }
        if (bound instanceof LocalDateTime time && value instanceof LocalDateTime other) {
            return time.compareTo(other);
        }
        if (bound instanceof Boolean flag && value instanceof Boolean other) {
            return flag.compareTo(other);
        }
        return null;
    }

    private static boolean isExactNumber(DataType type) {
        return type == ScalarType.BYTE
                || type == ScalarType.SHORT
                || type == ScalarType.INTEGER
                || type == ScalarType.LONG
                || type instanceof DecimalType;
    }

    private static @Nullable BigDecimal number(Object value) {
        if (value instanceof BigDecimal decimal) {
            return decimal;
        }
        if (value instanceof BigInteger integer) {
            return new BigDecimal(integer);
        }
        return value instanceof Long number ? BigDecimal.valueOf(number) : null;
    }

    /** Text in the order of its UTF-8 bytes, which is that of its code points. */
    private record Utf8Text(String text) implements Comparable<Utf8Text> {
        @Override
        public int compareTo(Utf8Text other) {
            int length = Math.min(text.length(), other.text.length());
            int i = 0;
            while (i < length && text.charAt(i) == other.text.charAt(i)) {
                i++;
            }
            if (i == length) {
                return Integer.compare(text.length(), other.text.length());
            }
            char left = text.charAt(i);
            char right = other.text.charAt(i);
            // surrogates stand for code points above all others
            boolean leftHigh = Character.isSurrogate(left);
            boolean rightHigh = Character.isSurrogate(right);
            return leftHigh == rightHigh ? Character.compare(left, right) : leftHigh ? 1 : -1;
        }
    }
}
