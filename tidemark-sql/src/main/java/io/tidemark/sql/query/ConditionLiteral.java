package io.tidemark.sql.query;

import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.sql.grammar.StatementLexer;
import io.tidemark.sql.grammar.Words;
import io.tidemark.sql.text.Literals;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.antlr.v4.runtime.Token;

/** Reads literals of conditions, and says how a column compares with them. */
final class ConditionLiteral {
    /** More digits than a DECIMAL has: such a comparison is not exact. */
    private static final int DIGITS_MAX = 38;

    private static final Map<DataType, Integer> INTEGER_DIGITS =
            Map.of(ScalarType.BYTE, 3, ScalarType.SHORT, 5, ScalarType.INTEGER, 10, ScalarType.LONG, 19);

    private static final DateTimeFormatter DATE =
            DateTimeFormatter.ofPattern("uuuu-MM-dd", Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd HH:mm:ss[.SSSSSS][.SSSSS][.SSSS][.SSS][.SS][.S]", Locale.ROOT)
            .withResolverStyle(ResolverStyle.STRICT);

    private ConditionLiteral() {}

    /** A floating-point literal, which is compared as one. */
    private record Floating(BigDecimal value) {}

    /** The literal that begins at a token, if there is one before the end. */
    static Optional<ConditionReader.Literal> read(List<Token> tokens, int at, int to) {
        if (at >= to) {
            return Optional.empty();
        }
        Token token = tokens.get(at);
        boolean negative = token.getType() == StatementLexer.MINUS;
        int value = negative ? at + 1 : at;
        if (value < to && isNumber(tokens.get(value))) {
            return number(tokens.get(value).getText(), negative)
                    .map(number -> new ConditionReader.Literal(number, value + 1));
        }
        if (isText(token)) {
            // texts that stand side by side are one text; they are rare enough to be left alone
            boolean single = at + 1 >= to || !isText(tokens.get(at + 1));
            return single
                    ? Optional.of(new ConditionReader.Literal(Literals.string(token.getText()), at + 1))
                    : Optional.empty();
        }
        if (!Words.isName(token.getType()) || token.getType() == StatementLexer.BACKQUOTED) {
            return Optional.empty();
        }
        String word = Literals.fold(token.getText());
        return switch (word) {
            case "true", "false" -> Optional.of(new ConditionReader.Literal(Boolean.valueOf(word), at + 1));
            case "null" -> Optional.of(new ConditionReader.Literal(null, at + 1));
            case "date", "timestamp", "timestamp_ntz" ->
                at + 1 < to && isText(tokens.get(at + 1))
                        ? typed(word, Literals.string(tokens.get(at + 1).getText()))
                                .map(value1 -> new ConditionReader.Literal(value1, at + 2))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private static Optional<Object> typed(String type, String text) {
        if (type.equals("date")) {
            return date(text).map(value -> value);
        }
        Optional<LocalDateTime> time = time(text);
        return type.equals("timestamp") ? time.map(value -> value.toInstant(ZoneOffset.UTC)) : time.map(value -> value);
    }

    private static Optional<Object> number(String text, boolean negative) {
        String digits = text.toUpperCase(Locale.ROOT);
        boolean floating = digits.indexOf('E') >= 0 || (digits.matches(".*[DF]") && !digits.endsWith("BD"));
        String plain = digits.replaceAll("(BD|[LSYDF])$", "");
        try {
            BigDecimal value = new BigDecimal(plain);
            BigDecimal signed = negative ? value.negate() : value;
            return digits.endsWith("F") ? Optional.empty() : Optional.of(floating ? new Floating(signed) : signed);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The value as one of a column's type; nothing if the engine would compare something else. */
    static Optional<Object> as(Object value, DataType type) {
        if (value instanceof Floating floating) {
            return type == ScalarType.DOUBLE ? Optional.of(floating.value()) : Optional.empty();
        }
        if (value instanceof BigDecimal number) {
            return type == ScalarType.DOUBLE || isExact(number, type) ? Optional.of(number) : Optional.empty();
        }
        if (value instanceof String text) {
            return text(text, type);
        }
        if (value instanceof LocalDate date && type == ScalarType.TIMESTAMP) {
            return Optional.of(date.atStartOfDay().toInstant(ZoneOffset.UTC));
        }
        boolean same = (value instanceof Boolean && type == ScalarType.BOOLEAN)
                || (value instanceof LocalDate && type == ScalarType.DATE)
                || (value instanceof Instant && type == ScalarType.TIMESTAMP)
                || (value instanceof LocalDateTime && type == ScalarType.TIMESTAMP_NTZ);
        return same ? Optional.of(value) : Optional.empty();
    }

    /** Whether a DECIMAL holds both the column's values and the number. */
    private static boolean isExact(BigDecimal number, DataType type) {
        int scale = Math.max(0, number.scale());
        int whole = Math.max(0, number.precision() - number.scale());
        if (type instanceof DecimalType decimal) {
            return Math.max(whole, decimal.precision() - decimal.scale()) + Math.max(scale, decimal.scale())
                    <= DIGITS_MAX;
        }
        Integer digits = INTEGER_DIGITS.get(type);
        return digits != null && Math.max(whole, digits) + scale <= DIGITS_MAX;
    }

    private static Optional<Object> text(String text, DataType type) {
        if (type == ScalarType.STRING) {
            return Optional.of(text);
        }
        if (type == ScalarType.DATE) {
            return date(text).map(value -> value);
        }
        if (type == ScalarType.TIMESTAMP) {
            return time(text).map(value -> value.toInstant(ZoneOffset.UTC));
        }
        return type == ScalarType.TIMESTAMP_NTZ ? time(text).map(value -> value) : Optional.empty();
    }

    private static Optional<LocalDate> date(String text) {
        try {
            return Optional.of(LocalDate.parse(text, DATE));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** A time in UTC, which is the session's zone; texts with a zone of their own are not read. */
    private static Optional<LocalDateTime> time(String text) {
        try {
            return Optional.of(
                    text.length() == 10
                            ? LocalDate.parse(text, DATE).atStartOfDay()
                            : LocalDateTime.parse(text.replace('T', ' '), TIME));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    private static boolean isNumber(Token token) {
        return token.getType() == StatementLexer.INTEGER || token.getType() == StatementLexer.NUMBER;
    }

    private static boolean isText(Token token) {
        return token.getType() == StatementLexer.STRING || token.getType() == StatementLexer.RAW_STRING;
    }
}
