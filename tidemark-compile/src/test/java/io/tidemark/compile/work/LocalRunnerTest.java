package io.tidemark.compile.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalRunnerTest {
    private static final int GROUPS = 3000;
    private static final int THREADS = 3;
    private static final StructType COLUMNS =
            StructType.of(StructField.of("k", ScalarType.STRING), StructField.of("n", ScalarType.LONG));

    @TempDir
    Path folder;

    private DuckDbEngine engine = open();
    private LocalRunner runner = new LocalRunner(engine, THREADS);

    private DuckDbEngine open() {
        return DuckDbEngine.open(new DuckDbSettings(
                DuckDbSettings.MEMORY_LIMIT_BYTES_MIN, 2, Path.of(System.getProperty("java.io.tmpdir"))));
    }

    @BeforeEach
    void rows() {
        engine.materialize(
                "input",
                "SELECT CAST(i // 3 AS VARCHAR) AS k, i % 3 AS n FROM range(" + 3 * GROUPS + ") t(i) ORDER BY i",
                java.util.Optional.empty());
    }

    @AfterEach
    void close() {
        runner.close();
        engine.close();
    }

    @Test
    void resultsKeepTheOrderOfTheInput() {
        Set<String> threads = ConcurrentHashMap.newKeySet();
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        runner.apply("test", "SELECT k, n FROM input", "result", COLUMNS, (rows, output) -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            threads.add(
                    Thread.currentThread().getName() + Thread.currentThread().getId());
            assertThat(rows).hasSize(3);
            output.accept(List.of(String.valueOf(rows.get(0).get(0)), 3L));
            atOnce.decrementAndGet();
        });
        List<String> keys = new ArrayList<>();
        engine.stream("SELECT k FROM result", row -> keys.add(String.valueOf(row.get(0))));
        assertThat(keys).hasSize(GROUPS);
        for (int i = 0; i < GROUPS; i++) {
            assertThat(keys.get(i)).isEqualTo(String.valueOf(i));
        }
        assertThat(most.get()).isLessThanOrEqualTo(THREADS);
        assertThat(threads.size()).isLessThanOrEqualTo(THREADS);
    }

    @Test
    void failuresAreCollected() {
        TidemarkException failure = catchThrowableOfType(
                TidemarkException.class,
                () -> runner.apply("test", "SELECT k, n FROM input", "result", COLUMNS, (rows, output) -> {
                    if (rows.get(0).get(0) instanceof String key && key.endsWith("999")) {
                        throw new IllegalStateException("no " + key);
                    }
                }));
        assertThat(failure.code()).isEqualTo(ErrorCode.COMPILE_FAILED);
        assertThat(failure.primary()).isEqualTo("test failed for 999: no 999");
        assertThat(failure.all())
                .extracting(TidemarkException::primary)
                .containsExactly(
                        "test failed for 999: no 999",
                        "test failed for 1999: no 1999",
                        "test failed for 2999: no 2999");
        assertThat(failure.detail().orElseThrow()).contains("Also 1999: no 1999.");
    }

    @Test
    void codesOfErrorsStay() {
        assertThat(catchThrowableOfType(
                                TidemarkException.class,
                                () -> runner.apply(
                                        "test",
                                        "SELECT k, n FROM input WHERE k = '7'",
                                        "result",
                                        COLUMNS,
                                        (rows, output) -> {
                                            throw TidemarkException.of(ErrorCode.UNDECLARED_READ, "reads too much")
                                                    .build();
                                        }))
                        .code())
                .isEqualTo(ErrorCode.UNDECLARED_READ);
    }
}
