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
import java.math.BigDecimal;
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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DebeziumTest {
    private static final String SOURCE =
            "\"source\":{\"version\":\"3.6.1.Final\",\"connector\":\"postgresql\",\"name\":\"t\","
                    + "\"ts_ms\":17,\"snapshot\":\"false\","
                    + "\"db\":\"d\",\"sequence\":\"[null,\\\"9\\\"]\",\"schema\":\"public\","
                    + "\"table\":\"a\",\"txId\":5,\"lsn\":90,\"xmin\":null}";

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

    private static StructType schema(Object... namesAndTypes) {
        List<StructField> fields = new ArrayList<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.add(StructField.of((String) namesAndTypes[i], (DataType) namesAndTypes[i + 1]));
        }
        return new StructType(fields);
    }

    private static final StructType TWO = schema("id", ScalarType.LONG, "a", ScalarType.STRING);

    private static String event(String op, String before, String after) {
        return "{\"before\":" + before + ",\"after\":" + after + "," + SOURCE + ",\"op\":\"" + op + "\",\"ts_ms\":18}";
    }

    private void register(StructType schema, Map<String, String> options, String... lines) {
        try {
            Path file = folder.resolve("events.json");
            Files.writeString(file, String.join("\n", lines) + "\n");
            engine.registerInput(
                    "e",
                    new InputScan(
                            Format.DEBEZIUM,
                            Optional.of(schema),
                            options,
                            List.of(file.toString()),
                            TextLocation.NONE));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<List<@Nullable Object>> query(String columns) {
        return rows(engine, "SELECT " + columns + " FROM e");
    }

    @Test
    void envelopesOfAllShapes() {
        register(
                TWO,
                Map.of(),
                "{\"key\":{\"id\":1},\"value\":" + event("r", "null", "{\"id\":1,\"a\":\"x\"}") + "}",
                event("c", "null", "{\"id\":2,\"a\":null}"),
                "",
                "{\"schema\":{},\"payload\":" + event("u", "null", "{\"id\":2,\"a\":\"y\"}") + "}",
                "{\"key\":{\"schema\":{},\"payload\":{\"id\":1}},\"value\":{\"schema\":{},\"payload\":"
                        + event("d", "{\"id\":1,\"a\":\"\"}", "null") + "}}",
                "{\"key\":{\"id\":1},\"value\":null}",
                "{\"key\":null,\"value\":" + event("t", "null", "null") + "}",
                event("m", "null", "null"));
        assertThat(query("id, a, _op, _lsn, _ts_ms, _position, _authored_columns"))
                .containsExactly(
                        List.of(1L, "x", "r", 90L, 18L, "events.json#000000000001", List.of("id", "a")),
                        Arrays.asList(2L, null, "c", 90L, 18L, "events.json#000000000002", List.of("id", "a")),
                        List.of(2L, "y", "u", 90L, 18L, "events.json#000000000004", List.of("id", "a")),
                        Arrays.asList(1L, null, "d", 90L, 18L, "events.json#000000000005", List.of("id")),
                        Arrays.asList(null, null, "t", 90L, 18L, "events.json#000000000007", List.of()));
        assertThat(column(engine, "SELECT _source FROM e").get(0))
                .hasToString("{version=3.6.1.Final, connector=postgresql, name=t, ts_ms=17, snapshot=false, db=d,"
                        + " sequence=[null,\"9\"], schema=public, table=a, txId=5, lsn=90}");
    }

    @Test
    void unavailableValuesAreNotAuthored() {
        StructType schema = schema(
                "id", ScalarType.LONG,
                "t", ScalarType.STRING,
                "l", new ArrayType(ScalarType.STRING, true),
                "m", new MapType(ScalarType.STRING, ScalarType.STRING, true),
                "b", ScalarType.BINARY,
                "absent", ScalarType.STRING);
        register(
                schema,
                Map.of(),
                event(
                        "c",
                        "null",
                        "{\"id\":1,\"t\":\"__debezium_unavailable_value\",\"l\":[\"__debezium_unavailable_value\"],"
                                + "\"m\":{\"__debezium_unavailable_value\":\"x\"},"
                                + "\"b\":\"X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==\"}"),
                event(
                        "u",
                        "null",
                        "{\"id\":1,\"t\":\"x\",\"l\":[null,\"q\"],\"m\":{\"k\":null},\"b\":\"AAE=\",\"absent\":null}"));
        assertThat(query("t, l, m, hex(b), absent, _authored_columns"))
                .containsExactly(
                        Arrays.asList(null, null, null, null, null, List.of("id")),
                        Arrays.asList(
                                "x",
                                Arrays.asList(null, "q"),
                                singleton("k"),
                                "0001",
                                null,
                                List.of("id", "t", "l", "m", "b", "absent")));
        register(TWO, Map.of("unavailablevalue", "?"), event("u", "null", "{\"id\":1,\"a\":\"?\"}"));
        assertThat(query("a, _authored_columns")).containsExactly(Arrays.asList(null, List.of("id")));
    }

    private static Map<String, @Nullable Object> singleton(String key) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put(key, null);
        return map;
    }

    @Test
    void deletesNeedAKey() {
        String delete = event("d", "{\"id\":7,\"a\":\"\",\"n\":0}", "null");
        TidemarkException failure = failure(() -> register(TWO, Map.of(), delete));
        assertThat(failure.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(failure.primary()).contains("events.json:1");
        assertThat(failure.hint()).hasValueSatisfying(hint -> assertThat(hint).contains("keyColumns"));
        register(TWO, Map.of("keycolumns", "ID"), delete);
        assertThat(query("id, a, _authored_columns")).containsExactly(Arrays.asList(7L, null, List.of("id")));
        assertThat(failure(() -> register(TWO, Map.of("keycolumns", "nothing"), delete))
                        .code())
                .isEqualTo(ErrorCode.INVALID_SETTING);
    }

    @Test
    void keyChangeIsADeleteAndACreate() {
        register(
                TWO,
                Map.of(),
                "{\"key\":{\"id\":1},\"value\":" + event("d", "{\"id\":1,\"a\":null}", "null") + "}",
                "{\"key\":{\"id\":1},\"value\":null}",
                "{\"key\":{\"id\":2},\"value\":"
                        + event("c", "null", "{\"id\":2,\"a\":\"__debezium_unavailable_value\"}") + "}");
        assertThat(query("id, _op, _authored_columns"))
                .containsExactly(List.of(1L, "d", List.of("id")), List.of(2L, "c", List.of("id")));
    }

    @Test
    void valuesByTheDeclaredType() {
        StructType schema = schema(
                "n", new DecimalType(38, 2),
                "d", ScalarType.DATE,
                "ts", ScalarType.TIMESTAMP,
                "nt", ScalarType.TIMESTAMP_NTZ,
                "f", ScalarType.DOUBLE,
                "b", ScalarType.BOOLEAN,
                "j", ScalarType.STRING,
                "s", schema("x", ScalarType.INTEGER));
        register(
                schema,
                Map.of(),
                event(
                        "c",
                        "null",
                        "{\"n\":\"999999999999999999999999999999999999.10\","
                                + "\"d\":\"2024-03-31Z\",\"ts\":\"2024-02-29T18:29:59.999999Z\","
                                + "\"nt\":\"2024-02-29T18:29:59Z\",\"f\":\"NaN\",\"b\":true,"
                                + "\"j\":\"{\\\"a\\\": 2.50}\",\"s\":{\"x\":1}}"),
                event(
                        "u",
                        "null",
                        "{\"n\":1.1,\"d\":19783,\"ts\":1709231399999999,\"nt\":1709231399999999,"
                                + "\"f\":1.5,\"b\":null,\"j\":null,\"s\":null}"));
        assertThat(query("n, d, ts, nt, f, b, j, s.x"))
                .containsExactly(
                        List.of(
                                new BigDecimal("999999999999999999999999999999999999.10"),
                                LocalDate.of(2024, 3, 31),
                                Instant.parse("2024-02-29T18:29:59.999999Z"),
                                LocalDateTime.parse("2024-02-29T18:29:59"),
                                Double.NaN,
                                true,
                                "{\"a\": 2.50}",
                                1),
                        Arrays.asList(
                                new BigDecimal("1.10"),
                                LocalDate.of(2024, 3, 1),
                                Instant.parse("2024-02-29T18:29:59.999999Z"),
                                LocalDateTime.parse("2024-02-29T18:29:59.999999"),
                                1.5,
                                null,
                                null,
                                null));
        register(
                schema("ts", ScalarType.TIMESTAMP),
                Map.of("timeprecision", "millis"),
                event("c", "null", "{\"ts\":1709231399999}"));
        assertThat(query("ts")).containsExactly(List.of(Instant.parse("2024-02-29T18:29:59.999Z")));
    }

    @Test
    void undecodableDecimalsHintAtTheConnector() {
        StructType schema = schema("n", new DecimalType(10, 2));
        TidemarkException encoded = failure(() -> register(schema, Map.of(), event("c", "null", "{\"n\":\"bg==\"}")));
        assertThat(encoded.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(encoded.primary()).contains("column n holds 'bg=='");
        assertThat(encoded.hint())
                .hasValueSatisfying(hint -> assertThat(hint).contains("decimal.handling.mode=string"));
        assertThat(failure(() -> register(schema, Map.of(), event("c", "null", "{\"n\":\"NAN\"}")))
                        .code())
                .isEqualTo(ErrorCode.FILE_UNREADABLE);
    }

    @Test
    void oneTableOfSeveral() {
        String other = event("c", "null", "{\"id\":5}").replace("\"table\":\"a\"", "\"table\":\"b\"");
        register(TWO, Map.of("table", "public.b"), event("c", "null", "{\"id\":1,\"a\":\"x\"}"), other);
        assertThat(query("id, _position, _authored_columns"))
                .containsExactly(List.of(5L, "events.json#000000000002", List.of("id")));
    }

    @Test
    void brokenLinesAreNamed() {
        TidemarkException broken =
                failure(() -> register(TWO, Map.of(), event("c", "null", "{\"id\":1}"), "{\"op\":\"c\","));
        assertThat(broken.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(broken.primary()).contains("events.json:2");
        assertThat(failure(() -> register(TWO, Map.of(), "{\"x\":1}")).primary())
                .contains("no event of Debezium");
        assertThat(failure(() -> register(TWO, Map.of(), event("x", "null", "null")))
                        .primary())
                .contains("unknown op");
        assertThat(failure(() -> register(TWO, Map.of(), event("u", "null", "null")))
                        .primary())
                .contains("no new row");
    }
}
