package io.tidemark.spark.engine.write;

import io.tidemark.core.engine.StatisticsText;
import io.tidemark.core.engine.WrittenFile.ColumnStatistics;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/**
 * Statistics of a file as Delta spells them, made of what Parquet's writer has put into the footer: exact bounds, none
 * where a column holds NaN or texts of more than some thousand bytes.
 */
final class FooterStatistics {
    private static final int MICROS = 1_000_000;
    private static final int NANOS_PER_MICRO = 1_000;
    /** Years that ISO 8601 writes with four digits. */
    private static final int YEAR_MAX = 9_999;

    private static final DateTimeFormatter MILLISECONDS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT);

    private FooterStatistics() {}

    /** A column, or a field of nested structs, that is no struct itself. */
    private record Leaf(List<String> path, DataType type) {}

    /**
     * Reads statistics.
     *
     * @param schema the columns in the file
     * @param columnsMax how many leading leaf columns are wanted
     * @param rowGroups what the footer says
     */
    static List<ColumnStatistics> read(StructType schema, int columnsMax, List<BlockMetaData> rowGroups) {
        List<Leaf> leaves = new ArrayList<>();
        collect(schema, List.of(), leaves);
        Map<List<String>, Merged> merged = merged(rowGroups);
        List<ColumnStatistics> statistics = new ArrayList<>();
        for (Leaf leaf : leaves.subList(0, Math.min(columnsMax, leaves.size()))) {
            Merged column = merged.get(leaf.path());
            if (column != null && column.statistics().isNumNullsSet()) {
                Map<String, Object> bounds = column.isBounded() ? bounds(leaf.type(), column.statistics()) : Map.of();
                statistics.add(new ColumnStatistics(
                        leaf.path(), bounds, column.statistics().getNumNulls()));
            }
        }
        return statistics;
    }

    /**
     * Statistics of a column in all row groups.
     *
     * @param isBounded whether every group with values has bounds
     */
    private record Merged(Statistics<?> statistics, boolean isBounded) {
        Merged and(Merged other) {
            statistics.mergeStatistics(other.statistics());
            return new Merged(statistics, isBounded && other.isBounded());
        }
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

    /** By column, the statistics of all row groups. */
    private static Map<List<String>, Merged> merged(List<BlockMetaData> rowGroups) {
        Map<List<String>, Merged> merged = new HashMap<>();
        for (BlockMetaData group : rowGroups) {
            for (ColumnChunkMetaData chunk : group.getColumns()) {
                Statistics<?> own = chunk.getStatistics();
                boolean bounded = own.hasNonNullValue() || own.getNumNulls() == chunk.getValueCount();
                merged.merge(List.of(chunk.getPath().toArray()), new Merged(own, bounded), Merged::and);
            }
        }
        return merged;
    }

    private static Map<String, Object> bounds(DataType type, Statistics<?> column) {
        Map<String, Object> bounds = new HashMap<>();
        if (column.hasNonNullValue()) {
            bound(type, column.genericGetMin(), false).ifPresent(value -> bounds.put("min", value));
            bound(type, column.genericGetMax(), true).ifPresent(value -> bounds.put("max", value));
        }
        return bounds;
    }

    private static Optional<Object> bound(DataType type, @Nullable Object value, boolean upper) {
        if (value == null) {
            return Optional.empty();
        }
        return switch (type.kind()) {
            case DECIMAL -> Optional.of(decimal((DecimalType) type, value));
            case STRUCT, ARRAY, MAP -> Optional.empty();
            case SCALAR ->
                switch ((ScalarType) type) {
                    case BYTE, SHORT, INTEGER, LONG -> Optional.of(((Number) value).longValue());
                    case FLOAT -> Float.isFinite((Float) value) ? Optional.of(value) : Optional.empty();
                    case DOUBLE -> Double.isFinite((Double) value) ? Optional.of(value) : Optional.empty();
                    case STRING -> StatisticsText.bound(((Binary) value).toStringUsingUTF8(), upper);
                    case DATE -> date(((Number) value).longValue());
                    case TIMESTAMP -> time(((Number) value).longValue(), upper).map(text -> text + "Z");
                    case TIMESTAMP_NTZ ->
                        time(((Number) value).longValue(), upper).map(text -> text);
                    case BOOLEAN, BINARY, VARIANT, VOID -> Optional.empty();
                };
        };
    }

    private static BigDecimal decimal(DecimalType type, Object value) {
        BigInteger digits = value instanceof Binary bytes
                ? new BigInteger(bytes.getBytes())
                : BigInteger.valueOf(((Number) value).longValue());
        return new BigDecimal(digits, type.scale());
    }

    private static Optional<Object> date(long day) {
        LocalDate date = LocalDate.ofEpochDay(day);
        return isPlain(date.getYear()) ? Optional.of(date.toString()) : Optional.empty();
    }

    private static boolean isPlain(int year) {
        return year >= 0 && year <= YEAR_MAX;
    }

    private static Optional<String> time(long micros, boolean upper) {
        LocalDateTime exact = LocalDateTime.ofEpochSecond(
                Math.floorDiv(micros, MICROS), Math.floorMod(micros, MICROS) * NANOS_PER_MICRO, ZoneOffset.UTC);
        LocalDateTime rounded = exact.truncatedTo(ChronoUnit.MILLIS);
        if (upper && rounded.isBefore(exact)) {
            rounded = rounded.plus(1, ChronoUnit.MILLIS);
        }
        return isPlain(rounded.getYear()) ? Optional.of(MILLISECONDS.format(rounded)) : Optional.empty();
    }
}
