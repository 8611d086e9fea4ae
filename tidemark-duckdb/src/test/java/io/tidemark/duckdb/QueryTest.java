package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryShape;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Queries in Spark SQL; the expected rows and types follow from Spark's documentation, not from an engine. */
class QueryTest {
    private static final Set<String> TABLES = Set.of("t", "u", "empty");

    @TempDir
    static Path folder;

    private static @Nullable DuckDbEngine shared;

    @BeforeAll
    static void open() {
        DuckDbEngine engine = EngineFixture.open(folder);
        engine.materialize("t", """
                SELECT 1 AS a, 'x' AS b, 1.10::DECIMAL(10,2) AS d, TIMESTAMPTZ '2024-01-02 03:04:05.6Z' AS ts,
                  TIMESTAMP '2024-01-02 03:04:05.6' AS nt, [10, 20] AS l, MAP {'k': 1} AS m, DATE '2024-02-29' AS dt,
                  1.5::FLOAT AS f, 2.5::DOUBLE AS g, 7::BIGINT AS big, {'p': 1, 'q': 'z'} AS st, NULL::VARCHAR AS n,
                  5::TINYINT AS ti""", Optional.empty());
        engine.materialize(
                "u", "SELECT * FROM (VALUES (1, 'one'), (2, 'two'), (NULL, 'none')) AS v(a, name)", Optional.empty());
        engine.materialize("empty", "SELECT 1 AS a WHERE false", Optional.empty());
        shared = engine;
    }

    @AfterAll
    static void close() {
        engine().close();
    }

    private static DuckDbEngine engine() {
        DuckDbEngine engine = shared;
        if (engine == null) {
            throw new IllegalStateException("the engine is not open");
        }
        return engine;
    }

    private static PreparedQuery prepare(String sql) {
        return engine().prepare(new QueryText(sql, new TextLocation("q.sql", 1, 1)), (parts, location) -> {
            String name = parts.get(parts.size() - 1).toLowerCase(Locale.ROOT);
            if (TABLES.contains(name)) {
                return name;
            }
            throw TidemarkException.of(ErrorCode.UNKNOWN_TABLE, "there is no " + name)
                    .at(location)
                    .build();
        });
    }

    private static String run(String sql) {
        PreparedQuery query = prepare(sql);
        List<String> rows = new ArrayList<>();
        engine().stream(
                query.sql(),
                values -> rows.add(values.stream().map(QueryTest::text).collect(Collectors.joining(" "))));
        return String.join("\n", rows);
    }

    /** Reads blocks of a query and of lines behind equals signs. */
    private static Stream<Arguments> cases(String resource) throws IOException {
        List<Arguments> cases = new ArrayList<>();
        List<String> query = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        try (InputStream stream = Objects.requireNonNull(QueryTest.class.getResourceAsStream(resource));
                BufferedReader reader = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line : reader.lines().toList()) {
                if (line.startsWith("  = ")) {
                    expected.add(line.substring(4));
                } else if (!line.startsWith("#") && !line.isBlank()) {
                    query.add(line);
                } else if (!expected.isEmpty()) {
                    cases.add(Arguments.of(String.join("\n", query), String.join("\n", expected)));
                    query.clear();
                    expected.clear();
                }
            }
        }
        if (!expected.isEmpty()) {
            cases.add(Arguments.of(String.join("\n", query), String.join("\n", expected)));
        }
        return cases.stream();
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
    }

    static Stream<Arguments> values() throws IOException {
        return cases("values.txt");
    }

    @ParameterizedTest
    @MethodSource("values")
    void computesWhatSparkComputes(String sql, String expected) {
        assertThat(run(sql)).isEqualTo(expected.replace("\\t", "\t"));
    }

    static Stream<Arguments> types() throws IOException {
        return cases("types.txt");
    }

    @ParameterizedTest
    @MethodSource("types")
    void hasTheTypesAndNamesThatSparkHas(String sql, String expected) {
        assertThat(prepare(sql).schema().sql()).isEqualTo("STRUCT<" + expected + ">");
    }

    static Stream<Arguments> failures() throws IOException {
        return cases("failures.txt");
    }

    @ParameterizedTest
    @MethodSource("failures")
    void failsOnDataWhereSparkFails(String sql, String message) {
        TidemarkException failure = failure(() -> run(sql));
        assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_FAILED);
        assertThat(failure.primary()).contains(message);
    }

    static Stream<Arguments> refusals() throws IOException {
        return cases("refusals.txt");
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusesAtTheRightPlace(String sql, String expected) {
        TidemarkException failure = failure(() -> prepare(sql));
        String column = failure.location().map(place -> " " + place.column()).orElse("");
        assertThat(failure.code() + column).isEqualTo(expected);
    }

    @Test
    void unknownNamesComeWithCandidates() {
        assertThat(failure(() -> prepare("SELECT nam FROM u")).hint())
                .hasValueSatisfying(hint -> assertThat(hint).contains("name"));
        assertThat(failure(() -> prepare("SELECT uper(b) FROM t")).hint()).hasValue("Did you mean upper?");
    }

    @Test
    void placesAreThoseOfTheFile() {
        QueryText query = new QueryText("SELECT a,\n       nosuch\nFROM t", new TextLocation("pipeline.sql", 10, 5));
        TidemarkException failure = failure(() -> engine().prepare(query, (parts, location) -> "t"));
        assertThat(failure.location()).hasValue(new TextLocation("pipeline.sql", 11, 8));
    }

    @Test
    void wordsThatOnlyTheEngineReservesAreNames() {
        assertThat(run("SELECT default.t.a FROM default.t")).isEqualTo("1");
        assertThat(run("SELECT end, x.desc, `default` FROM (SELECT 1 AS end, 2 AS desc, 3 AS default) AS x"
                        + " WHERE end = 1 AND default > 2 GROUP BY end, x.desc, default ORDER BY end DESC LIMIT 1"))
                .isEqualTo("1 2 3");
        assertThat(run("SELECT order, group, limit, table, check, to FROM VALUES (1, 2, 3, 4, 5, 6)"
                        + " AS q(order, group, limit, table, check, to) ORDER BY order"))
                .isEqualTo("1 2 3 4 5 6");
        assertThat(run("SELECT CASE WHEN end > 0 THEN end ELSE end END AS when FROM (SELECT 7 AS end) AS q"))
                .isEqualTo("7");
        assertThat(run("SELECT trim(BOTH 'x' FROM 'xax'), CAST('1' AS INT), sum(a) OVER (ORDER BY a) FROM t"))
                .isEqualTo("a 1 1");
        assertThat(failure(() -> prepare("SELECT a end FROM t")).hint())
                .hasValueSatisfying(hint -> assertThat(hint).contains("backticks"));
    }

    @Test
    void groupingKeepsItsName() {
        assertThat(prepare("SELECT grouping(a) FROM t GROUP BY a").schema().names())
                .containsExactly("grouping(a)");
    }

    @Test
    void rowsAsValuesAndFarNamesAreToldApart() {
        assertThat(failure(() -> prepare("SELECT 1 FROM t WHERE (a, a) IN (SELECT 1, 2)"))
                        .code())
                .isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(failure(() -> prepare("SELECT zz(a) FROM t")).hint()).isEmpty();
        assertThat(failure(() -> prepare("SELECT nam FROM u")).hint()).hasValue("did you mean name?");
    }

    @Test
    void theShapeOfAQueryTellsWhatCombinesRows() {
        QueryShape shape = engine().shapeOf(new QueryText(
                "WITH q AS (SELECT a FROM t) SELECT q.a, s.n FROM q JOIN (SELECT count(*) AS n FROM u) AS s ON true",
                new TextLocation("q.sql", 1, 1)));
        assertThat(shape.reads()).extracting(QueryShape.Read::parts).containsExactly(List.of("t"), List.of("u"));
        assertThat(shape.reads().get(1).location()).isEqualTo(new TextLocation("q.sql", 1, 84));
        assertThat(shape.combinations())
                .extracting(QueryShape.Combination::what)
                .containsExactly("the aggregate count", "a join of two streams");
        assertThat(shape.combinations().get(0).over())
                .extracting(QueryShape.Read::parts)
                .containsExactly(List.of("u"));
    }

    @Test
    void relationsOfAQuery() {
        QueryText query = new QueryText("""
                WITH q AS (SELECT * FROM shop.orders), t AS (SELECT * FROM T JOIN q ON true)
                SELECT * FROM t, `weird name` WHERE a IN (SELECT x FROM Shop.Orders) AND EXISTS (SELECT 1 FROM q)
                UNION ALL SELECT * FROM range(3)""", TextLocation.NONE);
        assertThat(engine().relationsOf(query))
                .containsExactlyInAnyOrder(List.of("shop", "orders"), List.of("T"), List.of("weird name"));
    }

    @Test
    void qualifiedNamesKeepTheirMeaning() {
        assertThat(run("SELECT t.a, s.u.name FROM s.t JOIN s.u ON s.t.a = s.u.a"))
                .isEqualTo("1 one");
        assertThat(run("SELECT x.a FROM s.t AS x")).isEqualTo("1");
    }

    @Test
    void preparedQueriesReadTheRelationAsItIsThen() {
        engine().materialize("u2", "SELECT 1 AS a", Optional.empty());
        PreparedQuery query = engine().prepare(
                        new QueryText("SELECT a + 1 AS b FROM x", TextLocation.NONE), (parts, location) -> "u2");
        engine().materialize("u2", "SELECT 41 AS a", Optional.empty());
        assertThat(EngineFixture.column(engine(), query.sql())).containsExactly(42);
        assertThat(Map.of("b", query.schema().fields().get(0).type().sql())).containsEntry("b", "INT");
    }
}
