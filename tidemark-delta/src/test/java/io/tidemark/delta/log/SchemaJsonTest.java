package io.tidemark.delta.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SchemaJsonTest {
    @Test
    void keepsEveryTypeThroughTextAndBack() {
        List<StructField> fields = new ArrayList<>();
        for (ScalarType type : ScalarType.values()) {
            fields.add(StructField.of("c_" + type.deltaName(), type));
        }
        fields.add(new StructField("d", new DecimalType(38, 18), false, Map.of()));
        fields.add(StructField.of("a", new ArrayType(new ArrayType(ScalarType.LONG, false), true)));
        fields.add(StructField.of(
                "m", new MapType(ScalarType.STRING, StructType.of(StructField.of("x y", ScalarType.DATE)), false)));
        fields.add(new StructField(
                "meta",
                ScalarType.STRING,
                true,
                Map.of(
                        "comment",
                        "text",
                        "delta.columnMapping.id",
                        5L,
                        "__CHAR_VARCHAR_TYPE_STRING",
                        "varchar(10)",
                        "nested",
                        Map.of("deep", List.of(1L, true)))));
        StructType schema = new StructType(fields);
        assertThat(SchemaJson.parse(SchemaJson.write(schema))).isEqualTo(schema);
    }

    @Test
    void writesAsDeltaDoes() {
        assertThat(SchemaJson.write(StructType.of(
                        new StructField("id", ScalarType.LONG, false, Map.of("b", 1L, "a", "x")),
                        StructField.of("l", new ArrayType(new DecimalType(10, 2), true)))))
                .isEqualTo("{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":false,"
                        + "\"metadata\":{\"a\":\"x\",\"b\":1}},{\"name\":\"l\",\"type\":{\"type\":\"array\","
                        + "\"elementType\":\"decimal(10,2)\",\"containsNull\":true},\"nullable\":true,"
                        + "\"metadata\":{}}]}");
    }

    @Test
    void readsCollatedAndSizedTextsAsTexts() {
        assertThat(type("\"string collate UTF8_LCASE\"")).isEqualTo(ScalarType.STRING);
        assertThat(type("\"varchar(10)\"")).isEqualTo(ScalarType.STRING);
        assertThat(type("\"decimal\"")).isEqualTo(new DecimalType(10, 0));
    }

    @Test
    void refusesUnknownTypes() {
        assertCode("\"geometry(OGC:CRS84)\"", ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertCode("\"interval year\"", ErrorCode.TABLE_FEATURE_UNSUPPORTED);
        assertCode("\"nonsense\"", ErrorCode.TABLE_SCHEMA_INVALID);
        assertCode("\"decimal(50,2)\"", ErrorCode.TABLE_SCHEMA_INVALID);
        assertCode("7", ErrorCode.TABLE_SCHEMA_INVALID);
        assertThatThrownBy(() -> SchemaJson.parse("{\"type\":\"struct\"")).isInstanceOf(TidemarkException.class);
    }

    private static void assertCode(String type, ErrorCode code) {
        assertThatThrownBy(() -> type(type))
                .isInstanceOfSatisfying(
                        TidemarkException.class,
                        error -> assertThat(error.code()).isEqualTo(code));
    }

    private static Object type(String json) {
        return SchemaJson.parse("{\"type\":\"struct\",\"fields\":[{\"name\":\"c\",\"type\":" + json
                        + ",\"nullable\":true,\"metadata\":{}}]}")
                .fields()
                .get(0)
                .type();
    }
}
