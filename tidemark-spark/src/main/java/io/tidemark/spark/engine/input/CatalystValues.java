package io.tidemark.spark.engine.input;

import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.EpochMicros;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.util.ArrayBasedMapData;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import org.jspecify.annotations.Nullable;

/** Values by the rule of {@code Engine.stream} in the form in which Spark computes with them. */
final class CatalystValues {
    private CatalystValues() {}

    /** A row of values that are in that form already. */
    static InternalRow row(@Nullable Object... values) {
        return new GenericInternalRow(values);
    }

    /**
     * A value in Spark's form.
     *
     * @param value null, or a value of that type
     * @param type any type that a column of a source file can have
     */
    static @Nullable Object of(@Nullable Object value, DataType type) {
        if (value == null) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR -> scalar(value, (ScalarType) type);
            case DECIMAL -> {
                DecimalType decimal = (DecimalType) type;
                yield Decimal.apply((BigDecimal) value, decimal.precision(), decimal.scale());
            }
            case STRUCT -> struct((Map<?, ?>) value, (StructType) type);
            case ARRAY -> array((List<?>) value, ((ArrayType) type).element());
            case MAP -> map((Map<?, ?>) value, (MapType) type);
        };
    }

    private static Object scalar(Object value, ScalarType type) {
        return switch (type) {
            case BOOLEAN, BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, BINARY -> value;
            case STRING -> UTF8String.fromString((String) value);
            case DATE -> Math.toIntExact(((LocalDate) value).toEpochDay());
            case TIMESTAMP -> EpochMicros.of((Instant) value);
            case TIMESTAMP_NTZ -> EpochMicros.of((LocalDateTime) value);
            case VARIANT, VOID -> throw new IllegalArgumentException("no file of text holds values of type " + type);
        };
    }

    private static InternalRow struct(Map<?, ?> values, StructType type) {
        @Nullable Object[] row = new Object[type.fields().size()];
        for (int i = 0; i < row.length; i++) {
            StructField field = type.fields().get(i);
            row[i] = of(values.get(field.name()), field.type());
        }
        return new GenericInternalRow(row);
    }

    private static GenericArrayData array(List<?> values, DataType element) {
        @Nullable Object[] array = new Object[values.size()];
        for (int i = 0; i < array.length; i++) {
            array[i] = of(values.get(i), element);
        }
        return new GenericArrayData(array);
    }

    private static ArrayBasedMapData map(Map<?, ?> entries, MapType type) {
        @Nullable Object[] keys = new Object[entries.size()];
        @Nullable Object[] values = new Object[entries.size()];
        int i = 0;
        for (Map.Entry<?, ?> entry : entries.entrySet()) {
            keys[i] = of(entry.getKey(), type.key());
            values[i] = of(entry.getValue(), type.value());
            i++;
        }
        return new ArrayBasedMapData(new GenericArrayData(keys), new GenericArrayData(values));
    }
}
