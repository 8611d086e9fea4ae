package io.tidemark.duckdb;

import static io.tidemark.duckdb.EngineFixture.column;
import static io.tidemark.duckdb.EngineFixture.failure;
import static io.tidemark.duckdb.EngineFixture.rows;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.engine.RowPositions;
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
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileRelationTest {
    @TempDir
    Path folder;

    private DuckDbEngine engine;
    private int count;

    @BeforeEach
    void open() {
        engine = EngineFixture.open(folder);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private DataFile file(String select, long... deleted) {
        return file("data " + count++ + ".parquet", select, "", Map.of(), deleted);
    }

    private DataFile file(
            String name, String select, String options, Map<String, Optional<String>> partition, long... deleted) {
        Path path = folder.resolve(name);
        try {
            Files.createDirectories(path.getParent());
            ForeignFiles.write(select, path, options);
            return new DataFile(path.toString(), Files.size(path), partition, positions(deleted));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static RowPositions positions(long... values) {
        return new RowPositions() {
            @Override
            public long cardinality() {
                return values.length;
            }

            @Override
            public void forEach(LongConsumer consumer) {
                Arrays.stream(values).forEach(consumer);
            }
        };
    }

    private static FileScan scan(StructType schema, List<DataFile> files) {
        return new FileScan(schema, ColumnMapping.NONE, List.of(), files, Optional.empty(), Optional.empty());
    }

    private static StructType schema(Object... namesAndTypes) {
        List<StructField> fields = new ArrayList<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.add(StructField.of((String) namesAndTypes[i], (DataType) namesAndTypes[i + 1]));
        }
        return new StructType(fields);
    }

    private static DataFile keeping(DataFile file, long... kept) {
        return new DataFile(
                file.location(),
                file.sizeBytes(),
                file.partitionValues(),
                file.deletedRows(),
                Optional.of(positions(kept)));
    }

    @Test
    void readsOnlyKeptRows() {
        StructType schema = schema("id", ScalarType.LONG);
        DataFile five = file("SELECT i AS id FROM range(5) AS t(i)");
        DataFile big = file("SELECT i + 10 AS id FROM range(5000) AS t(i)", 7);
        List<DataFile> files =
                List.of(keeping(five, 1, 4), keeping(five), keeping(big, 7, 4000, 9999), keeping(five, 1));
        engine.registerFiles(
                "t", new FileScan(schema, ColumnMapping.NONE, List.of(), files, Optional.of("f"), Optional.of("r")));
        assertThat(rows(engine, "SELECT id, f, r FROM t ORDER BY f, r"))
                .containsExactly(
                        List.of(1L, 0L, 1L), List.of(4L, 0L, 4L), List.of(4010L, 2L, 4000L), List.of(1L, 3L, 1L));
        long[] many = LongStream.range(1000, 3500).toArray();
        engine.registerFiles("t", scan(schema, List.of(keeping(big, many), keeping(five, 0))));
        assertThat(rows(engine, "SELECT count(*), min(id), max(id) FROM t")).containsExactly(List.of(2501L, 0L, 3509L));
        engine.registerFiles("t", scan(schema, List.of(keeping(big))));
        assertThat(rows(engine, "SELECT * FROM t")).isEmpty();
        assertThatThrownBy(() -> scan(schema, List.of(keeping(big, 1), five)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** So many positions that they are handed over as lists, and in so many places that ranges must join some of them. */
    @Test
    void readsAndLeavesOutManyScatteredRows() {
        StructType schema = schema("id", ScalarType.LONG);
        DataFile big = file("SELECT i AS id FROM range(400000) AS t(i)");
        long[] third = LongStream.range(0, 400_000).filter(i -> i % 3 == 0).toArray();
        DataFile deleted = file("SELECT i AS id FROM range(400000) AS t(i)", third);
        engine.registerFiles("t", scan(schema, List.of(file("SELECT 7 AS id"), deleted)));
        assertThat(rows(engine, "SELECT count(*), count(*) FILTER (id % 3 = 0) FROM t"))
                .containsExactly(List.of(400_001L - third.length, 0L));
        engine.registerFiles("t", scan(schema, List.of(keeping(big, third))));
        assertThat(rows(engine, "SELECT count(*), count(*) FILTER (id % 3 = 0), max(id) FROM t"))
                .containsExactly(List.of((long) third.length, (long) third.length, third[third.length - 1]));
        long[] apart = LongStream.range(0, 400_000)
                .filter(i -> i % 10_000 < 5 || i % 10_000 == 7_000)
                .toArray();
        engine.registerFiles("t", scan(schema, List.of(keeping(big, apart))));
        assertThat(rows(engine, "SELECT id FROM t ORDER BY id"))
                .isEqualTo(LongStream.of(apart).mapToObj(List::<Object>of).toList());
    }

    /** A small result is the same whether it is streamed or not, of whatever type. */
    @Test
    void smallResultsAreThoseOfStreams() {
        for (String sql : List.of(
                "SELECT CAST(1 AS BIGINT) AS a, 'x' AS b, TRUE AS c, CAST(2 AS INTEGER) AS d, CAST(0.5 AS DOUBLE) AS e,"
                        + " CAST(3 AS SMALLINT) AS f, CAST(4 AS TINYINT) AS g, CAST(NULL AS VARCHAR) AS h",
                "SELECT DATE '2024-02-29' AS a, CAST(1.25 AS DECIMAL(9, 2)) AS b, 'ab'::BLOB AS c, [1, 2] AS d,"
                        + " TIMESTAMP '2024-02-29 01:02:03.000004' AS e, sum(i) AS f FROM range(3) AS t(i)",
                "SELECT 1 AS a WHERE FALSE")) {
            assertThat(engine.rows(sql)).usingRecursiveComparison().isEqualTo(rows(engine, sql));
        }
    }

    @Test
    void appliesDeletionVectorsAndNumbersRows() {
        StructType schema = schema("id", ScalarType.LONG);
        List<DataFile> files = List.of(
                file("SELECT i AS id FROM range(5) AS t(i)", 0, 3),
                file("SELECT i + 10 AS id FROM range(3) AS t(i)"),
                file("SELECT i + 20 AS id FROM range(2) AS t(i)", 0, 1));
        engine.registerFiles(
                "t",
                new FileScan(
                        schema,
                        ColumnMapping.NONE,
                        List.of(),
                        files,
                        Optional.of("f"),
                        Optional.of("file_row_number")));
        assertThat(rows(engine, "SELECT * FROM t ORDER BY f, file_row_number"))
                .containsExactly(
                        List.of(1L, 0L, 1L),
                        List.of(2L, 0L, 2L),
                        List.of(4L, 0L, 4L),
                        List.of(10L, 1L, 0L),
                        List.of(11L, 1L, 1L),
                        List.of(12L, 1L, 2L));
        assertThat(rows(engine, "SELECT id, file_row_number FROM t WHERE id > 11"))
                .containsExactly(List.of(12L, 2L));
        assertThat(column(engine, "SELECT count(*) FROM t")).containsExactly(6L);
    }

    @Test
    void keepsTheOrderOfFilesAndRowsWhereNoRowIsDeleted() {
        List<DataFile> files = List.of(
                file("SELECT i AS id FROM range(200000, 300000) AS t(i)"),
                file("SELECT i AS id FROM range(0, 200000) AS t(i)"));
        engine.registerFiles("t", scan(schema("id", ScalarType.LONG), files));
        engine.materialize("m", "SELECT id FROM t", Optional.of("n"));
        assertThat(rows(engine, "SELECT min(id), max(id), min(n), max(n) FROM m WHERE n < 99999"))
                .containsExactly(List.of(200000L, 299998L, 0L, 99998L));
        assertThat(column(
                        engine,
                        "SELECT count(*) FROM (SELECT id - lag(id) OVER (ORDER BY n) AS d FROM m) WHERE d <> 1"))
                .containsExactly(1L);
    }

    @Test
    void readsPartitionValuesFromTheLog() {
        StructType schema = schema(
                "d",
                ScalarType.DATE,
                "id",
                ScalarType.INTEGER,
                "t",
                ScalarType.TIMESTAMP,
                "b",
                ScalarType.BINARY,
                "s",
                ScalarType.STRING,
                "n",
                new DecimalType(5, 2));
        List<String> partitions = List.of("D", "t", "b", "s", "n");
        List<DataFile> files = List.of(
                file(
                        "p/a=1 %C3%BC/x.parquet",
                        "SELECT 1 AS id",
                        "",
                        Map.of(
                                "d", Optional.of("2024-02-29"),
                                "t", Optional.of("2021-01-01 10:00:00.123456"),
                                "b", Optional.of("\u0001é"),
                                "s", Optional.of("a'b=c"),
                                "n", Optional.of("1.10"))),
                file(
                        "p/[x]*?.parquet",
                        "SELECT 2 AS id",
                        "",
                        Map.of(
                                "d",
                                Optional.empty(),
                                "t",
                                Optional.of("2021-01-01T10:00:00.000Z"),
                                "s",
                                Optional.of(""))));
        engine.registerFiles(
                "t", new FileScan(schema, ColumnMapping.NONE, partitions, files, Optional.empty(), Optional.empty()));
        List<List<@Nullable Object>> rows = rows(engine, "SELECT d, id, t, s, n, length(decode(b)) FROM t ORDER BY id");
        assertThat(rows.get(0))
                .containsExactly(
                        LocalDate.of(2024, 2, 29),
                        1,
                        Instant.parse("2021-01-01T10:00:00.123456Z"),
                        "a'b=c",
                        new BigDecimal("1.10"),
                        2L);
        assertThat(rows.get(1)).containsExactly(null, 2, Instant.parse("2021-01-01T10:00:00Z"), null, null, null);
        assertThat(column(engine, "SELECT d FROM t WHERE s = 'a''b=c'")).containsExactly(LocalDate.of(2024, 2, 29));
    }

    @Test
    void missingColumnsReadNullAndNarrowTypesAreWidened() {
        StructType schema = schema(
                "a",
                ScalarType.LONG,
                "b",
                ScalarType.DOUBLE,
                "c",
                new DecimalType(20, 5),
                "d",
                ScalarType.TIMESTAMP_NTZ,
                "e",
                new DecimalType(12, 2),
                "s",
                schema("x", ScalarType.LONG, "y", ScalarType.STRING),
                "l",
                new ArrayType(ScalarType.LONG, true),
                "m",
                new MapType(ScalarType.STRING, ScalarType.DOUBLE, true),
                "new",
                ScalarType.STRING);
        List<DataFile> files = List.of(file("""
                        SELECT 1::TINYINT AS a, 1.5::FLOAT AS b, 1.25::DECIMAL(10,2) AS c,
                          DATE '2024-02-29' AS d, 7 AS e,
                          {'x': 5::INTEGER} AS s, [3::SMALLINT] AS l,
                          MAP {'k': 1.5::FLOAT} AS m"""), file("SELECT 2::BIGINT AS a, 'n' AS \"new\", 0 AS gone"));
        engine.registerFiles("t", scan(schema, files));
        Map<String, @Nullable Object> struct = new LinkedHashMap<>();
        struct.put("x", 5L);
        struct.put("y", null);
        List<List<@Nullable Object>> rows = rows(engine, "SELECT * FROM t");
        assertThat(rows.get(0))
                .containsExactly(
                        1L,
                        1.5,
                        new BigDecimal("1.25000"),
                        LocalDateTime.parse("2024-02-29T00:00"),
                        new BigDecimal("7.00"),
                        struct,
                        List.of(3L),
                        Map.of("k", 1.5),
                        null);
        assertThat(rows.get(1)).containsExactly(2L, null, null, null, null, null, null, null, "n");
        assertThat(engine.describe("SELECT * FROM t")).isEqualTo(schema);
    }

    private static StructField mapped(String name, DataType type, String physical, int id) {
        return new StructField(
                name, type, true, Map.of("delta.columnMapping.physicalName", physical, "delta.columnMapping.id", id));
    }

    private static StructType mappedSchema() {
        StructType inner =
                StructType.of(mapped("x", ScalarType.LONG, "px", 11), mapped("z", ScalarType.STRING, "pz", 12));
        return StructType.of(
                mapped("a", ScalarType.INTEGER, "col-a", 1),
                mapped("s", inner, "col-s", 2),
                mapped("l", new ArrayType(inner, true), "col-l", 3),
                mapped("m", new MapType(ScalarType.STRING, inner, true), "col-m", 4),
                mapped("p", ScalarType.STRING, "col-p", 5));
    }

    private static final String MAPPED_SELECT = """
            SELECT 1 AS "col-a", {'px': 5} AS "col-s", [{'px': 6}, NULL] AS "col-l", MAP {'k': {'px': 7}} AS "col-m"
            UNION ALL SELECT 2, NULL, NULL, NULL""";

    private void checkMapped(ColumnMapping mapping, String options) {
        DataFile file =
                file("mapped-" + mapping + ".parquet", MAPPED_SELECT, options, Map.of("col-p", Optional.of("v")));
        engine.registerFiles(
                "t",
                new FileScan(mappedSchema(), mapping, List.of("p"), List.of(file), Optional.empty(), Optional.empty()));
        List<List<@Nullable Object>> rows = rows(engine, "SELECT a, s, l, m, p, s.x FROM t");
        assertThat(rows.get(0))
                .containsExactly(1, inner(5), Arrays.asList(inner(6), null), Map.of("k", inner(7)), "v", 5L);
        assertThat(rows.get(1)).containsExactly(2, null, null, null, "v", null);
    }

    private static Map<String, @Nullable Object> inner(long x) {
        Map<String, @Nullable Object> struct = new LinkedHashMap<>();
        struct.put("x", x);
        struct.put("z", null);
        return struct;
    }

    @Test
    void mapsColumnsByName() {
        checkMapped(ColumnMapping.NAME, "");
    }

    @Test
    void mapsColumnsById() {
        checkMapped(
                ColumnMapping.ID,
                ", FIELD_IDS {\"col-a\": 1, \"col-s\": {__duckdb_field_id: 2, px: 11}, \"col-l\": 3, \"col-m\": 4}");
    }

    @Test
    void idsAreFoundUnderOtherNames() {
        DataFile file = file(
                "ids.parquet",
                "SELECT 1 AS other, {'q': 5} AS another",
                ", FIELD_IDS {other: 1, another: {__duckdb_field_id: 2, q: 11}}",
                Map.of("col-p", Optional.of("v")));
        engine.registerFiles(
                "t",
                new FileScan(
                        mappedSchema(),
                        ColumnMapping.ID,
                        List.of("p"),
                        List.of(file),
                        Optional.empty(),
                        Optional.empty()));
        assertThat(rows(engine, "SELECT a, s.x FROM t")).containsExactly(List.of(1, 5L));
    }

    @Test
    void noFilesGiveAnEmptyRelation() {
        StructType schema = schema("a", ScalarType.LONG, "s", schema("x", ScalarType.DATE));
        engine.registerFiles(
                "t",
                new FileScan(schema, ColumnMapping.NONE, List.of("a"), List.of(), Optional.of("f"), Optional.of("r")));
        assertThat(rows(engine, "SELECT * FROM t")).isEmpty();
        assertThat(engine.describe("SELECT * FROM t").names()).containsExactly("a", "s", "f", "r");
    }

    @Test
    void onlyPartitionColumns() {
        StructType schema = schema("p", ScalarType.INTEGER);
        DataFile file = file("p.parquet", "SELECT 1 AS dummy FROM range(3)", "", Map.of("p", Optional.of("7")));
        engine.registerFiles(
                "t",
                new FileScan(
                        schema, ColumnMapping.NONE, List.of("p"), List.of(file), Optional.empty(), Optional.empty()));
        assertThat(column(engine, "SELECT p FROM t")).containsExactly(7, 7, 7);
        assertThat(column(engine, "SELECT count(*) FROM t")).containsExactly(3L);
    }

    @Test
    void missingFileIsNamed() throws IOException {
        DataFile file = file("SELECT 1 AS id");
        Files.delete(Path.of(file.location()));
        engine.registerFiles("t", scan(schema("id", ScalarType.INTEGER), List.of(file)));
        TidemarkException failure = failure(() -> column(engine, "SELECT id FROM t"));
        assertThat(failure.code()).isEqualTo(ErrorCode.DATA_FILE_MISSING);
        assertThat(failure.primary()).contains(file.location());
    }

    @Test
    void brokenFilesAreNamed() throws IOException {
        DataFile cut = file("SELECT i AS id FROM range(100000) AS t(i)");
        byte[] bytes = Files.readAllBytes(Path.of(cut.location()));
        Files.write(Path.of(cut.location()), Arrays.copyOf(bytes, bytes.length / 2));
        engine.registerFiles("t", scan(schema("id", ScalarType.LONG), List.of(file("SELECT 1 AS id"), cut)));
        TidemarkException failure = failure(() -> column(engine, "SELECT sum(id) FROM t"));
        assertThat(failure.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(failure.primary()).contains(cut.location());
        DataFile scratched = file("SELECT hash(i)::VARCHAR AS id FROM range(100000) AS t(i)");
        bytes = Files.readAllBytes(Path.of(scratched.location()));
        Arrays.fill(bytes, 100, 100_000, (byte) 0x55);
        Files.write(Path.of(scratched.location()), bytes);
        engine.registerFiles("u", scan(schema("id", ScalarType.STRING), List.of(scratched)));
        failure = failure(() -> column(engine, "SELECT sum(length(id)) FROM u"));
        assertThat(failure.code()).isEqualTo(ErrorCode.FILE_UNREADABLE);
        assertThat(failure.primary()).contains(scratched.location());
    }
}
