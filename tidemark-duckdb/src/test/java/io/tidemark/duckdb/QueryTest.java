package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.failure;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.PreparedQuery;
import io.tidemark.core.engine.QueryText;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
        return String.join(" | ", rows);
    }

    private static String text(@Nullable Object value) {
        return value instanceof byte[] bytes ? HexFormat.of().formatHex(bytes) : String.valueOf(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '\u00a7',
            value = {
                // literals and names
                "SELECT 'it\\'s', \"two\", 'it''s', r'\\d', 'a' 'b' ¦ it's two it's \\d ab",
                "SELECT 'a\\tb\\u00e9\\101' ¦ a\tbéA",
                "SELECT `a`, T.`B` FROM T ¦ 1 x",
                "SELECT 10L, 5S, 6Y, 1.5D, 1.5F, 1.50BD, 1e2, .5, X'1F' ¦ 10 5 6 1.5 1.5 1.50 100.0 0.5 1f",
                "SELECT /* a /* nested */ comment */ 1 -- end ¦ 1",
                "SELECT DATE '2024-02-29', TIMESTAMP '2024-01-01 10:00:00+02:00', TIMESTAMP_NTZ '2024-01-01 10:00:00' ¦ 2024-02-29 2024-01-01T08:00:00Z 2024-01-01T10:00",
                // numbers
                "SELECT 7 / 2, 7 div 2, -7 div 2, 7 % 3, -7 % 3, 1 + 1.5 ¦ 3.5 3 -3 1 -1 2.5",
                "SELECT 0.1 + 0.2, 1.10 * 2, CAST(1 AS DECIMAL(10,2)) / CAST(3 AS DECIMAL(10,2)) ¦ 0.3 2.20 0.3333333333333",
                "SELECT CAST(2.7 AS INT), CAST(-2.7 AS INT), CAST(2.5e0 AS BIGINT), CAST(' 12 ' AS INT) ¦ 2 -2 2 12",
                "SELECT CAST(1.25 AS DECIMAL(5,1)), CAST(1.005e0 AS DECIMAL(5,2)), CAST('1.005' AS DECIMAL(5,2)) ¦ 1.3 1.01 1.01",
                "SELECT CAST(1e20 AS STRING), CAST(1.5e0 AS STRING), CAST(100e0 AS STRING), CAST(1e7 AS STRING) ¦ 1.0E20 1.5 100.0 1.0E7",
                "SELECT CAST(true AS STRING), CAST(1.50 AS STRING), CAST(TRUE AS INT), CAST('yes' AS BOOLEAN), CAST(0 AS BOOLEAN) ¦ true 1.50 1 true false",
                "SELECT TRY_CAST('x' AS INT), TRY_CAST('5' AS INT), TRY_CAST('2024-13-01' AS DATE) ¦ null 5 null",
                "SELECT round(2.5), round(-2.5), round(1.005e0, 2), floor(-1.5), ceil(1.2), pmod(-7, 3) ¦ 3 -3 1.01 -2 2 2",
                "SELECT greatest(1, NULL, 3), least(2, NULL), sqrt(-1.0), ln(0), power(2, 10), sign(-2) ¦ 3 2 NaN null 1024.0 -1.0",
                // truth values and NULL
                "SELECT 1 = NULL, 1 <=> NULL, NULL <=> NULL, NOT NULL, NULL AND FALSE, NULL OR TRUE ¦ null false true null false true",
                "SELECT 1 == 1, ! true, 1 != 2, 1 IS DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL ¦ true false true true true",
                "SELECT 1 IN (2, NULL), 1 IN (1, NULL), 3 NOT IN (1, 2), 2 BETWEEN 1 AND 3 ¦ null true true true",
                "SELECT coalesce(NULL, 2), nvl(NULL, 3), nvl2(NULL, 1, 2), if(1 > 2, 'p', 'q'), nullif(1, 1), isnull(NULL) ¦ 2 3 2 q null true",
                "SELECT CASE WHEN NULL THEN 1 ELSE 2 END, CASE 3 WHEN 3 THEN 'three' END, CASE 3 WHEN 4 THEN 'four' END ¦ 2 three null",
                "SELECT CAST('NaN' AS DOUBLE) = CAST('NaN' AS DOUBLE), CAST('NaN' AS DOUBLE) > CAST('Infinity' AS DOUBLE) ¦ true true",
                // texts
                "SELECT concat('a', NULL), 'a' || 1 || true, concat(1, 'x', 1.5), concat_ws('-', 'a', NULL, 'b') ¦ null a1true 1x1.5 a-b",
                "SELECT substring('hello', 0, 2), substring('hello', -2, 2), substr('hello', 2, 2), substring('hello', -10, 6), substring('hello', 2) ¦ he lo el h ello",
                "SELECT length('héé'), upper('straße'), lower('ÀB'), initcap('hELLO wORLD'), reverse('abc') ¦ 3 STRASSE àb Hello World cba",
                "SELECT lpad('x', 3, 'ab'), rpad('hello', 2), trim('  a '), ltrim(' a'), trim(BOTH 'x' FROM 'xxaxx'), trim(LEADING 'x' FROM 'xa') ¦ abx he a a a a",
                "SELECT split('a,b,,', ','), split('abc', ''), split('a1b2', '[0-9]', 2) ¦ [a, b, , ] [a, b, c] [a, b2]",
                "SELECT regexp_replace('a1b2', '([a-z])([0-9])', '$2$1'), regexp_extract('100-200', '(\\\\d+)-(\\\\d+)', 2), '[' || regexp_extract('x', '(y)') || ']' ¦ 1a2b 200 []",
                "SELECT 'abc' RLIKE '^a', 'abc' NOT RLIKE 'd', 'a%b' LIKE 'a\\%b', 'axb' LIKE 'a\\%b', 'A' ILIKE 'a', 'a_c' LIKE 'a!_c' ESCAPE '!' ¦ true true true false true true",
                "SELECT instr('hello', 'l'), locate('l', 'hello', 4), position('l' IN 'hello'), left('hello', 2), right('hello', 2), replace('aXb', 'X') ¦ 3 4 3 he lo ab",
                "SELECT md5('a'), sha2('a', 256), base64('a'), hex('a'), ascii('A'), repeat('ab', 2) ¦ 0cc175b9c0f1b6a831c399e269772661 ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb YQ== 61 65 abab",
                "SELECT get_json_object('{\"a\":{\"b\":[1,\"x\"]}}', '$.a.b[1]'), get_json_object('bad', '$.a'), get_json_object('{\"a\":null}', '$.a') ¦ x null null",
                // dates and times
                "SELECT dt + 1, dt - 1, dt + INTERVAL '1' MONTH, date_add(dt, 1), date_sub(dt, 1), datediff(dt, DATE '2024-01-01') FROM t ¦ 2024-03-01 2024-02-28 2024-03-29 2024-03-01 2024-02-28 59",
                "SELECT ts + INTERVAL 1 DAY 2 HOURS, ts - INTERVAL '1 02:03:04' DAY TO SECOND FROM t ¦ 2024-01-03T05:04:05.600Z 2024-01-01T01:01:01.600Z",
                "SELECT year(dt), month(dt), day(dt), dayofweek(dt), weekday(dt), weekofyear(dt), quarter(dt), dayofyear(dt), extract(YEAR FROM dt) FROM t ¦ 2024 2 29 5 3 9 1 60 2024",
                "SELECT hour(ts), minute(ts), second(ts), date_trunc('HOUR', ts), trunc(dt, 'MM'), last_day(dt), add_months(dt, 12) FROM t ¦ 3 4 5 2024-01-02T03:00:00Z 2024-02-01 2024-02-29 2025-02-28",
                "SELECT date_format(ts, 'yyyy/MM/dd HH:mm:ss.SSS E'), to_date('03.02.2024', 'dd.MM.yyyy'), to_timestamp('2024-01-02 03:04', 'yyyy-MM-dd HH:mm') FROM t ¦ 2024/01/02 03:04:05.600 Tue 2024-02-03 2024-01-02T03:04:00Z",
                "SELECT unix_timestamp(ts), from_unixtime(0), timestamp_micros(-1), timestamp_millis(1), timestamp_seconds(1), unix_micros(ts) FROM t ¦ 1704164645 1970-01-01 00:00:00 1969-12-31T23:59:59.999999Z 1970-01-01T00:00:00.001Z 1970-01-01T00:00:01Z 1704164645600000",
                "SELECT CAST(ts AS STRING), CAST(nt AS STRING), CAST(dt AS STRING), CAST(ts AS DATE), CAST(dt AS TIMESTAMP), CAST(ts AS BIGINT) FROM t ¦ 2024-01-02 03:04:05.6 2024-01-02 03:04:05.6 2024-02-29 2024-01-02 2024-02-29T00:00:00Z 1704164645",
                "SELECT CAST('2024' AS DATE), CAST('2024-3' AS DATE), CAST('2024-3-5T1' AS DATE), CAST('2024-01-02T03:04+02:00' AS TIMESTAMP), CAST('2024-01-02 03:04:05Z' AS TIMESTAMP_NTZ) ¦ 2024-01-01 2024-03-01 2024-03-05 2024-01-02T01:04:00Z 2024-01-02T03:04:05",
                "SELECT a FROM t WHERE dt = '2024-02-29' AND ts < '2025-01-01' AND a = '1' AND d = '1.1' ¦ 1",
                // arrays, maps, structs
                "SELECT l[0], m['k'], m['zz'], st.q, element_at(l, -1), element_at(m, 'k'), size(l), size(m) FROM t ¦ 10 1 null z 20 1 2 1",
                "SELECT array(1, 2), array(1, 2.5), map('k', 1), named_struct('x', 1, 'y', 'z'), struct(a, b AS c) FROM t ¦ [1, 2] [1.0, 2.5] {k=1} {x=1, y=z} {a=1, c=x}",
                "SELECT array_contains(l, 10), array_contains(array(1, NULL), 2), array_contains(l, NULL), map_keys(m), map_values(m) FROM t ¦ true null null [k] [1]",
                "SELECT sort_array(array(3, NULL, 1)), sort_array(array(1, NULL, 3), false), array_join(array('a', NULL, 'b'), '-'), sequence(1, 3), sequence(3, 1) ¦ [null, 1, 3] [3, 1, null] a-b [1, 2, 3] [3, 2, 1]",
                "SELECT transform(l, x -> x + 1), filter(l, x -> x > 10), split('a b', ' ')[1], array(named_struct('y', 5))[0].y FROM t ¦ [11, 21] [20] b 5",
                "SELECT CAST(array('1', '2') AS ARRAY<INT>), CAST(st AS STRUCT<x: BIGINT, y: STRING>), CAST(NULL AS MAP<STRING, ARRAY<INT>>) FROM t ¦ [1, 2] {x=1, y=z} null",
                "SELECT a, v FROM t LATERAL VIEW explode(l) e AS v ORDER BY v ¦ 1 10 | 1 20",
                "SELECT p, v FROM t LATERAL VIEW posexplode(l) AS p, v ORDER BY p ¦ 0 10 | 1 20",
                "SELECT k, v FROM t LATERAL VIEW explode(m) e AS k, v ¦ k 1",
                "SELECT a, v FROM t LATERAL VIEW OUTER explode(array()) e AS v ¦ 1 null",
                "SELECT explode(l) FROM t ¦ 10 | 20",
                // queries
                "SELECT * FROM VALUES (1, 'a'), (2, NULL) AS e(id, p) ORDER BY p ¦ 2 null | 1 a",
                "SELECT col1 FROM VALUES (2), (1) ORDER BY 1 ¦ 1 | 2",
                "SELECT a FROM u ORDER BY a ¦ null | 1 | 2",
                "SELECT a FROM u ORDER BY a DESC ¦ 2 | 1 | null",
                "SELECT a FROM u ORDER BY a DESC NULLS FIRST LIMIT 1 OFFSET 1 ¦ 2",
                "SELECT t.a, name FROM t LEFT JOIN u ON t.a = u.a ¦ 1 one",
                "SELECT name FROM u LEFT SEMI JOIN t ON t.a = u.a ¦ one",
                "SELECT name FROM u LEFT ANTI JOIN t ON t.a = u.a ORDER BY name ¦ none | two",
                "SELECT t.a, u.a FROM t FULL OUTER JOIN u ON t.a = u.a ORDER BY u.a ¦ null null | 1 1 | null 2",
                "SELECT * FROM (SELECT b, a FROM t) JOIN u USING (a) ¦ 1 x one",
                "SELECT * EXCEPT (name) FROM u WHERE a > 1 ¦ 2",
                "WITH q AS (SELECT a + 1 AS z FROM t), r(y) AS (SELECT z FROM q) SELECT y FROM r ¦ 2",
                "SELECT a FROM t UNION ALL SELECT 5 UNION ALL SELECT 1 ORDER BY 1 ¦ 1 | 1 | 5",
                "SELECT a FROM u MINUS SELECT 1 ORDER BY a ¦ null | 2",
                "SELECT (SELECT max(a) FROM u), EXISTS (SELECT 1 FROM u WHERE u.a = t.a), 3 IN (SELECT a FROM u) FROM t ¦ 2 true null",
                "SELECT a, count(*) FROM u GROUP BY a HAVING count(*) > 0 ORDER BY a ¦ null 1 | 1 1 | 2 1",
                "SELECT a % 2 AS k, sum(a) FROM u WHERE a IS NOT NULL GROUP BY k ORDER BY k ¦ 0 2 | 1 1",
                "SELECT a FROM u QUALIFY row_number() OVER (ORDER BY a DESC) = 1 ¦ 2",
                "SELECT id FROM range(2) ¦ 0 | 1",
                "SELECT DISTINCT b FROM t; ¦ x",
                // aggregates and windows
                "SELECT count(*), count(a), count(DISTINCT name), sum(a), avg(a), min(a), max(name) FROM u ¦ 3 2 3 3 1.5 1 two",
                "SELECT sum(a), count(a), collect_list(a), max(a) FROM empty ¦ null 0 [] null",
                "SELECT sum(d), avg(d) FROM t ¦ 1.10 1.100000",
                "SELECT collect_list(a), count_if(a > 1), max_by(a, name), min_by(name, a), bool_or(a > 1), collect_set(a) FROM u ¦ [1, 2] 1 2 one true [1, 2]",
                "SELECT max_by(a, name) FROM VALUES (NULL, 'z'), (1, 'a') AS v(a, name) ¦ null",
                "SELECT first(a), last(a), first(a, true) FROM (SELECT a FROM u ORDER BY a) ¦ null 2 1",
                "SELECT count(*) FILTER (WHERE a > 1), sum(a) FILTER (WHERE a > 5) FROM u ¦ 1 null",
                "SELECT a, sum(a) OVER (ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS s, lag(a) IGNORE NULLS OVER (ORDER BY a) AS p, rank() OVER (ORDER BY a DESC) AS r FROM u ORDER BY a ¦ null null null 3 | 1 1 null 2 | 2 3 1 1",
            })
    void computesWhatSparkComputes(String sql, String expected) {
        assertThat(run(sql)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '\u00a7',
            value = {
                "SELECT a + 1 AS x, ti + ti AS y, ti + 1 AS z, big + a AS w, f + a AS v, f + f AS q FROM t ¦ x: INT, y: TINYINT, z: INT, w: BIGINT, v: DOUBLE, q: FLOAT",
                "SELECT d + d AS a, d * d AS b, d / d AS c, d + 1 AS e, d * 2.5 AS f, d % 0.3 AS g, d + g AS h FROM t ¦ a: DECIMAL(11,2), b: DECIMAL(21,4), c: DECIMAL(23,13), e: DECIMAL(11,2), f: DECIMAL(13,3), g: DECIMAL(2,2), h: DOUBLE",
                "SELECT sum(a) AS s, sum(d) AS t, sum(f) AS u, avg(a) AS v, avg(d) AS w, count(*) AS x FROM t ¦ s: BIGINT, t: DECIMAL(20,2), u: DOUBLE, v: DOUBLE, w: DECIMAL(14,6), x: BIGINT",
                "SELECT row_number() OVER (ORDER BY a) AS r, length(b) AS l, year(dt) AS y, datediff(dt, dt) AS d, ceil(g) AS c, round(d, 1) AS o FROM t ¦ r: INT, l: INT, y: INT, d: INT, c: BIGINT, o: DECIMAL(10,1)",
                "SELECT coalesce(a, big) AS x, coalesce(big, d) AS y, CASE WHEN a = 1 THEN f ELSE a END AS z, array(1, 2L) AS w FROM t ¦ x: BIGINT, y: DECIMAL(22,2), z: DOUBLE, w: ARRAY<BIGINT>",
                "SELECT 1.10 AS a, 0.1 AS b, 3000000000 AS c, 99999999999999999999 AS d, 1e0 AS e ¦ a: DECIMAL(3,2), b: DECIMAL(1,1), c: BIGINT, d: DECIMAL(20,0), e: DOUBLE",
                "SELECT A, count(*), sum(a + 1), upper(b), CAST(a AS STRING) FROM t GROUP BY ALL ¦ A: INT, `count(1)`: BIGINT, `sum((a + 1))`: BIGINT, `upper(b)`: STRING, `CAST(a AS STRING)`: STRING",
                "SELECT NULL AS x, ts - INTERVAL 1 DAY AS y, dt + INTERVAL 1 HOUR AS z, current_date AS d, current_timestamp() AS c FROM t ¦ x: VOID, y: TIMESTAMP, z: TIMESTAMP, d: DATE, c: TIMESTAMP",
            })
    void hasTheTypesAndNamesThatSparkHas(String sql, String expected) {
        assertThat(prepare(sql).schema().sql()).isEqualTo("STRUCT<" + expected + ">");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '\u00a7',
            value = {
                "SELECT 1 / a FROM (SELECT a - 1 AS a FROM t) ¦ division by zero",
                "SELECT d / (d - d) FROM t ¦ division by zero",
                "SELECT g % 0 FROM t ¦ division by zero",
                "SELECT CAST(b AS INT) FROM t ¦ the text 'x' is not a whole number",
                "SELECT CAST('2.7' AS INT) FROM t WHERE a = 1 ¦ the text '2.7' is not a whole number",
                "SELECT 2147483647 + a FROM t ¦ overflow",
                "SELECT CAST(a + 300 AS TINYINT) FROM t ¦ out of range",
                "SELECT CAST(concat('2024-02-3', a) AS DATE) FROM t ¦ cannot be cast to DATE",
                "SELECT l[2] FROM t ¦ index 2 is out of the bounds",
                "SELECT element_at(l, 0) FROM t ¦ index 0 is out of the bounds",
                "SELECT to_date(b, 'yyyy') FROM t ¦ does not fit the pattern",
            })
    void failsOnDataWhereSparkFails(String sql, String message) {
        TidemarkException failure = failure(() -> run(sql));
        assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_FAILED);
        assertThat(failure.primary()).contains(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '\u00a6',
            quoteCharacter = '\u00a7',
            value = {
                "SELECT nosuch FROM t ¦ UNKNOWN_COLUMN ¦ 8",
                "SELECT x.a FROM t ¦ UNKNOWN_COLUMN ¦ 8",
                "SELECT st.nosuch FROM t ¦ UNKNOWN_COLUMN ¦ 11",
                "SELECT a, nofun(a) FROM t ¦ UNKNOWN_FUNCTION ¦ 11",
                "SELECT hash(a) FROM t ¦ UNKNOWN_FUNCTION ¦ 8",
                "SELECT monotonically_increasing_id() ¦ UNKNOWN_FUNCTION ¦ 8",
                "SELECT list_transform(l, x -> x) FROM t ¦ UNKNOWN_FUNCTION ¦ 8",
                "SELECT a FROM nosuch ¦ UNKNOWN_TABLE ¦ 15",
                "SELECT dt - dt FROM t ¦ QUERY_INVALID ¦ 11",
                "SELECT CASE WHEN a = 1 THEN 'x' ELSE 2 END FROM t ¦ QUERY_INVALID ¦ 8",
                "SELECT CAST(l AS INT) FROM t ¦ QUERY_INVALID ¦ 8",
                "SELECT m = m FROM t ¦ QUERY_INVALID ¦ 8",
                "SELECT a + FROM t ¦ QUERY_INVALID ¦ 12",
                "SELECT CAST(a AS NOSUCH) FROM t ¦ INVALID_TYPE ¦ 18",
                "SELECT 'open ¦ SYNTAX_ERROR ¦ 8",
                "SELECT * FROM u PIVOT (sum(a) FOR name IN ('one')) ¦ UNSUPPORTED_FEATURE ¦ 17",
                "SELECT a FROM u SORT BY a ¦ UNSUPPORTED_FEATURE ¦ 17",
                "SELECT INTERVAL 1 DAY ¦ UNSUPPORTED_FEATURE ¦ 1",
                "SELECT upper(a, b) FROM t ¦ QUERY_INVALID ¦ 8",
                "SELECT lag(a) FROM t ¦ QUERY_INVALID ¦ 8",
                "SELECT 2 ^ 3 ¦ QUERY_INVALID ¦ 10",
                "SELECT a FROM t UNION ALL SELECT b FROM t ¦ QUERY_INVALID ¦ 1",
            })
    void refusesAtTheRightPlace(String sql, ErrorCode code, int column) {
        TidemarkException failure = failure(() -> prepare(sql));
        assertThat(failure.code()).isEqualTo(code);
        assertThat(failure.location()).hasValue(new TextLocation("q.sql", 1, column));
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
