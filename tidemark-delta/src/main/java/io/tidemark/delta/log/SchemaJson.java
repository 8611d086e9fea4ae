package io.tidemark.delta.log;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Schemas as the Delta log writes them.
 *
 * <p>Collations stand in a field's metadata, and such columns read as plain texts, as the protocol allows. Lengths of
 * {@code char} and {@code varchar} stand there too. Metadata is kept as it is, except for entries that are NULL.
 */
public final class SchemaJson {
    private static final Pattern DECIMAL = Pattern.compile("decimal\\(\\s*(\\d+)\\s*,\\s*(-?\\d+)\\s*\\)");
    private static final Pattern SIZED_TEXT = Pattern.compile("(char|varchar)\\(\\s*\\d+\\s*\\)");
    private static final Pattern COLLATED_TEXT = Pattern.compile("string collate [\\w.]+");
    private static final Set<String> KNOWN_BUT_UNSUPPORTED = Set.of("geometry", "geography", "interval", "object");
    private static final int DEFAULT_PRECISION = 10;

    private SchemaJson() {}

    /**
     * Reads a schema.
     *
     * @throws TidemarkException with {@link ErrorCode#TABLE_SCHEMA_INVALID} if the text is no schema, with
     *     {@link ErrorCode#TABLE_FEATURE_UNSUPPORTED} if it has a type that is known but not supported
     */
    public static StructType parse(String schemaString) {
        try {
            DataType type = typeOf("schema", JsonValues.parseObject(schemaString));
            if (type instanceof StructType struct) {
                return struct;
            }
            throw invalid("a table's schema must be a struct, this is " + type.sql(), null);
        } catch (IOException | IllegalArgumentException e) {
            throw invalid("a schema cannot be read: " + e.getMessage(), e);
        }
    }

    /** Writes a schema; the metadata of each field in order of its names. */
    public static String write(StructType schema) {
        return JsonValues.write(json(schema));
    }

    /** The spelling of a type that holds no others. */
    public static String typeName(DataType type) {
        if (json(type) instanceof String name) {
            return name;
        }
        throw new IllegalArgumentException("no plain type: " + type.sql());
    }

    private static DataType typeOf(String place, @Nullable Object json) throws IOException {
        if (json instanceof String name) {
            return simpleType(place, name);
        }
        Fields fields = Fields.of("the type of " + place, json);
        String kind = fields.text("type");
        return switch (kind) {
            case "struct" -> struct(place, fields);
            case "array" ->
                new ArrayType(
                        typeOf(place + ".element", fields.values().get("elementType")), fields.flag("containsNull"));
            case "map" ->
                new MapType(
                        typeOf(place + ".key", fields.values().get("keyType")),
                        typeOf(place + ".value", fields.values().get("valueType")),
                        fields.flag("valueContainsNull"));
            case "udt" -> typeOf(place, fields.values().get("sqlType"));
            default -> throw unsupported(place, kind);
        };
    }

    private static StructType struct(String place, Fields fields) throws IOException {
        Object list = fields.values().get("fields");
        if (!(list instanceof List<?> elements)) {
            throw new IOException(place + " has no list of fields");
        }
        List<StructField> columns = new ArrayList<>();
        for (Object element : elements) {
            Fields field = Fields.of("a field of " + place, element);
            String name = field.text("name");
            Fields metadata = field.objectOrNull("metadata");
            columns.add(new StructField(
                    name,
                    typeOf(place + "." + name, field.values().get("type")),
                    field.flagOr("nullable", true),
                    metadata == null ? Map.of() : withoutNulls(metadata.values())));
        }
        return new StructType(columns);
    }

    private static DataType simpleType(String place, String name) throws IOException {
        for (ScalarType scalar : ScalarType.values()) {
            if (scalar.deltaName().equals(name)) {
                return scalar;
            }
        }
        Matcher decimal = DECIMAL.matcher(name);
        if (decimal.matches()) {
            return new DecimalType(Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2)));
        }
        if (name.equals("decimal")) {
            return new DecimalType(DEFAULT_PRECISION, 0);
        }
        if (name.equals("null")) {
            return ScalarType.VOID;
        }
        if (SIZED_TEXT.matcher(name).matches() || COLLATED_TEXT.matcher(name).matches()) {
            return ScalarType.STRING;
        }
        String stem = name.toLowerCase(Locale.ROOT).split("[( ]", 2)[0];
        if (KNOWN_BUT_UNSUPPORTED.contains(stem)) {
            throw unsupported(place, name);
        }
        throw new IOException(place + " has the unknown type " + name);
    }

    private static Map<String, Object> withoutNulls(Map<String, @Nullable Object> values) {
        Map<String, Object> kept = new LinkedHashMap<>();
        for (Map.Entry<String, @Nullable Object> entry : values.entrySet()) {
            Object value = entry.getValue();
            if (value != null) {
                kept.put(entry.getKey(), value);
            }
        }
        return kept;
    }

    private static Object json(DataType type) {
        Map<String, Object> object = new LinkedHashMap<>();
        if (type instanceof ScalarType scalar) {
            return scalar.deltaName();
        }
        if (type instanceof DecimalType decimal) {
            return "decimal(" + decimal.precision() + "," + decimal.scale() + ")";
        }
        if (type instanceof StructType struct) {
            object.put("type", "struct");
            object.put("fields", struct.fields().stream().map(SchemaJson::json).toList());
        } else if (type instanceof ArrayType array) {
            object.put("type", "array");
            object.put("elementType", json(array.element()));
            object.put("containsNull", array.containsNull());
        } else if (type instanceof MapType map) {
            object.put("type", "map");
            object.put("keyType", json(map.key()));
            object.put("valueType", json(map.value()));
            object.put("valueContainsNull", map.valueContainsNull());
        }
        return object;
    }

    private static Object json(StructField field) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("name", field.name());
        object.put("type", json(field.type()));
        object.put("nullable", field.nullable());
        object.put("metadata", new TreeMap<>(field.metadata()));
        return object;
    }

    private static TidemarkException unsupported(String place, String type) {
        return TidemarkException.of(ErrorCode.TABLE_FEATURE_UNSUPPORTED, place + " has the unsupported type " + type)
                .build();
    }

    private static TidemarkException invalid(String text, @Nullable Exception cause) {
        TidemarkException.Builder error = TidemarkException.of(ErrorCode.TABLE_SCHEMA_INVALID, text);
        return Optional.ofNullable(cause).map(error::cause).orElse(error).build();
    }
}
