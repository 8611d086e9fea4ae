package io.tidemark.duckdb;

import io.tidemark.core.engine.StatisticsText;
import io.tidemark.core.engine.WrittenFile.ColumnStatistics;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.session.Spelling;
import java.math.BigDecimal;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Turns the statistics that COPY returns, all of them texts, into those of a Delta log. */
final class FileStatistics {
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");
    private static final Pattern TIMESTAMP = Pattern.compile("\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?");
    private static final DateTimeFormatter PRINTED = new DateTimeFormatterBuilder()
            .appendPattern("yyyy-MM-dd HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 6, true)
            .toFormatter(Locale.ROOT);
    private static final DateTimeFormatter MILLISECONDS =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT);

    private FileStatistics() {}

    /** A column, or a field of nested structs, that is no struct itself. */
    private record Leaf(List<String> path, DataType type) {}

    /**
     * Reads statistics.
     *
     * @param schema the written columns
     * @param columnsMax how many leading leaf columns are wanted
     * @param printed by quoted path, what COPY returned
     */
    static List<ColumnStatistics> read(StructType schema, int columnsMax, Map<String, Map<String, String>> printed) {
        List<Leaf> leaves = new ArrayList<>();
        collect(schema, List.of(), leaves);
        List<ColumnStatistics> statistics = new ArrayList<>();
        for (Leaf leaf : leaves.subList(0, Math.min(columnsMax, leaves.size()))) {
            Map<String, String> values = printed.get(key(leaf.path()));
            if (values != null && values.containsKey("null_count")) {
                statistics.add(new ColumnStatistics(
                        leaf.path(), bounds(leaf.type(), values), Long.parseLong(values.get("null_count"))));
            }
        }
        return statistics;
    }

    /** The key under which COPY returns the statistics of a column or nested field. */
    static String key(List<String> path) {
        return path.stream().map(Spelling::name).collect(Collectors.joining("."));
    }

    private static void collect(StructType struct, List<String> prefix, List<Leaf> leaves) {
        for (StructField field : struct.fields()) {
            List<String> path = new ArrayList<>(prefix);
            path.add(field.name());
            if (field.type() instanceof StructType nested) {
                collect(nested, path, leaves);
            } else {
                leaves.add(new Leaf(List.copyOf(path), field.type()));
            }
        }
    }

    private static Map<String, Object> bounds(DataType type, Map<String, String> values) {
        Map<String, Object> bounds = new HashMap<>();
        String notANumbers = values.getOrDefault("nan_count", "0");
        if (values.containsKey("has_nan") && !notANumbers.equals("0")) {
            return bounds;
        }
        bound(type, values, "min").ifPresent(value -> bounds.put("min", value));
        bound(type, values, "max").ifPresent(value -> bounds.put("max", value));
        return bounds;
    }

    private static Optional<Object> bound(DataType type, Map<String, String> values, String which) {
        String text = values.get(which);
        if (text == null || !"true".equals(values.get(which + "_is_exact"))) {
            return Optional.empty();
        }
        return switch (type.kind()) {
            case DECIMAL -> Optional.of(new BigDecimal(text));
            case STRUCT, ARRAY, MAP -> Optional.empty();
            case SCALAR ->
                switch ((ScalarType) type) {
                    case BYTE, SHORT, INTEGER, LONG -> Optional.of(Long.valueOf(text));
                    case FLOAT -> finite(text).map(value -> value.floatValue());
                    case DOUBLE -> finite(text).map(value -> value);
                    case STRING -> StatisticsText.bound(text, which.equals("max"));
                    case DATE -> DATE.matcher(text).matches() ? Optional.of(text) : Optional.empty();
                    case TIMESTAMP ->
                        timestamp(text.replaceFirst("\\+00$", ""), which).map(value -> value + "Z");
                    case TIMESTAMP_NTZ -> timestamp(text, which).map(value -> value);
                    case BOOLEAN, BINARY, VARIANT, VOID -> Optional.empty();
                };
        };
    }

    private static Optional<Double> finite(String text) {
        if (text.contains("n")) {
            // nan, inf and -inf have no spelling as a JSON number
            return Optional.empty();
        }
        return Optional.of(Double.valueOf(text));
    }

    private static Optional<String> timestamp(String text, String which) {
        if (!TIMESTAMP.matcher(text).matches()) {
            return Optional.empty();
        }
        LocalDateTime exact = LocalDateTime.parse(text, PRINTED);
        LocalDateTime rounded = exact.truncatedTo(ChronoUnit.MILLIS);
        if (which.equals("max") && rounded.isBefore(exact)) {
            rounded = rounded.plus(1, ChronoUnit.MILLIS);
        }
        return Optional.of(MILLISECONDS.format(rounded));
    }
}
