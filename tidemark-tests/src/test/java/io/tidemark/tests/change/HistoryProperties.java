package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Dialect;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.flow.ScdType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.spark.engine.SparkEngine;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import io.tidemark.tests.spark.TestEngines;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After each update the target equals the oracle's answer, whatever the order, the batches and the ties. */
class HistoryProperties {
    private static final int FLOWS = 80;
    /** Spark needs a job for each step of a plan, so that a flow costs it seconds; many keys share one. */
    private static final int FLOWS_ON_SPARK = 3;

    private static final int FLOWS_THAT_COLLIDE = 12;

    private static final int KEYS_PER_FLOW = 25;
    private static final int KEYS_PER_FLOW_ON_SPARK = 60;
    private static final int EVENTS_PER_KEY_MAX = 14;

    @TempDir
    Path temporary;

    @Test
    void typeOneEqualsTheOracle() {
        checkOnDuckDb(1_000, ScdType.SCD1);
    }

    @Test
    void typeTwoEqualsTheOracle() {
        checkOnDuckDb(2_000, ScdType.SCD2);
    }

    @Test
    void bitemporalEqualsTheOracle() {
        checkOnDuckDb(3_000, ScdType.BITEMPORAL);
    }

    /** All rows have one hash: what the plans take for equal by their hashes must be compared after all. */
    @Test
    void hashesMayCollide() {
        try (DuckDbEngine engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            Engine colliding = colliding(engine);
            check(colliding, 8_000, FLOWS_THAT_COLLIDE, KEYS_PER_FLOW, ScdType.SCD2);
            check(colliding, 9_000, FLOWS_THAT_COLLIDE, KEYS_PER_FLOW, ScdType.BITEMPORAL);
        }
    }

    private static Engine colliding(Engine engine) {
        Dialect dialect = replacing(
                Dialect.class,
                engine.dialect(),
                Map.of(
                        "hash",
                        "CASE WHEN 1 = 1 THEN CAST(7 AS " + engine.dialect().type(ScalarType.LONG) + ") END"));
        return replacing(Engine.class, engine, Map.of("dialect", dialect));
    }

    /** Answers some methods with fixed values; all else passes through. */
    private static <T> T replacing(Class<T> type, T whole, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    Object answer = answers.get(method.getName());
                    if (answer != null) {
                        return answer;
                    }
                    try {
                        return method.invoke(whole, given);
                    } catch (InvocationTargetException failure) {
                        throw failure.getTargetException();
                    }
                }));
    }

    @Test
    void typeOneOnSparkEqualsTheOracle() {
        checkOnSpark(5_000, ScdType.SCD1);
    }

    @Test
    void typeTwoOnSparkEqualsTheOracle() {
        checkOnSpark(6_000, ScdType.SCD2);
    }

    @Test
    void bitemporalOnSparkEqualsTheOracle() {
        checkOnSpark(7_000, ScdType.BITEMPORAL);
    }

    private static void checkOnSpark(long firstSeed, ScdType type) {
        try (SparkEngine engine = TestEngines.spark()) {
            check(engine, firstSeed, FLOWS_ON_SPARK, KEYS_PER_FLOW_ON_SPARK, type);
        }
    }

    private void checkOnDuckDb(long firstSeed, ScdType type) {
        try (DuckDbEngine engine = DuckDbEngine.open(DuckDbSettings.defaults(temporary))) {
            check(engine, firstSeed, FLOWS, KEYS_PER_FLOW, type);
        }
    }

    private static void check(Engine engine, long firstSeed, int flows, int keys, ScdType type) {
        Seeded.run(firstSeed, flows, (random, seed) -> {
            Setup setup = setup(random, type);
            Histories histories = Histories.random(random, setup, keys, EVENTS_PER_KEY_MAX);
            PlanRunner runner = new PlanRunner(engine, "f" + seed, setup.flow(), Setup.source());
            for (int i = 0; i < histories.batches().size(); i++) {
                runner.update(Histories.sql(histories.batches().get(i), engine.dialect()));
                assertThat(text(runner.rows()))
                        .as("%s after update %d", setup, i)
                        .containsExactlyElementsOf(histories.expected(i + 1));
            }
            runner.close();
        });
    }

    private static Setup setup(Random random, ScdType type) {
        Partial[] kinds = Partial.values();
        Partial partial = kinds[random.nextInt(type == ScdType.BITEMPORAL ? kinds.length - 1 : kinds.length)];
        List<List<String>> tracked = List.of(Histories.COLUMNS, List.of("a"), List.of("a", "b"));
        return new Setup(
                type,
                partial,
                tracked.get(random.nextInt(tracked.size())),
                random.nextBoolean(),
                random.nextBoolean(),
                type == ScdType.SCD1 && random.nextBoolean());
    }

    static List<String> text(List<List<@Nullable Object>> rows) {
        List<String> texts = new ArrayList<>();
        for (List<@Nullable Object> row : rows) {
            texts.add(String.join("|", row.stream().map(String::valueOf).toList()));
        }
        texts.sort(null);
        return texts;
    }
}
