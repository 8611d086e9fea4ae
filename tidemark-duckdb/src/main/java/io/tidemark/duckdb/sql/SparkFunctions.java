package io.tidemark.duckdb.sql;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.duckdb.session.Session;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.SQLException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.duckdb.DuckDBColumnType;
import org.duckdb.DuckDBDataChunkReader;
import org.duckdb.DuckDBFunctions;
import org.duckdb.DuckDBReadableVector;
import org.duckdb.DuckDBWritableVector;

/**
 * Functions whose meaning is that of a Java class in Spark too: regular expressions, texts of floating point numbers,
 * patterns of dates. They run in the JVM, so they behave alike to the last character.
 */
public final class SparkFunctions {
    private static final int PATTERNS_CACHED_MAX = 256;
    private static final Map<String, Pattern> PATTERNS = new ConcurrentHashMap<>();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Map<Integer, String> DIGESTS =
            Map.of(0, "SHA-256", 224, "SHA-224", 256, "SHA-256", 384, "SHA-384", 512, "SHA-512");

    private static final DuckDBColumnType TEXT = DuckDBColumnType.VARCHAR;
    private static final DuckDBColumnType INTEGER = DuckDBColumnType.INTEGER;
    private static final DuckDBColumnType BIGINT = DuckDBColumnType.BIGINT;
    private static final DuckDBColumnType DOUBLE = DuckDBColumnType.DOUBLE;

    private SparkFunctions() {}

    /** Makes all functions that translated queries call. */
    public static void register(Session session) {
        try {
            registerAll(session);
        } catch (SQLException e) {
            throw session.failures().translate(e);
        }
        session.defineWhenNamed(SparkMacros.SCHEMA + ".", SparkMacros::statements);
    }

    /** Computes one row from non-NULL arguments. */
    @FunctionalInterface
    private interface Row {
        void compute(DuckDBDataChunkReader input, long row, DuckDBWritableVector output);
    }

    private static void registerAll(Session session) throws SQLException {
        registerTexts(session);
        registerPatterns(session);
        registerNumbersAndTimes(session);
    }

    private static void registerTexts(Session session) throws SQLException {
        function(
                session,
                "spark_initcap",
                List.of(TEXT),
                TEXT,
                (in, i, out) -> out.setString(i, initcap(string(in, 0, i))));
        function(
                session,
                "spark_upper",
                List.of(TEXT),
                TEXT,
                (in, i, out) -> out.setString(i, string(in, 0, i).toUpperCase(Locale.ROOT)));
        function(
                session,
                "spark_lower",
                List.of(TEXT),
                TEXT,
                (in, i, out) -> out.setString(i, string(in, 0, i).toLowerCase(Locale.ROOT)));
        function(
                session,
                "spark_sha2",
                List.of(TEXT, INTEGER),
                TEXT,
                (in, i, out) -> digest(string(in, 0, i), in.vector(1).getInt(i), i, out));
        function(session, "spark_from_json", List.of(TEXT, TEXT), TEXT, (in, i, out) -> {
            String nested = JsonFunctions.read(string(in, 0, i), string(in, 1, i));
            if (nested == null) {
                out.setNull(i);
            } else {
                out.setString(i, nested);
            }
        });
    }

    private static void registerPatterns(Session session) throws SQLException {
        function(
                session,
                "spark_rlike",
                List.of(TEXT, TEXT),
                DuckDBColumnType.BOOLEAN,
                (in, i, out) -> out.setBoolean(
                        i, pattern(string(in, 1, i)).matcher(string(in, 0, i)).find()));
        function(
                session,
                "spark_regexp_replace",
                List.of(TEXT, TEXT, TEXT),
                TEXT,
                (in, i, out) -> out.setString(
                        i, pattern(string(in, 1, i)).matcher(string(in, 0, i)).replaceAll(string(in, 2, i))));
        function(
                session,
                "spark_regexp_extract",
                List.of(TEXT, TEXT, INTEGER),
                TEXT,
                (in, i, out) -> out.setString(
                        i,
                        extract(string(in, 0, i), string(in, 1, i), in.vector(2).getInt(i))));
        function(
                session,
                "spark_split",
                List.of(TEXT, TEXT, INTEGER),
                TEXT,
                (in, i, out) -> out.setString(
                        i,
                        split(string(in, 0, i), string(in, 1, i), in.vector(2).getInt(i))));
    }

    private static void registerNumbersAndTimes(Session session) throws SQLException {
        function(
                session,
                "spark_double_text",
                List.of(DOUBLE),
                TEXT,
                (in, i, out) -> out.setString(i, Double.toString(in.vector(0).getDouble(i))));
        function(
                session,
                "spark_float_text",
                List.of(DuckDBColumnType.FLOAT),
                TEXT,
                (in, i, out) -> out.setString(i, Float.toString(in.vector(0).getFloat(i))));
        function(
                session,
                "spark_round",
                List.of(DOUBLE, INTEGER),
                DOUBLE,
                (in, i, out) -> out.setDouble(
                        i, round(in.vector(0).getDouble(i), in.vector(1).getInt(i))));
        function(
                session,
                "spark_date_format",
                List.of(BIGINT, TEXT),
                TEXT,
                (in, i, out) ->
                        out.setString(i, DatePatterns.format(in.vector(0).getLong(i), string(in, 1, i))));
        function(
                session,
                "spark_parse_date",
                List.of(TEXT, TEXT),
                INTEGER,
                (in, i, out) -> out.setInt(i, DatePatterns.parseDay(string(in, 0, i), string(in, 1, i))));
        function(
                session,
                "spark_parse_timestamp",
                List.of(TEXT, TEXT),
                BIGINT,
                (in, i, out) -> out.setLong(i, DatePatterns.parseMicros(string(in, 0, i), string(in, 1, i))));
    }

    private static String string(DuckDBDataChunkReader input, int column, long row) {
        return input.vector(column).getString(row);
    }

    private static void function(
            Session session, String name, List<DuckDBColumnType> parameters, DuckDBColumnType result, Row row)
            throws SQLException {
        try (var builder = DuckDBFunctions.scalarFunction()) {
            builder.withName(name)
                    .withParameters(parameters.toArray(DuckDBColumnType[]::new))
                    .withReturnType(result)
                    .withVectorizedFunction((input, output) -> apply(row, input, output))
                    .register(session.connection());
        }
    }

    private static void apply(Row row, DuckDBDataChunkReader input, DuckDBWritableVector output) {
        int columns = (int) input.columnCount();
        DuckDBReadableVector[] vectors = new DuckDBReadableVector[columns];
        for (int i = 0; i < columns; i++) {
            vectors[i] = input.vector(i);
        }
        long rows = input.rowCount();
        for (long i = 0; i < rows; i++) {
            boolean missing = false;
            for (DuckDBReadableVector vector : vectors) {
                missing |= vector.isNull(i);
            }
            if (missing) {
                output.setNull(i);
            } else {
                row.compute(input, i, output);
            }
        }
    }

    private static Pattern pattern(String text) {
        if (PATTERNS.size() > PATTERNS_CACHED_MAX) {
            PATTERNS.clear();
        }
        return PATTERNS.computeIfAbsent(text, Pattern::compile);
    }

    private static double round(double value, int digits) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return value;
        }
        return BigDecimal.valueOf(value).setScale(digits, RoundingMode.HALF_UP).doubleValue();
    }

    private static String initcap(String text) {
        StringBuilder result = new StringBuilder(text.length());
        boolean start = true;
        for (int point : text.toLowerCase(Locale.ROOT).codePoints().toArray()) {
            result.appendCodePoint(start ? Character.toTitleCase(point) : point);
            start = point == ' ';
        }
        return result.toString();
    }

    private static String extract(String text, String expression, int group) {
        Matcher matcher = pattern(expression).matcher(text);
        if (group < 0 || group > matcher.groupCount()) {
            throw new IllegalArgumentException("regexp_extract: there is no group " + group + " in " + expression);
        }
        if (!matcher.find()) {
            return "";
        }
        String found = matcher.group(group);
        return found == null ? "" : found;
    }

    private static String split(String text, String expression, int limit) {
        String[] parts;
        if (expression.isEmpty() && !text.isEmpty()) {
            int[] points = text.codePoints().toArray();
            int count = limit <= 0 || limit > points.length ? points.length : limit;
            parts = new String[count];
            for (int i = 0; i < count; i++) {
                int length = i == count - 1 ? points.length - i : 1;
                parts[i] = new String(points, i, length);
            }
        } else {
            parts = pattern(expression).split(text, limit == 0 ? -1 : limit);
        }
        try {
            return JSON.writeValueAsString(parts);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void digest(String base64, int bits, long row, DuckDBWritableVector output) {
        String algorithm = DIGESTS.get(bits);
        if (algorithm == null) {
            output.setNull(row);
            return;
        }
        try {
            byte[] hash = MessageDigest.getInstance(algorithm)
                    .digest(Base64.getDecoder().decode(base64.getBytes(StandardCharsets.US_ASCII)));
            output.setString(row, HexFormat.of().formatHex(hash));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
