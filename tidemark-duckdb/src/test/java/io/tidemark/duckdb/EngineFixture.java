package io.tidemark.duckdb;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;

/** An engine for tests, and short ways to ask it. */
final class EngineFixture {
    private static final long MEMORY_LIMIT_BYTES = 512L * 1024 * 1024;

    private EngineFixture() {}

    static DuckDbEngine open(Path folder) {
        return DuckDbEngine.open(new DuckDbSettings(MEMORY_LIMIT_BYTES, 2, folder.resolve("spill")));
    }

    static List<List<@Nullable Object>> rows(DuckDbEngine engine, String sql) {
        List<List<@Nullable Object>> rows = new ArrayList<>();
        engine.stream(sql, values -> rows.add(new ArrayList<>(values)));
        return rows;
    }

    static List<@Nullable Object> column(DuckDbEngine engine, String sql) {
        List<@Nullable Object> values = new ArrayList<>();
        engine.stream(sql, row -> values.add(row.get(0)));
        return values;
    }

    static TidemarkException failure(ThrowingCallable call) {
        return catchThrowableOfType(TidemarkException.class, call);
    }
}
