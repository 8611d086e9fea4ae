package io.tidemark.duckdb.sql;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads literals such as {@code INTERVAL '1' DAY}, {@code INTERVAL 1 DAY 2 HOURS} and {@code INTERVAL '1 day'}. */
final class IntervalReader {
    private static final Map<String, String> UNITS = Map.ofEntries(
            Map.entry("YEAR", "years"),
            Map.entry("MONTH", "months"),
            Map.entry("WEEK", "weeks"),
            Map.entry("DAY", "days"),
            Map.entry("HOUR", "hours"),
            Map.entry("MINUTE", "minutes"),
            Map.entry("SECOND", "seconds"),
            Map.entry("MILLISECOND", "milliseconds"),
            Map.entry("MICROSECOND", "microseconds"));
    private static final Pattern PART = Pattern.compile("\\s*([+-]?\\s*[0-9]+(?:\\.[0-9]+)?)\\s+([A-Za-z]+)");
    private static final Pattern YEAR_MONTH = Pattern.compile("([+-]?)([0-9]+)-([0-9]+)");
    private static final Pattern DAY_TIME = Pattern.compile("([+-]?)([0-9]+) ([0-9]+)(?::([0-9]+))?(?::([0-9.]+))?");

    private final List<Token> tokens;
    private final Positions positions;
    private int index;

    IntervalReader(List<Token> tokens, int index, Positions positions) {
        this.tokens = tokens;
        this.index = index;
        this.positions = positions;
    }

    /** Index of the token behind the literal. */
    int index() {
        return index;
    }

    /** Whether a value follows, so that INTERVAL is no column here. */
    boolean isLiteral() {
        Token token = token(index);
        boolean signed = token.isSymbol("-") || token.isSymbol("+");
        Token value = signed ? token(index + 1) : token;
        return value.kind() == Token.Kind.STRING
                || (value.kind() == Token.Kind.NUMBER
                        && unit(token(index + (signed ? 2 : 1)).text()) != null);
    }

    /** The interval as DuckDB reads it, for example {@code 1 days 2 hours}. */
    String read() {
        Token start = token(index);
        if (start.kind() == Token.Kind.STRING && unit(token(index + 1).text()) == null) {
            index++;
            return text(start);
        }
        List<String> parts = new ArrayList<>();
        do {
            parts.add(part());
        } while (startsPart());
        return String.join(" ", parts);
    }

    private boolean startsPart() {
        Token value = token(index);
        boolean number = value.kind() == Token.Kind.NUMBER || value.kind() == Token.Kind.STRING;
        return number && unit(token(index + 1).text()) != null;
    }

    private String part() {
        String sign = "";
        if (token(index).isSymbol("-") || token(index).isSymbol("+")) {
            sign = token(index++).isSymbol("-") ? "-" : "";
        }
        Token value = token(index++);
        String unit = unit(token(index).text());
        if (unit == null) {
            throw invalid(value);
        }
        index++;
        if (token(index).isWord("TO")) {
            String last = token(index + 1).text().toUpperCase(Locale.ROOT);
            index += 2;
            return range(sign, value, unit, last);
        }
        return amount(sign + value.text().strip(), unit, value);
    }

    private String amount(String number, String unit, Token token) {
        try {
            BigDecimal amount = new BigDecimal(number.replace(" ", ""));
            if (unit.equals("seconds")) {
                return amount.movePointRight(6).toBigInteger() + " microseconds";
            }
            return amount.toBigIntegerExact() + " " + unit;
        } catch (ArithmeticException | NumberFormatException e) {
            throw invalid(token);
        }
    }

    private String range(String sign, Token value, String from, String to) {
        String text = sign + value.text().strip();
        Matcher yearMonth = YEAR_MONTH.matcher(text);
        if (from.equals("years") && to.equals("MONTH") && yearMonth.matches()) {
            String s = yearMonth.group(1);
            return s + yearMonth.group(2) + " years " + s + yearMonth.group(3) + " months";
        }
        Matcher dayTime = DAY_TIME.matcher(text);
        if (from.equals("days") && dayTime.matches()) {
            String s = dayTime.group(1);
            String minutes = dayTime.group(4) == null ? "0" : dayTime.group(4);
            String seconds = dayTime.group(5) == null ? "0" : dayTime.group(5);
            return s + dayTime.group(2) + " days " + s + dayTime.group(3) + " hours " + s + minutes + " minutes "
                    + amount(s + seconds, "seconds", value);
        }
        throw invalid(value);
    }

    private String text(Token token) {
        String text = token.text().strip().replaceFirst("(?i)^interval\\s+", "");
        Matcher matcher = PART.matcher(text);
        List<String> parts = new ArrayList<>();
        int end = 0;
        while (end < text.length()) {
            if (!matcher.find(end) || matcher.start() != end) {
                throw invalid(token);
            }
            String unit = unit(matcher.group(2));
            if (unit == null) {
                throw invalid(token);
            }
            parts.add(amount(matcher.group(1), unit, token));
            end = matcher.end();
        }
        if (parts.isEmpty()) {
            throw invalid(token);
        }
        return String.join(" ", parts);
    }

    private static @Nullable String unit(String word) {
        String upper = word.toUpperCase(Locale.ROOT);
        String singular = upper.endsWith("S") ? upper.substring(0, upper.length() - 1) : upper;
        return UNITS.get(singular);
    }

    private TidemarkException invalid(Token token) {
        return positions
                .error(ErrorCode.QUERY_INVALID, "'" + token.text() + "' is no interval", token.start())
                .hint("Write, for example, INTERVAL '2' DAY or INTERVAL 1 DAY 12 HOURS.")
                .build();
    }

    private Token token(int at) {
        return tokens.get(Math.min(at, tokens.size() - 1));
    }
}
