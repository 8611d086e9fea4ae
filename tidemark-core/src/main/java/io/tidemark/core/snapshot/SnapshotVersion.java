package io.tidemark.core.snapshot;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;

/**
 * The version of a snapshot: one value with its type.
 *
 * @param type the type: a number, STRING, DATE or one of the timestamps
 * @param text the value as text that casts back to it, instants in UTC
 */
public record SnapshotVersion(DataType type, String text) {
    private static final DateTimeFormatter TIME = new DateTimeFormatterBuilder()
            .appendPattern("uuuu-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.MICRO_OF_SECOND, 0, 6, true)
            .toFormatter(Locale.ROOT);

    private static final String UTC = "+00:00";

    /** Whether values of a type can be versions: they have an order and a text. */
    public static boolean isPossible(DataType type) {
        return type.kind() == DataType.Kind.DECIMAL
                || (type instanceof ScalarType scalar
                        && switch (scalar) {
                            case BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, STRING, DATE, TIMESTAMP, TIMESTAMP_NTZ ->
                                true;
                            case BOOLEAN, BINARY, VARIANT, VOID -> false;
                        });
    }

    /**
     * A value that an engine gave.
     *
     * @param type its type, see {@link #isPossible}
     * @param value its Java form, see {@link io.tidemark.core.engine.Engine#stream}
     */
    public static SnapshotVersion of(DataType type, Object value) {
        if (value instanceof Instant instant) {
            return new SnapshotVersion(type, TIME.format(instant.atOffset(ZoneOffset.UTC)) + UTC);
        }
        if (value instanceof LocalDateTime time) {
            return new SnapshotVersion(type, TIME.format(time));
        }
        return new SnapshotVersion(
                type, value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value));
    }

    /**
     * A value of a Java program, whose class tells the type.
     *
     * @throws TidemarkException {@code SEQUENCE_TYPE} for other classes than {@link
     *     io.tidemark.core.flow.SnapshotSource.Snapshot} names
     */
    public static SnapshotVersion of(Object value) {
        if (value instanceof Instant instant) {
            return of(ScalarType.TIMESTAMP, instant.truncatedTo(ChronoUnit.MICROS));
        }
        if (value instanceof LocalDateTime time) {
            return of(ScalarType.TIMESTAMP_NTZ, time.truncatedTo(ChronoUnit.MICROS));
        }
        if (value instanceof BigDecimal number) {
            // The scale of a value says nothing of the next one's, so there is room on both sides of the point.
            return of(new DecimalType(38, 18), number);
        }
        DataType type = value instanceof Byte
                ? ScalarType.BYTE
                : value instanceof Short
                        ? ScalarType.SHORT
                        : value instanceof Integer
                                ? ScalarType.INTEGER
                                : value instanceof Long
                                        ? ScalarType.LONG
                                        : value instanceof String
                                                ? ScalarType.STRING
                                                : value instanceof LocalDate ? ScalarType.DATE : ScalarType.VOID;
        if (type == ScalarType.VOID) {
            throw TidemarkException.of(
                            ErrorCode.SEQUENCE_TYPE,
                            "the version of a snapshot is a " + value.getClass().getName())
                    .hint("use a Long, String, Instant, LocalDate or one of the other classes that versions may have")
                    .build();
        }
        return of(type, value);
    }

    /**
     * Whether this version is above another one of the same type. Texts are compared by their bytes, as engines do.
     */
    public boolean isAbove(SnapshotVersion other) {
        if (type == ScalarType.STRING) {
            // Code points have the order of their UTF-8 bytes; the chars of Java have not.
            return Arrays.compare(
                            text.codePoints().toArray(), other.text.codePoints().toArray())
                    > 0;
        }
        return compare(value(), other.value()) > 0;
    }

    @SuppressWarnings("unchecked")
    private static <T> int compare(Object left, Object right) {
        return ((Comparable<T>) left).compareTo((T) right);
    }

    /** The value in its Java form. */
    public Object value() {
        if (type.kind() == DataType.Kind.DECIMAL) {
            return new BigDecimal(text);
        }
        return switch ((ScalarType) type) {
            case BYTE -> Byte.valueOf(text);
            case SHORT -> Short.valueOf(text);
            case INTEGER -> Integer.valueOf(text);
            case LONG -> Long.valueOf(text);
            case FLOAT -> Float.valueOf(text);
            case DOUBLE -> Double.valueOf(text);
            case DATE -> LocalDate.parse(text);
            case TIMESTAMP ->
                LocalDateTime.parse(text.substring(0, text.length() - UTC.length()), TIME)
                        .toInstant(ZoneOffset.UTC);
            case TIMESTAMP_NTZ -> LocalDateTime.parse(text, TIME);
            case STRING, BOOLEAN, BINARY, VARIANT, VOID -> text;
        };
    }

    /** The value as an expression in Spark SQL. */
    public String literal() {
        boolean plain = type == ScalarType.INTEGER && !text.startsWith("-");
        return plain ? text : "CAST('" + text.replace("\\", "\\\\").replace("'", "\\'") + "' AS " + type.sql() + ")";
    }

    /** NULL of a version's type as an expression in Spark SQL. */
    public static String unknown(DataType type) {
        return "CAST(NULL AS " + type.sql() + ")";
    }

    /** The value as an expression of an engine. */
    public String sql(Dialect dialect) {
        return "CAST(" + dialect.string(text) + " AS " + dialect.type(type) + ")";
    }
}
