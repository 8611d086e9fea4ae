package io.tidemark.duckdb.session;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.duckdb.DuckDBReadableVector;
import org.jspecify.annotations.Nullable;

/**
 * How values leave the database exactly. The chunk reader knows plain columns only and the driver's objects of nested
 * values depend on the time zone of the JVM; so nested values travel as JSON whose leaves are exact texts, times as
 * numbers, bytes as base64.
 */
public final class Values {
    /** DuckDB's types whose values the driver gives as this class would. */
    public static final Set<String> PLAIN =
            Set.of("BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR");

    private static final String EPOCH_DAY = "DATE '1970-01-01'";
    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build());

    private Values() {}

    /** An expression that encodes a column's value for {@link #read}. */
    public static String encode(String expression, DataType type) {
        return switch (type.kind()) {
            case SCALAR ->
                switch ((ScalarType) type) {
                    case BOOLEAN, BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, STRING, DATE -> cast(expression, type);
                    case BINARY -> "to_base64(" + expression + ")";
                    case TIMESTAMP, TIMESTAMP_NTZ -> "epoch_us(" + cast(expression, type) + ")";
                    case VARIANT, VOID -> "CAST(" + expression + " AS VARCHAR)";
                };
            case DECIMAL -> cast(expression, type);
            case STRUCT, ARRAY, MAP -> "CAST(to_json(" + text(cast(expression, type), type, 0) + ") AS VARCHAR)";
        };
    }

    private static String cast(String expression, DataType type) {
        return "CAST(" + expression + " AS " + Spelling.type(type) + ")";
    }

    /** An expression for a part of a nested value: lists and structs whose leaves are VARCHAR. */
    private static String text(String expression, DataType type, int depth) {
        return switch (type.kind()) {
            case SCALAR ->
                switch ((ScalarType) type) {
                    case STRING -> expression;
                    case BINARY -> "to_base64(" + expression + ")";
                    case DATE -> "CAST(" + expression + " - " + EPOCH_DAY + " AS VARCHAR)";
                    case TIMESTAMP, TIMESTAMP_NTZ -> "CAST(epoch_us(" + expression + ") AS VARCHAR)";
                    default -> "CAST(" + expression + " AS VARCHAR)";
                };
            case DECIMAL -> "CAST(" + expression + " AS VARCHAR)";
            case STRUCT -> structText(expression, (StructType) type, depth);
            case ARRAY -> {
                String element = "x" + depth;
                yield "list_transform(" + expression + ", lambda " + element + ": "
                        + text(element, ((ArrayType) type).element(), depth + 1) + ")";
            }
            case MAP -> {
                String entry = "x" + depth;
                MapType map = (MapType) type;
                yield "list_transform(map_entries(" + expression + "), lambda " + entry + ": struct_pack(k := "
                        + text("struct_extract(" + entry + ", 'key')", map.key(), depth + 1) + ", v := "
                        + text("struct_extract(" + entry + ", 'value')", map.value(), depth + 1) + "))";
            }
        };
    }

    private static String structText(String expression, StructType type, int depth) {
        StringBuilder text = new StringBuilder("CASE WHEN " + expression + " IS NOT NULL THEN struct_pack(");
        List<StructField> fields = type.fields();
        for (int i = 0; i < fields.size(); i++) {
            // By position: names may differ in case only, and JSON objects of that kind cannot be told apart.
            text.append(i == 0 ? "" : ", ").append("f").append(i).append(" := ");
            String field = "struct_extract_at(" + expression + ", " + (i + 1) + ")";
            text.append(text(field, fields.get(i).type(), depth));
        }
        return text.append(") END").toString();
    }

    /** Reads a value that {@link #encode} wrote. */
    public static @Nullable Object read(DuckDBReadableVector vector, int row, DataType type) {
        if (vector.isNull(row)) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR ->
                switch ((ScalarType) type) {
                    case BOOLEAN -> vector.getBoolean(row);
                    case BYTE -> vector.getByte(row);
                    case SHORT -> vector.getShort(row);
                    case INTEGER -> vector.getInt(row);
                    case LONG -> vector.getLong(row);
                    case FLOAT -> vector.getFloat(row);
                    case DOUBLE -> vector.getDouble(row);
                    case STRING, VARIANT, VOID -> vector.getString(row);
                    case BINARY -> Base64.getDecoder().decode(vector.getString(row));
                    case DATE -> vector.getLocalDate(row);
                    case TIMESTAMP -> instant(vector.getLong(row));
                    case TIMESTAMP_NTZ -> localDateTime(vector.getLong(row));
                };
            case DECIMAL -> vector.getBigDecimal(row);
            case STRUCT, ARRAY, MAP -> {
                try {
                    yield decode(JSON.readTree(vector.getString(row)), type);
                } catch (IOException e) {
                    throw new IllegalStateException("a nested value did not come back as JSON", e);
                }
            }
        };
    }

    private static @Nullable Object decode(JsonNode node, DataType type) {
        if (node.isNull()) {
            return null;
        }
        return switch (type.kind()) {
            case SCALAR -> decodeScalar(node.textValue(), (ScalarType) type);
            case DECIMAL -> new BigDecimal(node.textValue()).setScale(((DecimalType) type).scale());
            case STRUCT -> {
                Map<String, @Nullable Object> values = new LinkedHashMap<>();
                List<StructField> fields = ((StructType) type).fields();
                for (int i = 0; i < fields.size(); i++) {
                    values.put(
                            fields.get(i).name(),
                            decode(node.get("f" + i), fields.get(i).type()));
                }
                yield values;
            }
            case ARRAY -> {
                List<@Nullable Object> values = new ArrayList<>(node.size());
                for (JsonNode element : node) {
                    values.add(decode(element, ((ArrayType) type).element()));
                }
                yield values;
            }
            case MAP -> {
                Map<@Nullable Object, @Nullable Object> values = new LinkedHashMap<>();
                MapType map = (MapType) type;
                for (JsonNode entry : node) {
                    values.put(decode(entry.get("k"), map.key()), decode(entry.get("v"), map.value()));
                }
                yield values;
            }
        };
    }

    private static Object decodeScalar(String text, ScalarType type) {
        return switch (type) {
            case BOOLEAN -> Boolean.valueOf(text);
            case BYTE -> Byte.valueOf(text);
            case SHORT -> Short.valueOf(text);
            case INTEGER -> Integer.valueOf(text);
            case LONG -> Long.valueOf(text);
            case FLOAT -> Float.valueOf(javaFloating(text));
            case DOUBLE -> Double.valueOf(javaFloating(text));
            case STRING, VARIANT, VOID -> text;
            case BINARY -> Base64.getDecoder().decode(text);
            case DATE -> LocalDate.ofEpochDay(Long.parseLong(text));
            case TIMESTAMP -> instant(Long.parseLong(text));
            case TIMESTAMP_NTZ -> localDateTime(Long.parseLong(text));
        };
    }

    private static String javaFloating(String text) {
        return switch (text) {
            case "nan", "-nan" -> "NaN";
            case "inf" -> "Infinity";
            case "-inf" -> "-Infinity";
            default -> text;
        };
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    private static LocalDateTime localDateTime(long micros) {
        return LocalDateTime.ofInstant(instant(micros), ZoneOffset.UTC);
    }
}
