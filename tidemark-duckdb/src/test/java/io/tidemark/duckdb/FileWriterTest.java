package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.column;
import static io.tidemark.duckdb.EngineFixture.failure;
import static io.tidemark.duckdb.EngineFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.engine.WrittenFile.ColumnStatistics;
import io.tidemark.core.error.ErrorCode;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWriterTest {
    @TempDir
    Path folder;

    private DuckDbEngine engine;
    private Path target;

    @BeforeEach
    void open() {
        engine = EngineFixture.open(folder);
        target = folder.resolve("it's a target");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private List<WrittenFile> write(String sql, StructType schema, List<String> sortBy, long bytes) {
        return engine.write(sql, new WriteSpec(target.toString(), "part", schema, sortBy, bytes, 32));
    }

    private List<WrittenFile> write(String sql, StructField... fields) {
        return write(sql, StructType.of(fields), List.of(), WriteSpec.FILE_BYTES_TARGET_DEFAULT);
    }

    private static StructField field(String name, DataType type) {
        return StructField.of(name, type);
    }

    private Map<String, Object> bounds(String values, DataType type) {
        WrittenFile file = write("SELECT x FROM (VALUES " + values + ") AS t(x)", field("x", type))
                .get(0);
        return file.statistics().get(0).bounds();
    }

    private static long bound(WrittenFile file, String which) {
        return Long.parseLong(String.valueOf(file.statistics().get(0).bounds().get(which)));
    }

    private List<String> filesInTarget() throws IOException {
        try (Stream<Path> files = Files.list(target)) {
            return files.map(path -> path.getFileName().toString()).toList();
        }
    }

    @Test
    void writesExactlyTheTypesOfTheSchema() {
        List<WrittenFile> files = write(
                "SELECT sum(1) AS b, 1 AS a, 'x' AS \"s 'p\"\"\", 1.5 AS d, NULL AS n, {'q': 1, 'p': 2} AS st",
                field("a", ScalarType.BYTE),
                field("b", ScalarType.LONG),
                field("s 'p\"", ScalarType.STRING),
                field("d", new DecimalType(38, 10)),
                field("n", ScalarType.TIMESTAMP),
                field("st", StructType.of(field("p", ScalarType.SHORT), field("q", ScalarType.DOUBLE))));
        assertThat(files).hasSize(1);
        WrittenFile file = files.get(0);
        assertThat(file.rowCount()).isEqualTo(1);
        assertThat(file.sizeBytes())
                .isEqualTo(target.resolve(file.name()).toFile().length());
        assertThat(file.name()).startsWith("part-").endsWith(".parquet");
        String path = target.resolve(file.name()).toString().replace("'", "''");
        assertThat(engine.describe("SELECT * FROM '" + path + "'"))
                .isEqualTo(StructType.of(
                        field("a", ScalarType.BYTE),
                        field("b", ScalarType.LONG),
                        field("s 'p\"", ScalarType.STRING),
                        field("d", new DecimalType(38, 10)),
                        field("n", ScalarType.TIMESTAMP),
                        field("st", StructType.of(field("p", ScalarType.SHORT), field("q", ScalarType.DOUBLE)))));
    }

    @Test
    void infiniteTimesAreRefusedAndLeaveNoFile() throws IOException {
        Map<String, StructField> faulty = Map.of(
                "TIMESTAMP 'infinity'", field("t", ScalarType.TIMESTAMP_NTZ),
                "TIMESTAMPTZ '-infinity'", field("t", ScalarType.TIMESTAMP),
                "DATE '-infinity'", field("t", ScalarType.DATE),
                "{'d': DATE 'infinity'}", field("t", StructType.of(field("d", ScalarType.DATE))),
                "[TIMESTAMP '2024-01-01', 'infinity']", field("t", new ArrayType(ScalarType.TIMESTAMP_NTZ, true)));
        faulty.forEach((value, column) -> {
            TidemarkException error =
                    failure(() -> write("SELECT 1 AS id, " + value + " AS t", field("id", ScalarType.INTEGER), column));
            assertThat(error).as(value).isNotNull();
            assertThat(error.code()).isEqualTo(ErrorCode.INFINITE_TIME);
            assertThat(error.primary()).startsWith("column t").contains("infinity");
        });
        assertThat(filesInTarget()).isEmpty();
        // As texts, and as numbers, there are such values.
        write(
                "SELECT 'infinity' AS s, 'infinity'::DOUBLE AS d, DATE '9999-12-31' AS t",
                field("s", ScalarType.STRING),
                field("d", ScalarType.DOUBLE),
                field("t", ScalarType.DATE));
        TidemarkException partition = failure(() -> engine.write(
                "SELECT 1 AS id, DATE 'infinity' AS day",
                new WriteSpec(
                        target.toString(),
                        "part",
                        StructType.of(field("id", ScalarType.INTEGER), field("day", ScalarType.DATE)),
                        List.of(),
                        WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                        32,
                        List.of("day"))));
        assertThat(partition.code()).isEqualTo(ErrorCode.INFINITE_TIME);
    }

    @Test
    void partitionsAreSortedAndCut() {
        StructType schema =
                StructType.of(field("id", ScalarType.LONG), field("p", ScalarType.STRING), field("v", ScalarType.LONG));
        long target = 300_000;
        List<WrittenFile> files = engine.write(
                "SELECT (i * 7919) % 400000 AS id, CASE WHEN i % 4 = 0 THEN 'x' ELSE 'y' END AS p, hash(i) >> 8 AS v"
                        + " FROM range(400000) AS r(i)",
                new WriteSpec(this.target.toString(), "part", schema, List.of("p", "id"), target, 32, List.of("p")));
        List<WrittenFile> x = filesOf("x", files);
        List<WrittenFile> y = filesOf("y", files);
        assertThat(x).hasSize(1);
        assertThat(y).as("300,000 rows are three row groups").hasSize(3);
        assertThat(files).hasSize(4);
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum()).isEqualTo(400_000);
        long previous = -1;
        for (WrittenFile file : y) {
            assertThat(file.name()).startsWith("p=y/part-");
            assertThat(bound(file, "min")).as("files follow each other").isGreaterThan(previous);
            previous = bound(file, "max");
            String path = this.target.resolve(file.name()).toString().replace("'", "''");
            assertThat(rows(
                            engine,
                            "SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY file_row_number) AS l FROM"
                                    + " read_parquet('" + path + "', file_row_number = true)) AS t WHERE l > id"))
                    .hasToString("[[0]]");
        }
    }

    private static List<WrittenFile> filesOf(String value, List<WrittenFile> files) {
        return files.stream()
                .filter(file -> Optional.of(value).equals(file.partitionValues().get("p")))
                .toList();
    }

    @Test
    void unsortedPartitionsAreCutToo() throws IOException {
        StructType schema = StructType.of(field("id", ScalarType.LONG), field("p", ScalarType.INTEGER));
        List<WrittenFile> files = engine.write(
                "SELECT i AS id, 1 AS p FROM range(300000) AS r(i)",
                new WriteSpec(target.toString(), "part", schema, List.of(), 100_000, 32, List.of("p")));
        assertThat(files.size()).isGreaterThan(1);
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum()).isEqualTo(300_000);
        assertThat(filesInTarget()).as("nothing else stays").containsExactly("p=1");
    }

    @Test
    void noRowsNoFile() throws IOException {
        assertThat(write("SELECT 1 AS a WHERE false", field("a", ScalarType.INTEGER)))
                .isEmpty();
        assertThat(filesInTarget()).isEmpty();
    }

    @Test
    void sortsWithNullsFirstAndCutsIntoFiles() {
        engine.materialize(
                "t",
                "SELECT CASE WHEN i % 100000 = 0 THEN NULL ELSE (i * 7919) % 1000003 END AS k, "
                        + "hash(i) AS h FROM range(1000000) AS t(i)",
                Optional.empty());
        StructType schema = StructType.of(field("k", ScalarType.LONG), field("h", new DecimalType(20, 0)));
        List<WrittenFile> files = write("SELECT * FROM t", schema, List.of("k"), 3_000_000);
        assertThat(files).hasSizeGreaterThan(2);
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum()).isEqualTo(1_000_000);
        String paths = String.join(
                ", ",
                files.stream()
                        .map(file ->
                                "'" + target.resolve(file.name()).toString().replace("'", "''") + "'")
                        .toList());
        engine.materialize("all_rows", "SELECT k FROM read_parquet([" + paths + "])", Optional.of("n"));
        assertThat(rows(engine, "SELECT count(*), count(k), max(n) FILTER (k IS NULL) FROM all_rows"))
                .containsExactly(List.of(1_000_000L, 999_990L, 9L));
        assertThat(column(
                        engine,
                        "SELECT count(*) FROM (SELECT k, lag(k) OVER (ORDER BY n) AS p FROM all_rows) WHERE k < p"))
                .containsExactly(0L);
        assertThat(files.get(0).statistics().get(0).nullCount()).isEqualTo(10);
        assertThat(bound(files.get(0), "max")).isLessThanOrEqualTo(bound(files.get(1), "min"));
    }

    @Test
    void keepsTheOrderOfTheQueryWithoutSortColumns() {
        engine.materialize("t", "SELECT (i * 7919) % 300007 AS k FROM range(300007) AS t(i)", Optional.empty());
        WrittenFile file = write("SELECT k FROM t ORDER BY k DESC", field("k", ScalarType.LONG))
                .get(0);
        String path = target.resolve(file.name()).toString().replace("'", "''");
        assertThat(column(
                        engine,
                        "SELECT count(*) FROM read_parquet('" + path + "') WHERE k <> 300006 - file_row_number"))
                .containsExactly(0L);
    }

    @Test
    void boundsOfNumbers() {
        assertThat(bounds("(3), (-5), (NULL)", ScalarType.LONG)).isEqualTo(Map.of("min", -5L, "max", 3L));
        assertThat(bounds("(-1.10), (99999999999999999999999999999.55)", new DecimalType(38, 2)))
                .isEqualTo(Map.of(
                        "min", new BigDecimal("-1.10"), "max", new BigDecimal("99999999999999999999999999999.55")));
        assertThat(bounds("(1.5), (-2.25)", ScalarType.DOUBLE)).isEqualTo(Map.of("min", -2.25, "max", 1.5));
        assertThat(bounds("(1.5), ('nan'::DOUBLE)", ScalarType.DOUBLE)).isEmpty();
        assertThat(bounds("(1.5), ('inf'::DOUBLE)", ScalarType.FLOAT)).isEqualTo(Map.of("min", 1.5f));
        assertThat(bounds("(true), (false)", ScalarType.BOOLEAN)).isEmpty();
        assertThat(bounds("('a')", ScalarType.BINARY)).isEmpty();
    }

    @Test
    void boundsOfTimesAreRoundedOutwards() {
        assertThat(bounds("('2024-02-29')", ScalarType.DATE))
                .isEqualTo(Map.of("min", "2024-02-29", "max", "2024-02-29"));
        assertThat(bounds("('1969-12-31 23:59:59.999999Z'), ('2020-01-01 00:00:00.123456+02')", ScalarType.TIMESTAMP))
                .isEqualTo(Map.of("min", "1969-12-31T23:59:59.999Z", "max", "2019-12-31T22:00:00.124Z"));
        assertThat(bounds("('2020-01-01 00:00:00.5'), ('2020-01-01 00:00:01')", ScalarType.TIMESTAMP_NTZ))
                .isEqualTo(Map.of("min", "2020-01-01T00:00:00.500", "max", "2020-01-01T00:00:01.000"));
        assertThat(bounds("('12020-01-01'), ('0044-03-15 (BC)')", ScalarType.DATE))
                .isEmpty();
    }

    @Test
    void boundsOfStringsAreCut() {
        String a = "a".repeat(32);
        assertThat(bounds("('b'), ('" + a + "')", ScalarType.STRING)).isEqualTo(Map.of("min", a, "max", "b"));
        assertThat(bounds("('" + a + "x')", ScalarType.STRING)).isEqualTo(Map.of("min", a, "max", a + "\u007f"));
        String rockets = "🚀".repeat(33);
        assertThat(bounds("('" + rockets + "')", ScalarType.STRING))
                .isEqualTo(Map.of(
                        "min", "🚀".repeat(32), "max", "🚀".repeat(32) + Character.toString(Character.MAX_CODE_POINT)));
    }

    @Test
    void statisticsOfNestedColumns() {
        WrittenFile file = write(
                        """
                        SELECT * FROM (VALUES ({'x': 1, 'y': {'z': 'a'}}, [1], MAP {'k': 1}, 5),
                          (NULL, NULL, NULL, NULL))
                          AS t(s, l, m, n)""",
                        field(
                                "s",
                                StructType.of(
                                        field("x", ScalarType.INTEGER),
                                        field("y", StructType.of(field("z", ScalarType.STRING))))),
                        field("l", new ArrayType(ScalarType.INTEGER, true)),
                        field("m", new MapType(ScalarType.STRING, ScalarType.INTEGER, true)),
                        field("n", ScalarType.INTEGER))
                .get(0);
        assertThat(file.statistics())
                .containsExactly(
                        new ColumnStatistics(List.of("s", "x"), Map.of("min", 1L, "max", 1L), 1),
                        new ColumnStatistics(List.of("s", "y", "z"), Map.of("min", "a", "max", "a"), 1),
                        new ColumnStatistics(List.of("l"), Map.of(), 1),
                        new ColumnStatistics(List.of("m"), Map.of(), 1),
                        new ColumnStatistics(List.of("n"), Map.of("min", 5L, "max", 5L), 1));
    }

    @Test
    void onlyLeadingLeafColumnsGetStatistics() {
        WriteSpec spec = new WriteSpec(
                target.toString(),
                "part",
                StructType.of(field("a", ScalarType.INTEGER), field("b", ScalarType.INTEGER)),
                List.of(),
                WriteSpec.FILE_BYTES_TARGET_DEFAULT,
                1);
        assertThat(engine.write("SELECT 1 AS a, 2 AS b", spec).get(0).statistics())
                .hasSize(1);
    }

    @Test
    void notNullColumnsRefuseNull() throws IOException {
        TidemarkException failure = failure(() -> write(
                "SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS t(id, name)",
                field("id", ScalarType.INTEGER),
                new StructField("name", ScalarType.STRING, false, Map.of())));
        assertThat(failure.code()).isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
        assertThat(failure.primary()).contains("name");
        assertThat(failure.detail())
                .hasValueSatisfying(detail -> assertThat(detail).contains("id = 2"));
        assertThat(filesInTarget()).isEmpty();
        StructField nested = field("s", StructType.of(new StructField("x", ScalarType.INTEGER, false, Map.of())));
        assertThat(failure(() -> write("SELECT {'x': NULL} AS s", nested)).code())
                .isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
        assertThat(write("SELECT CAST(NULL AS STRUCT(x INTEGER)) AS s", nested)).hasSize(1);
    }

    @Test
    void failuresLeaveNoFile() throws IOException {
        TidemarkException failure = failure(() -> write(
                "SELECT CASE WHEN i = 999999 THEN 'x' ELSE '1' END AS a FROM range(1000000) AS t(i)",
                field("a", ScalarType.INTEGER)));
        assertThat(failure.code()).isEqualTo(ErrorCode.QUERY_FAILED);
        assertThat(filesInTarget()).isEmpty();
    }
}
