package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.column;
import static io.tidemark.duckdb.EngineFixture.failure;
import static io.tidemark.duckdb.EngineFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InputScan.Format;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InputTest {
    private static final TextLocation PLACE = new TextLocation("pipeline.sql", 3, 14);

    @TempDir
    Path folder;

    private DuckDbEngine engine;

    @BeforeEach
    void open() {
        engine = EngineFixture.open(folder);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private String file(String name, String text) {
        try {
            Path path = folder.resolve(name);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            if (name.endsWith(".gz")) {
                try (OutputStream stream = new GZIPOutputStream(Files.newOutputStream(path))) {
                    stream.write(bytes);
                }
            } else {
                Files.write(path, bytes);
            }
            return path.toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static StructType schema(Object... namesAndTypes) {
        List<StructField> fields = new ArrayList<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.add(StructField.of((String) namesAndTypes[i], (DataType) namesAndTypes[i + 1]));
        }
        return new StructType(fields);
    }

    private StructType register(
            Format format, @Nullable StructType schema, Map<String, String> options, String... files) {
        return engine.registerInput(
                "s", new InputScan(format, Optional.ofNullable(schema), options, List.of(files), PLACE));
    }

    private List<List<@Nullable Object>> all() {
        return rows(engine, "SELECT * EXCLUDE (_metadata) FROM s");
    }

    @Test
    void csvColumnsAreFoundByNameAndRowsKeepTheirOrder() {
        StructType schema = schema("name", ScalarType.STRING, "id", ScalarType.LONG, "none", ScalarType.DATE);
        register(
                Format.CSV,
                schema,
                Map.of(),
                file("b.csv", "\uFEFFid,other,NAME\n2,x,\"a \"\"b\"\", c\"\n1,,\"\"\n"),
                file("a.csv.gz", "name,id\r\nlast,3\r\n\r\n,4"));
        assertThat(all())
                .containsExactly(
                        Arrays.asList("a \"b\", c", 2L, null),
                        Arrays.asList("", 1L, null),
                        Arrays.asList("last", 3L, null),
                        Arrays.asList(null, 4L, null));
        assertThat(rows(engine, "SELECT id, _metadata.file_name, _metadata.file_size FROM s WHERE id = 2"))
                .containsExactly(
                        List.of(2L, "b.csv", folder.resolve("b.csv").toFile().length()));
        assertThat(column(engine, "SELECT _metadata.file_path FROM s WHERE id = 3"))
                .containsExactly(folder.resolve("a.csv.gz").toString());
    }

    @Test
    void csvValuesOfAllTypes() {
        StructType schema = schema(
                "b",
                ScalarType.BOOLEAN,
                "i",
                ScalarType.INTEGER,
                "d",
                new DecimalType(10, 2),
                "f",
                ScalarType.DOUBLE,
                "dt",
                ScalarType.DATE,
                "ts",
                ScalarType.TIMESTAMP,
                "n",
                ScalarType.TIMESTAMP_NTZ,
                "y",
                ScalarType.BINARY);
        register(Format.CSV, schema, Map.of("sep", "|", "nullvalue", "NULL"), file("a.csv", """
                        b|i|d|f|dt|ts|n|y
                        TRUE|-5|1.005|NaN|2024-02-29|2024-01-01T12:00:00.123456+02:00|2024-01-01 12:00:00|é
                        NULL|NULL|NULL|NULL|NULL|2024-01-01 00:00|NULL|NULL
                        """));
        List<List<@Nullable Object>> rows = all();
        assertThat(rows.get(0).subList(0, 7))
                .containsExactly(
                        true,
                        -5,
                        new BigDecimal("1.01"),
                        Double.NaN,
                        LocalDate.of(2024, 2, 29),
                        Instant.parse("2024-01-01T10:00:00.123456Z"),
                        LocalDateTime.parse("2024-01-01T12:00:00"));
        assertThat(rows.get(0).get(7)).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
        assertThat(rows.get(1))
                .containsExactly(null, null, null, null, null, Instant.parse("2024-01-01T00:00:00Z"), null, null);
    }

    @Test
    void csvOptions() throws IOException {
        Path latin = folder.resolve("latin.csv");
        Files.write(latin, "1;'a\\'b\n c';03.02.2024\n".getBytes(StandardCharsets.ISO_8859_1));
        register(
                Format.CSV,
                schema("id", ScalarType.INTEGER, "t", ScalarType.STRING, "d", ScalarType.DATE),
                Map.of(
                        "header",
                        "false",
                        "delimiter",
                        ";",
                        "quote",
                        "'",
                        "multiline",
                        "true",
                        "encoding",
                        "ISO-8859-1",
                        "dateformat",
                        "dd.MM.yyyy"),
                latin.toString());
        assertThat(all()).containsExactly(List.of(1, "a'b\n c", LocalDate.of(2024, 2, 3)));
    }

    @Test
    void csvErrorsNameFileLineColumnTextAndType() {
        StructType schema = schema("id", ScalarType.INTEGER, "d", ScalarType.DATE);
        String bad = file("bad.csv", "id,d\n1,2024-01-01\n2,2024-02-30\n");
        TidemarkException failure = failure(() -> register(Format.CSV, schema, Map.of(), bad));
        assertThat(failure.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(failure.primary()).isEqualTo(bad + ":3: column d holds '2024-02-30', which is no DATE");
        assertThat(failure.location()).hasValue(PLACE);
        register(Format.CSV, schema, Map.of("mode", "permissive"), bad);
        assertThat(all()).containsExactly(List.of(1, LocalDate.of(2024, 1, 1)), Arrays.asList(2, null));
        register(Format.CSV, schema, Map.of("mode", "DROPMALFORMED"), bad);
        assertThat(all()).containsExactly(List.of(1, LocalDate.of(2024, 1, 1)));
        String wide = file("wide.csv", "id,d\n1\n");
        assertThat(failure(() -> register(Format.CSV, schema, Map.of(), wide)).primary())
                .isEqualTo(wide + ":2: the row has 1 values instead of 2");
        String open = file("open.csv", "id,d\n1,\"2024\n");
        assertThat(failure(() -> register(Format.CSV, schema, Map.of(), open)).primary())
                .startsWith(open + ":2: a quoted value does not end");
        StructType strict = StructType.of(new StructField("x", ScalarType.INTEGER, false, Map.of()));
        assertThat(failure(() -> register(Format.CSV, strict, Map.of(), wide)).code())
                .isEqualTo(ErrorCode.FILE_UNREADABLE);
        String missing = file("missing.csv", "id\n1\n");
        assertThat(failure(() -> register(Format.CSV, strict, Map.of(), missing))
                        .code())
                .isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
    }

    @Test
    void csvSchemaIsInferred() {
        StructType schema = register(
                Format.CSV,
                null,
                Map.of(),
                file("a.csv", "i,l,f,d,t,b,s,e\n1,2,1.5,2024-01-01,2024-01-01T10:00:00Z,true,x,\n"),
                file("b.csv", "i,l\n2,3000000000\n"));
        assertThat(schema.fields().subList(0, 8))
                .containsExactly(
                        StructField.of("i", ScalarType.INTEGER),
                        StructField.of("l", ScalarType.LONG),
                        StructField.of("f", ScalarType.DOUBLE),
                        StructField.of("d", ScalarType.DATE),
                        StructField.of("t", ScalarType.TIMESTAMP),
                        StructField.of("b", ScalarType.BOOLEAN),
                        StructField.of("s", ScalarType.STRING),
                        StructField.of("e", ScalarType.STRING));
        assertThat(schema.names()).endsWith("_metadata");
        assertThat(column(engine, "SELECT l FROM s")).containsExactly(2L, 3_000_000_000L);
    }

    @Test
    void jsonLinesArraysAndNestedValues() {
        StructType schema = schema(
                "id", ScalarType.LONG,
                "s", schema("x", ScalarType.INTEGER, "y", new ArrayType(ScalarType.DATE, true)),
                "m", new MapType(ScalarType.STRING, new DecimalType(5, 2), true),
                "t", new ArrayType(ScalarType.STRING, true),
                "b", ScalarType.BINARY,
                "raw", ScalarType.STRING,
                "ts", ScalarType.TIMESTAMP);
        register(
                Format.JSON,
                schema,
                Map.of(),
                file("a.json.gz", """
                        {"id":9007199254740993,"s":{"x":1,"y":["2024-02-29",null]},"m":{"k":1.005,"n":null},\
                        "t":["a",null,"\\ud83d\\ude80"]}
                        {"id":2,"b":"//8=","raw":{"q":[1.50]},"ts":"2024-01-01T00:00:00Z"}
                        """),
                file("b.json", "[{\"ID\":3},\n {\"id\":4,\"s\":null,\"m\":{},\"t\":[]}]"));
        List<List<@Nullable Object>> rows = rows(engine, "SELECT id, s.x, s.y, m, t, raw, ts FROM s");
        assertThat(rows.get(0))
                .containsExactly(
                        9007199254740993L,
                        1,
                        Arrays.asList(LocalDate.of(2024, 2, 29), null),
                        mapOf("k", new BigDecimal("1.01"), "n", null),
                        Arrays.asList("a", null, "🚀"),
                        null,
                        null);
        assertThat(rows.get(1))
                .containsExactly(2L, null, null, null, null, "{\"q\":[1.50]}", Instant.parse("2024-01-01T00:00:00Z"));
        assertThat(rows.get(2)).containsExactly(3L, null, null, null, null, null, null);
        assertThat(rows.get(3)).containsExactly(4L, null, null, Map.of(), List.of(), null, null);
        assertThat(column(engine, "SELECT hex(b) FROM s WHERE id = 2")).containsExactly("FFFF");
    }

    private static Map<String, @Nullable Object> mapOf(String a, Object x, String b, @Nullable Object y) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put(a, x);
        map.put(b, y);
        return map;
    }

    @Test
    void jsonErrorsNameFileAndLine() {
        StructType schema = schema("id", ScalarType.INTEGER);
        String broken = file("broken.json", "{\"id\":1}\n{\"id\":\n");
        TidemarkException failure = failure(() -> register(Format.JSON, schema, Map.of(), broken));
        assertThat(failure.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(failure.primary()).startsWith(broken + ":");
        String wrong = file("wrong.json", "{\"id\":1}\n{\"id\":1.5}\n");
        assertThat(failure(() -> register(Format.JSON, schema, Map.of(), wrong)).primary())
                .isEqualTo(wrong + ":2: column id holds '1.5', which is no INT");
        register(Format.JSON, schema, Map.of("mode", "PERMISSIVE"), wrong);
        assertThat(all()).containsExactly(List.of(1), Arrays.asList((Object) null));
    }

    @Test
    void jsonSchemaIsInferred() {
        StructType schema = register(
                Format.JSON,
                null,
                Map.of(),
                file("a.json", "{\"b\":1,\"a\":[{\"x\":1},{\"y\":\"t\"}],\"n\":null}\n{\"b\":1.5,\"c\":true}"));
        assertThat(schema.fields().subList(0, 4))
                .containsExactly(
                        StructField.of("a", new ArrayType(schema("x", ScalarType.LONG, "y", ScalarType.STRING), true)),
                        StructField.of("b", ScalarType.DOUBLE),
                        StructField.of("c", ScalarType.BOOLEAN),
                        StructField.of("n", ScalarType.STRING));
        assertThat(column(engine, "SELECT a[1].x FROM s")).containsExactly(1L, null);
    }

    @Test
    void parquetFilesInTheGivenOrder() {
        Path a = folder.resolve("a [1].parquet");
        Path b = folder.resolve("b.parquet");
        ForeignFiles.write("SELECT 1::SMALLINT AS id, 'x' AS t", a, "");
        ForeignFiles.write("SELECT i AS id FROM range(2, 4) AS r(i)", b, "");
        register(
                Format.PARQUET,
                schema("id", ScalarType.LONG, "t", ScalarType.STRING),
                Map.of(),
                b.toString(),
                a.toString());
        assertThat(rows(engine, "SELECT id, t, _metadata.file_name FROM s"))
                .containsExactly(
                        Arrays.asList(2L, null, "b.parquet"),
                        Arrays.asList(3L, null, "b.parquet"),
                        List.of(1L, "x", "a [1].parquet"));
        StructType inferred = register(Format.PARQUET, null, Map.of(), a.toString(), b.toString());
        assertThat(inferred.names()).containsExactly("id", "t", "_metadata");
        assertThat(inferred.fields().get(0).type()).isEqualTo(ScalarType.LONG);
        assertThat(column(engine, "SELECT id FROM s")).containsExactly(1L, 2L, 3L);
    }

    @Test
    void unknownOptionsAndMissingFiles() {
        TidemarkException option =
                failure(() -> register(Format.CSV, null, Map.of("delimitr", ";"), file("a.csv", "a\n1\n")));
        assertThat(option.code()).isEqualTo(ErrorCode.INVALID_SETTING);
        assertThat(option.primary()).contains("delimitr");
        assertThat(option.location()).hasValue(PLACE);
        assertThat(failure(() -> register(Format.CSV, null, Map.of("header", "maybe"), file("a.csv", "a\n")))
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
        String nowhere = folder.resolve("nowhere.csv").toString();
        assertThat(failure(() -> register(Format.CSV, null, Map.of(), nowhere)).code())
                .isEqualTo(ErrorCode.FILE_NOT_FOUND);
        String packed = file("cut.json.gz", "{\"id\":1}\n".repeat(100));
        assertThat(failure(() -> {
                            byte[] bytes = Files.readAllBytes(Path.of(packed));
                            Files.write(Path.of(packed), Arrays.copyOf(bytes, bytes.length - 8));
                            register(Format.JSON, null, Map.of(), packed);
                        })
                        .code())
                .isEqualTo(ErrorCode.FILE_UNREADABLE);
    }

    @Test
    void noFiles() {
        StructType schema = schema("id", ScalarType.LONG);
        for (Format format : List.of(Format.CSV, Format.JSON, Format.PARQUET, Format.DEBEZIUM)) {
            StructType columns = register(format, schema, Map.of());
            assertThat(columns.names()).contains("id", "_metadata");
            assertThat(rows(engine, "SELECT * FROM s")).isEmpty();
            assertThat(engine.describe("SELECT * FROM s")).isEqualTo(columns);
        }
    }
}
