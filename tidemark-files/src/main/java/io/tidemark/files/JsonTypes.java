package io.tidemark.files;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The type that fits all objects seen: names in order, numbers widened, and text where kinds differ. */
final class JsonTypes {
    private final Map<String, DataType> fields = new TreeMap<>();

    void see(JsonNode object) {
        for (Map.Entry<String, JsonNode> entry : object.properties()) {
            fields.merge(entry.getKey(), type(entry.getValue()), JsonTypes::wider);
        }
    }

    StructType struct() {
        List<StructField> result = new ArrayList<>();
        fields.forEach((name, type) -> result.add(StructField.of(name, settled(type))));
        return new StructType(result);
    }

    private static DataType type(JsonNode node) {
        if (node.isNull()) {
            return ScalarType.VOID;
        }
        if (node.isBoolean()) {
            return ScalarType.BOOLEAN;
        }
        if (node.isIntegralNumber()) {
            return node.canConvertToLong() ? ScalarType.LONG : ScalarType.DOUBLE;
        }
        if (node.isNumber()) {
            return ScalarType.DOUBLE;
        }
        if (node.isArray()) {
            DataType element = ScalarType.VOID;
            for (JsonNode each : node) {
                element = wider(element, type(each));
            }
            return new ArrayType(element, true);
        }
        if (node.isObject()) {
            JsonTypes types = new JsonTypes();
            types.see(node);
            List<StructField> members = new ArrayList<>();
            types.fields.forEach((name, type) -> members.add(StructField.of(name, type)));
            return new StructType(members);
        }
        return ScalarType.STRING;
    }

    private static DataType wider(DataType a, DataType b) {
        if (a.equals(b) || b == ScalarType.VOID) {
            return a;
        }
        if (a == ScalarType.VOID) {
            return b;
        }
        boolean numbers =
                (a == ScalarType.LONG || a == ScalarType.DOUBLE) && (b == ScalarType.LONG || b == ScalarType.DOUBLE);
        if (numbers) {
            return ScalarType.DOUBLE;
        }
        if (a instanceof ArrayType left && b instanceof ArrayType right) {
            return new ArrayType(wider(left.element(), right.element()), true);
        }
        if (a instanceof StructType left && b instanceof StructType right) {
            Map<String, DataType> members = new TreeMap<>();
            left.fields().forEach(field -> members.put(field.name(), field.type()));
            right.fields().forEach(field -> members.merge(field.name(), field.type(), JsonTypes::wider));
            List<StructField> result = new ArrayList<>();
            members.forEach((name, type) -> result.add(StructField.of(name, type)));
            return new StructType(result);
        }
        return ScalarType.STRING;
    }

    /** What was always null is read as text, and so are objects without members. */
    private static DataType settled(DataType type) {
        if (type == ScalarType.VOID
                || (type instanceof StructType empty && empty.fields().isEmpty())) {
            return ScalarType.STRING;
        }
        if (type instanceof ArrayType array) {
            return new ArrayType(settled(array.element()), true);
        }
        if (type instanceof StructType struct) {
            return new StructType(struct.fields().stream()
                    .map(field -> StructField.of(field.name(), settled(field.type())))
                    .toList());
        }
        return type;
    }
}
