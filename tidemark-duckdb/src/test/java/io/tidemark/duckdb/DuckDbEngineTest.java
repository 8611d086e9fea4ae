package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.column;
import static io.tidemark.duckdb.EngineFixture.failure;
import static io.tidemark.duckdb.EngineFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.KeyedReducer;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DuckDbEngineTest {
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

    @Test
    void streamsExactValuesOfAllTypes() {
        List<List<@Nullable Object>> rows = rows(engine, """
                SELECT true, 1::TINYINT, 2::SMALLINT, 3, 4::BIGINT, 1.5::FLOAT, 'nan'::DOUBLE, 1.10::DECIMAL(38,2),
                  'é😀', '\\xFF\\x00'::BLOB, DATE '0044-03-15', TIMESTAMPTZ '2024-03-31 02:30:00.123456Z',
                  TIMESTAMP '2024-03-31 02:30:00.123456', NULL, 5::HUGEINT""");
        List<@Nullable Object> row = rows.get(0);
        assertThat(row.get(9)).isEqualTo(new byte[] {(byte) 0xFF, 0});
        List<@Nullable Object> others = new ArrayList<>(row);
        others.remove(9);
        assertThat(others)
                .containsExactly(
                        true,
                        (byte) 1,
                        (short) 2,
                        3,
                        4L,
                        1.5f,
                        Double.NaN,
                        new BigDecimal("1.10"),
                        "é😀",
                        LocalDate.of(44, 3, 15),
                        Instant.parse("2024-03-31T02:30:00.123456Z"),
                        LocalDateTime.parse("2024-03-31T02:30:00.123456"),
                        null,
                        new BigDecimal("5"));
    }

    @Test
    void streamsNestedValuesInTheOrderOfTheirFields() {
        Object value = column(engine, """
                        SELECT struct_pack("b b" := [1.10::DECIMAL(5,2), NULL],
                            a := MAP {DATE '2024-02-29': NULL::INTEGER},
                          t := [{'ts': TIMESTAMPTZ '1969-12-31 23:59:59.999999Z',
                            'n': TIMESTAMP '2024-03-31 02:30:00'}],
                          e := []::VARCHAR[], s := NULL::STRUCT(x DOUBLE), f := [1e300, 'inf'::DOUBLE],
                          y := ['ab'::BLOB])""").get(0);
        Map<String, @Nullable Object> inner = new LinkedHashMap<>();
        inner.put("ts", Instant.parse("1969-12-31T23:59:59.999999Z"));
        inner.put("n", LocalDateTime.parse("2024-03-31T02:30:00"));
        assertThat(value).isInstanceOf(Map.class);
        Map<?, ?> struct = (Map<?, ?>) value;
        assertThat(new ArrayList<Object>(struct.keySet())).containsExactly("b b", "a", "t", "e", "s", "f", "y");
        Map<LocalDate, @Nullable Object> map = new LinkedHashMap<>();
        map.put(LocalDate.of(2024, 2, 29), null);
        assertThat(struct.get("b b")).isEqualTo(Arrays.asList(new BigDecimal("1.10"), null));
        assertThat(struct.get("a")).isEqualTo(map);
        assertThat(struct.get("t")).isEqualTo(List.of(inner));
        assertThat(struct.get("e")).isEqualTo(List.of());
        assertThat(struct.get("s")).isNull();
        assertThat(struct.get("f")).isEqualTo(List.of(1e300, Double.POSITIVE_INFINITY));
        assertThat(Arrays.deepEquals(
                        new Object[] {"ab".getBytes(StandardCharsets.UTF_8)},
                        List.copyOf((List<?>) Objects.requireNonNull(struct.get("y")))
                                .toArray()))
                .isTrue();
    }

    @Test
    void streamStopsWhenTheConsumerHasEnough() {
        AtomicLong count = new AtomicLong();
        engine.stream("SELECT i FROM range(100000000) AS t(i)", values -> count.incrementAndGet() < 5000);
        assertThat(count).hasValue(5000);
    }

    @Test
    void streamReportsAFailureThatComesLate() {
        AtomicLong count = new AtomicLong();
        TidemarkException failure = failure(() -> engine.stream(
                "SELECT CAST(CASE WHEN i = 4000000 THEN 'x' ELSE '1' END AS INTEGER) FROM range(5000000) AS t(i)",
                values -> count.incrementAndGet() > 0));
        assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_FAILED);
        assertThat(failure.primary()).contains("'x'");
        assertThat(count.get()).isPositive();
    }

    @Test
    void consumerOfAStreamMayRunOtherStatements() {
        List<@Nullable Object> seen = new ArrayList<>();
        engine.stream("SELECT i FROM range(3) AS t(i)", values -> {
            engine.materialize("m", "SELECT 7 AS x", Optional.empty());
            return seen.addAll(column(engine, "SELECT x + " + values.get(0) + " FROM m"));
        });
        assertThat(seen).containsExactly(7, 8, 9);
    }

    @Test
    void describesTypes() {
        StructType schema =
                engine.describe("SELECT 1 AS a, 1.5::DECIMAL(10,2) AS \"b c\", [{'x y': NOW()}] AS d, MAP {'k': "
                        + "''::BLOB} AS e, NULL AS f, sum(1) AS g");
        assertThat(schema)
                .isEqualTo(StructType.of(
                        StructField.of("a", ScalarType.INTEGER),
                        StructField.of("b c", new DecimalType(10, 2)),
                        StructField.of(
                                "d", new ArrayType(StructType.of(StructField.of("x y", ScalarType.TIMESTAMP)), true)),
                        StructField.of("e", new MapType(ScalarType.STRING, ScalarType.BINARY, true)),
                        StructField.of("f", ScalarType.VOID),
                        StructField.of("g", new DecimalType(38, 0))));
        assertThat(failure(() -> engine.describe("SELECT INTERVAL 1 DAY")).code())
                .isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void materializeNumbersRowsInTheOrderOfTheQuery() {
        engine.materialize("source", "SELECT (i * 7919) % 300007 AS k FROM range(300007) AS t(i)", Optional.empty());
        engine.materialize("sorted", "SELECT k FROM source ORDER BY k DESC", Optional.of("n"));
        engine.materialize("unsorted", "SELECT k FROM source WHERE k <> 5", Optional.of("n"));
        assertThat(rows(engine, "SELECT count(*), count(*) FILTER (n <> 300006 - k) FROM sorted"))
                .containsExactly(List.of(300007L, 0L));
        assertThat(column(engine, """
                        SELECT count(*) FROM (SELECT k, lag(k) OVER (ORDER BY n) AS p FROM unsorted)
                        WHERE k <> (p + 7919) % 300007 AND k <> (p + 2 * 7919) % 300007""")).containsExactly(0L);
    }

    @Test
    void relationsMayBeReplacedAndReadThemselves() {
        engine.materialize("t", "SELECT 1 AS x", Optional.empty());
        engine.materialize("t", "SELECT x + 1 AS x FROM t", Optional.empty());
        engine.createView("v", "SELECT x * 10 AS y FROM t");
        engine.materialize("t", "SELECT 5 AS x", Optional.empty());
        assertThat(column(engine, "SELECT y FROM v")).containsExactly(50);
        engine.createView("t", "SELECT 6 AS x");
        assertThat(column(engine, "SELECT y FROM V")).containsExactly(60);
        engine.drop("t");
        engine.drop("t");
        assertThat(failure(() -> engine.describe("SELECT * FROM t")).code()).isEqualTo(ErrorCode.INTERNAL);
    }

    @Test
    void reducesSortedRows() {
        engine.materialize(
                "numbers",
                "SELECT i % 1000 AS k, CASE WHEN i % 7 > 0 THEN i END AS v FROM range(100000) AS t(i)",
                Optional.empty());
        engine.reduce("SELECT k, v FROM numbers ORDER BY k, v NULLS FIRST", "out", List.of("k", "sum v"), Sums::new);
        assertThat(rows(engine, "SELECT count(*), sum(\"sum v\")::BIGINT, count(\"sum v\") FROM out"))
                .isEqualTo(rows(
                        engine,
                        "SELECT count(*), sum(s)::BIGINT, count(*) FROM (SELECT k, "
                                + "sum(v) AS s FROM numbers GROUP BY k)"));
    }

    /** Adds up a column per key. */
    private static final class Sums implements KeyedReducer {
        private long key = NULL;
        private long sum;

        @Override
        public int inputColumns() {
            return 2;
        }

        @Override
        public int outputColumns() {
            return 2;
        }

        @Override
        public void accept(long[] row, Output output) {
            if (row[0] != key) {
                finish(output);
                key = row[0];
                sum = 0;
            }
            sum += row[1] == NULL ? 0 : row[1];
        }

        @Override
        public void finish(Output output) {
            if (key != NULL) {
                output.emit(new long[] {key, sum});
            }
        }
    }

    @Test
    void cancelStopsTheRunningQuery() throws InterruptedException {
        Thread other = new Thread(() -> {
            while (engine.progress().isEmpty()) {
                Thread.onSpinWait();
            }
            engine.cancel();
        });
        other.start();
        TidemarkException failure = failure(() -> engine.materialize(
                "m",
                "SELECT count(*) FROM range(100000) AS a(i), range(10000000) AS b(j) WHERE hash(i, j) = 1",
                Optional.empty()));
        other.join();
        assertThat(failure.code()).isEqualTo(ErrorCode.INTERRUPTED);
        assertThat(column(engine, "SELECT 1")).containsExactly(1);
    }

    @Test
    void memoryLimitIsAnError() {
        try (DuckDbEngine small = DuckDbEngine.open(
                new DuckDbSettings(DuckDbSettings.MEMORY_LIMIT_BYTES_MIN, 1, folder.resolve("small")))) {
            TidemarkException failure = failure(() -> column(
                    small,
                    "SELECT len(list(i || 'some text that is long enough to need "
                            + "memory')) FROM range(3000000) AS t(i)"));
            assertThat(failure.code()).isEqualTo(ErrorCode.MEMORY_EXCEEDED);
        }
    }

    @Test
    void sortSpillsBeyondTheMemoryLimit() {
        try (DuckDbEngine small = DuckDbEngine.open(
                new DuckDbSettings(DuckDbSettings.MEMORY_LIMIT_BYTES_MIN * 2, 2, folder.resolve("small")))) {
            small.materialize(
                    "m",
                    "SELECT hash(i) AS h, i || ' and some text that makes the row wide enough to spill to disk' AS t"
                            + " FROM range(2000000) AS t(i) ORDER BY h",
                    Optional.of("n"));
            assertThat(column(small, "SELECT count(*) FROM m")).containsExactly(2000000L);
        }
    }
}
