package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import io.tidemark.core.engine.Engine;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.AutoCdcRules;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.spark.TestEngines;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The hand-made cases of the conformance folder at the level of plans, on both engines. */
class ConformancePlansTest {
    private static final long SEED = 4_000;
    private static final int SHUFFLES = 2;
    /** Spark needs seconds for a case: without the property {@code tidemark.allOnSpark} one in so many runs on it. */
    private static final int CASES_PER_CASE_ON_SPARK = 3;

    @TempDir
    static Path temporary;

    @TestFactory
    Stream<DynamicTest> onDuckDb() {
        return tests(ConformancePlansTest::duckDb, ConformancePlansTest::check);
    }

    @TestFactory
    Stream<DynamicTest> edgesOnDuckDb() {
        return tests(
                ConformanceCases.changeFlows(ConformanceCases.EDGES),
                ConformancePlansTest::duckDb,
                ConformancePlansTest::check);
    }

    @TestFactory
    Stream<DynamicTest> onSpark() {
        int step = Boolean.getBoolean("tidemark.allOnSpark") ? 1 : CASES_PER_CASE_ON_SPARK;
        List<ConformanceCase> cases = ConformanceCases.changeFlows(ConformanceCases.RULES);
        assertThat(cases).hasSizeGreaterThan(80);
        List<ConformanceCase> chosen = IntStream.range(0, cases.size())
                .filter(i -> i % step == 0)
                .mapToObj(cases::get)
                .toList();
        Engine engine = TestEngines.sparkForFewRows();
        return chosen.stream()
                .map(each -> DynamicTest.dynamicTest(each.name(), () -> check(each, engine)))
                .onClose(engine::close);
    }

    @TestFactory
    Stream<DynamicTest> inAnyOrderOnDuckDb() {
        return tests(ConformancePlansTest::duckDb, ConformancePlansTest::checkOrder);
    }

    private interface Check {
        void run(ConformanceCase each, Engine engine);
    }

    private interface Engines {
        Engine open();
    }

    private static Engine duckDb() {
        return DuckDbEngine.open(DuckDbSettings.defaults(temporary));
    }

    /** One engine for all tests of a factory, closed after the last of them. */
    private static Stream<DynamicTest> tests(Engines engines, Check check) {
        return tests(ConformanceCases.changeFlows(ConformanceCases.RULES), engines, check);
    }

    private static Stream<DynamicTest> tests(List<ConformanceCase> cases, Engines engines, Check check) {
        assertThat(cases).hasSizeGreaterThan(80);
        Engine engine = engines.open();
        return cases.stream()
                .map(each -> DynamicTest.dynamicTest(each.name(), () -> check.run(each, engine)))
                .onClose(engine::close);
    }

    private static void check(ConformanceCase each, Engine engine) {
        List<ErrorCode> faults = AutoCdcRules.check(each.flow()).stream()
                .map(TidemarkException::code)
                .toList();
        if (each.error().isPresent() && each.error().get().batch().isEmpty()) {
            ErrorCode code = each.error().get().code();
            if (faults.isEmpty()) {
                TidemarkException refused =
                        catchThrowableOfType(TidemarkException.class, () -> runner(each, engine, "definition"));
                assertThat(refused.code()).isEqualTo(code);
            } else {
                assertThat(faults).contains(code);
            }
            return;
        }
        assertThat(faults).isEmpty();
        PlanRunner runner = runner(each, engine, engine.name());
        for (int i = 0; i < each.batches().size(); i++) {
            String batch = RowsSql.select(each.source(), each.batches().get(i), engine.dialect());
            boolean refused = isRefused(each, i);
            if (refused) {
                List<String> before = texts(runner.rows());
                TidemarkException failure = catchThrowableOfType(TidemarkException.class, () -> runner.update(batch));
                assertThat(failure).as("error of batch %d", i).isNotNull();
                assertThat(failure.code()).isEqualTo(each.error().orElseThrow().code());
                assertThat(texts(runner.rows())).isEqualTo(before);
                break;
            }
            runner.update(batch);
            assertThat(texts(runner.rows()))
                    .as("rows after batch %d", i)
                    .isEqualTo(expected(each.expectedAfter().get(i), runner));
        }
        assertThat(texts(runner.rows())).isEqualTo(expected(each.expected(), runner));
        runner.close();
    }

    private static boolean isRefused(ConformanceCase each, int batch) {
        return each.error().flatMap(ConformanceCase.ExpectedError::batch).equals(Optional.of(batch));
    }

    /** Without ties the order of arrival and the cut into updates decide nothing. */
    private static void checkOrder(ConformanceCase each, Engine engine) {
        if (!each.isOrderFree()) {
            return;
        }
        List<List<@Nullable Object>> events = new ArrayList<>();
        each.batches().forEach(events::addAll);
        List<List<List<@Nullable Object>>> single = new ArrayList<>();
        events.forEach(event -> single.add(List.of(event)));
        checkEnd(each, engine, "single", single);
        Seeded.run(SEED, SHUFFLES, (random, seed) -> {
            List<List<@Nullable Object>> shuffled = new ArrayList<>(events);
            Collections.shuffle(shuffled, random);
            checkEnd(each, engine, "shuffled" + seed, split(shuffled, random));
        });
    }

    private static List<List<List<@Nullable Object>>> split(List<List<@Nullable Object>> events, Random random) {
        List<List<List<@Nullable Object>>> batches = new ArrayList<>();
        int from = 0;
        while (from < events.size()) {
            int to = from + 1 + random.nextInt(events.size() - from);
            batches.add(events.subList(from, to));
            from = to;
        }
        return batches;
    }

    private static void checkEnd(
            ConformanceCase each, Engine engine, String variant, List<List<List<@Nullable Object>>> batches) {
        PlanRunner runner = runner(each, engine, variant);
        for (List<List<@Nullable Object>> batch : batches) {
            runner.update(RowsSql.select(each.source(), batch, engine.dialect()));
        }
        assertThat(texts(runner.rows())).as("%s: %s", variant, batches).isEqualTo(expected(each.expected(), runner));
        runner.close();
    }

    private static PlanRunner runner(ConformanceCase each, Engine engine, String variant) {
        return new PlanRunner(engine, each.name() + "_" + variant, each.flow(), each.source());
    }

    private static List<String> expected(List<JsonNode> rows, PlanRunner runner) {
        StructType schema = runner.spec().targetSchema();
        List<List<@Nullable Object>> values = new ArrayList<>();
        rows.forEach(row -> values.add(ConformanceCases.values(row, schema)));
        return texts(values);
    }

    /** Rows as sorted text: multisets are equal if these lists are. */
    private static List<String> texts(List<List<@Nullable Object>> rows) {
        return rows.stream().map(String::valueOf).sorted().toList();
    }
}
