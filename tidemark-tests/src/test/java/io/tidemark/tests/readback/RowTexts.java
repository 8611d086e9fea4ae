package io.tidemark.tests.readback;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.delta.kernel.data.ColumnVector;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;
import scala.jdk.javaapi.CollectionConverters;

/**
 * One spelling of values for three readers. Types are those of the table, so that a reader that gives a value of another
 * kind fails. Entries of a map are in no order, all else is exact: the sign of zero, the scale of decimals, case.
 */
final class RowTexts {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String NULL = "NULL";

    private RowTexts() {}

    /** A row of Tidemark's engine. */
    static String ofEngine(List<@Nullable Object> row, StructType schema) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            texts.add(engine(row.get(i), schema.fields().get(i).type()));
        }
        return struct(texts);
    }

    /** A row of Spark. */
    static String ofSpark(Row row, StructType schema) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < row.size(); i++) {
            texts.add(spark(row.get(i), schema.fields().get(i).type()));
        }
        return struct(texts);
    }

    /** A row of Kernel's columns. */
    static String ofKernel(List<ColumnVector> columns, int row, StructType schema) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            texts.add(kernel(columns.get(i), row, schema.fields().get(i).type()));
        }
        return struct(texts);
    }

    private static String engine(@Nullable Object value, DataType type) {
        if (value == null) {
            return NULL;
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> scalar(value, type);
            case ARRAY -> {
                List<String> texts = new ArrayList<>();
                for (Object element : (List<?>) value) {
                    texts.add(engine(element, ((ArrayType) type).element()));
                }
                yield array(texts);
            }
            case MAP -> {
                List<String> texts = new ArrayList<>();
                ((Map<?, ?>) value)
                        .forEach((key, item) -> texts.add(
                                entry(engine(key, ((MapType) type).key()), engine(item, ((MapType) type).value()))));
                yield map(texts);
            }
            case STRUCT -> {
                List<String> texts = new ArrayList<>();
                Iterator<?> parts = ((Map<?, ?>) value).values().iterator();
                for (StructField field : ((StructType) type).fields()) {
                    texts.add(engine(parts.next(), field.type()));
                }
                yield struct(texts);
            }
        };
    }

    private static String spark(@Nullable Object value, DataType type) {
        if (value == null) {
            return NULL;
        }
        return switch (type.kind()) {
            case SCALAR, DECIMAL -> scalar(value, type);
            case ARRAY -> {
                List<String> texts = new ArrayList<>();
                for (Object element : CollectionConverters.asJava((scala.collection.Seq<?>) value)) {
                    texts.add(spark(element, ((ArrayType) type).element()));
                }
                yield array(texts);
            }
            case MAP -> {
                List<String> texts = new ArrayList<>();
                CollectionConverters.asJava((scala.collection.Map<?, ?>) value)
                        .forEach((key, item) -> texts.add(
                                entry(spark(key, ((MapType) type).key()), spark(item, ((MapType) type).value()))));
                yield map(texts);
            }
            case STRUCT -> ofSpark((Row) value, (StructType) type);
        };
    }

    private static String kernel(ColumnVector vector, int row, DataType type) {
        if (vector.isNullAt(row)) {
            return NULL;
        }
        return switch (type.kind()) {
            case SCALAR -> scalar(kernelScalar(vector, row, (ScalarType) type), type);
            case DECIMAL -> scalar(vector.getDecimal(row), type);
            case ARRAY -> {
                ColumnVector elements = vector.getArray(row).getElements();
                List<String> texts = new ArrayList<>();
                for (int i = 0; i < elements.getSize(); i++) {
                    texts.add(kernel(elements, i, ((ArrayType) type).element()));
                }
                yield array(texts);
            }
            case MAP -> {
                ColumnVector keys = vector.getMap(row).getKeys();
                ColumnVector values = vector.getMap(row).getValues();
                List<String> texts = new ArrayList<>();
                for (int i = 0; i < keys.getSize(); i++) {
                    texts.add(entry(
                            kernel(keys, i, ((MapType) type).key()), kernel(values, i, ((MapType) type).value())));
                }
                yield map(texts);
            }
            case STRUCT -> {
                List<String> texts = new ArrayList<>();
                List<StructField> fields = ((StructType) type).fields();
                for (int i = 0; i < fields.size(); i++) {
                    texts.add(kernel(vector.getChild(i), row, fields.get(i).type()));
                }
                yield struct(texts);
            }
        };
    }

    private static Object kernelScalar(ColumnVector vector, int row, ScalarType type) {
        return switch (type) {
            case BOOLEAN -> vector.getBoolean(row);
            case BYTE -> vector.getByte(row);
            case SHORT -> vector.getShort(row);
            case INTEGER -> vector.getInt(row);
            case LONG -> vector.getLong(row);
            case FLOAT -> vector.getFloat(row);
            case DOUBLE -> vector.getDouble(row);
            case STRING -> vector.getString(row);
            case BINARY -> vector.getBinary(row);
            case DATE -> LocalDate.ofEpochDay(vector.getInt(row));
            case TIMESTAMP -> Instant.EPOCH.plus(vector.getLong(row), ChronoUnit.MICROS);
            case TIMESTAMP_NTZ ->
                LocalDateTime.ofInstant(Instant.EPOCH.plus(vector.getLong(row), ChronoUnit.MICROS), ZoneOffset.UTC);
            case VARIANT, VOID -> throw new IllegalArgumentException("Kernel reads no " + type);
        };
    }

    private static String scalar(Object value, DataType type) {
        if (type == ScalarType.VARIANT) {
            return json(value.toString());
        }
        boolean fits = type.kind() == DataType.Kind.DECIMAL ? value instanceof BigDecimal : fits(value, type);
        if (!fits) {
            throw new IllegalArgumentException("a value of " + type.sql() + " came as " + value.getClass());
        }
        if (value instanceof byte[] bytes) {
            return "X'" + HexFormat.of().formatHex(bytes) + "'";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        return value instanceof String text ? "'" + text.replace("'", "''") + "'" : value.toString();
    }

    private static boolean fits(Object value, DataType type) {
        Class<?> expected = switch ((ScalarType) type) {
            case BOOLEAN -> Boolean.class;
            case BYTE -> Byte.class;
            case SHORT -> Short.class;
            case INTEGER -> Integer.class;
            case LONG -> Long.class;
            case FLOAT -> Float.class;
            case DOUBLE -> Double.class;
            case STRING, VARIANT, VOID -> String.class;
            case BINARY -> byte[].class;
            case DATE -> LocalDate.class;
            case TIMESTAMP -> Instant.class;
            case TIMESTAMP_NTZ -> LocalDateTime.class;
        };
        return expected.isInstance(value);
    }

    private static String json(String text) {
        try {
            return JSON.readTree(text).toString();
        } catch (JsonProcessingException e) {
            return text;
        }
    }

    private static String struct(List<String> texts) {
        return "(" + String.join(", ", texts) + ")";
    }

    private static String array(List<String> texts) {
        return "[" + String.join(", ", texts) + "]";
    }

    private static String entry(String key, String value) {
        return key + " -> " + value;
    }

    private static String map(List<String> texts) {
        return "{" + String.join(", ", texts.stream().sorted().toList()) + "}";
    }
}
