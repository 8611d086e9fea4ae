package io.tidemark.sql.parse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.StructType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DataTypeParserTest {
    private static final TextLocation PLACE = new TextLocation("f.sql", 3, 10);

    @Test
    void spellingsOfTypes() {
        Map<String, String> cases = Map.ofEntries(
                Map.entry("int", "INT"),
                Map.entry("INTEGER", "INT"),
                Map.entry("long", "BIGINT"),
                Map.entry("byte", "TINYINT"),
                Map.entry("short", "SMALLINT"),
                Map.entry("real", "FLOAT"),
                Map.entry("double", "DOUBLE"),
                Map.entry("boolean", "BOOLEAN"),
                Map.entry("binary", "BINARY"),
                Map.entry("date", "DATE"),
                Map.entry("variant", "VARIANT"),
                Map.entry("timestamp_ltz", "TIMESTAMP"),
                Map.entry("timestamp_ntz", "TIMESTAMP_NTZ"),
                Map.entry("dec", "DECIMAL(10,0)"),
                Map.entry("numeric(12)", "DECIMAL(12,0)"),
                Map.entry("decimal(38,38)", "DECIMAL(38,38)"),
                Map.entry("array<map<string,array<int>>>", "ARRAY<MAP<STRING, ARRAY<INT>>>"),
                Map.entry("struct<>", "STRUCT<>"),
                Map.entry(
                        "struct<a int, `b c`:string not null comment 'x'>", "STRUCT<a: INT, `b c`: STRING NOT NULL>"));
        cases.forEach((text, sql) ->
                assertThat(DataTypeParser.parse(text, PLACE).sql()).isEqualTo(sql));
    }

    @Test
    void whatTypesPrintIsRead() {
        DataType type = DataTypeParser.parse("STRUCT<a: INT NOT NULL, m: MAP<STRING, STRUCT<`x``y`: DATE>>>", PLACE);
        assertThat(DataTypeParser.parse(type.sql(), PLACE)).isEqualTo(type);
    }

    @Test
    void schemas() {
        StructType schema = DataTypeParser.parseSchema("id BIGINT NOT NULL,\n name STRING COMMENT 'n', x: int", PLACE);
        assertThat(schema.names()).containsExactly("id", "name", "x");
        assertThat(schema.fields().get(0).nullable()).isFalse();
        assertThat(schema.fields().get(1).comment()).contains("n");
    }

    @Test
    void faultsHavePlaces() {
        TidemarkException fault = fault("STRUCT<a: INT,\n  b: INTT>");
        assertThat(fault.render()).isEqualTo("""
                        f.sql:4:6: error INVALID_TYPE: there is no type INTT
                            b: INTT>
                               ^
                          hint: did you mean INT?""");
        for (String text : List.of(
                "",
                "decimal(39)",
                "decimal(5,6)",
                "decimal(1,2,3)",
                "int(3)",
                "array",
                "array<int",
                "map<int>",
                "struct<a>",
                "interval",
                "void",
                "int int",
                "struct<a: int, A: int>",
                "'x'",
                "decimal(99999999999)")) {
            assertThat(fault(text).code()).as(text).isEqualTo(ErrorCode.INVALID_TYPE);
            assertThat(fault(text).location()).as(text).isPresent();
        }
        assertThat(fault("varchar(10)").code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        String deep = "array<".repeat(10_000) + "int" + ">".repeat(10_000);
        assertThat(fault(deep).code()).isEqualTo(ErrorCode.INVALID_TYPE);
    }

    private static TidemarkException fault(String text) {
        return catchThrowableOfType(TidemarkException.class, () -> DataTypeParser.parse(text, PLACE));
    }
}
