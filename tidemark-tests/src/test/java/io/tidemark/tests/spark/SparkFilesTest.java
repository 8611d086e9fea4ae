package io.tidemark.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.engine.Engine;
import io.tidemark.core.engine.FileScan;
import io.tidemark.core.engine.FileScan.ColumnMapping;
import io.tidemark.core.engine.FileScan.DataFile;
import io.tidemark.core.engine.RowPositions;
import io.tidemark.core.engine.WriteSpec;
import io.tidemark.core.engine.WrittenFile;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.spark.engine.SparkEngine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both engines read the same rows of the same files, and say the same of the files that they write. */
class SparkFilesTest {
    private static final StructType COLUMNS = StructType.of(
            StructField.of("id", ScalarType.LONG),
            StructField.of("name", ScalarType.STRING),
            StructField.of("amount", new DecimalType(20, 4)),
            StructField.of("at", ScalarType.TIMESTAMP),
            StructField.of("ratio", ScalarType.DOUBLE),
            StructField.of(
                    "place",
                    StructType.of(StructField.of("town", ScalarType.STRING), StructField.of("day", ScalarType.DATE))),
            StructField.of("tags", new ArrayType(ScalarType.STRING, true)),
            StructField.of("codes", new MapType(ScalarType.STRING, ScalarType.INTEGER, true)));
    private static final int ROWS = 5_000;
    private static final int ROW_GROUP_ROWS = 500;

    @TempDir
    Path folder;

    private DuckDbEngine duckDb;
    private SparkEngine spark;

    @BeforeEach
    void open() {
        duckDb = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("temp")));
        SparkSession session = SparkSessions.get().newSession();
        // Files of some hundred thousand bytes are cut into several parts.
        session.conf().set("spark.sql.files.maxPartitionBytes", "20000");
        session.conf().set("spark.sql.files.openCostInBytes", "1000");
        spark = SparkEngine.open(session);
    }

    @AfterEach
    void close() {
        duckDb.close();
        spark.close();
    }

    private static String rows(Engine engine, int from) {
        boolean isSpark = engine.name().equals("spark");
        String numbers = isSpark
                ? "(SELECT id AS i FROM range(" + from + ", " + (from + ROWS) + "))"
                : "(SELECT range AS i FROM range(" + from + ", " + (from + ROWS) + "))";
        String struct = engine.dialect()
                .struct(List.of("town", "day"), List.of("concat('t', CAST(i % 7 AS STRING))", "DATE '2026-01-01'"));
        String map = isSpark ? "map('k', CAST(i % 5 AS INT))" : "MAP {'k': CAST(i % 5 AS INT)}";
        String list = isSpark ? "array('a', NULL)" : "['a', NULL]";
        return "SELECT CAST(i AS BIGINT) AS id, CASE WHEN i % 10 <> 0 THEN concat('name ', CAST(i AS STRING)) END AS name,"
                + " CAST(i AS DECIMAL(20, 4)) / 4 AS amount, CAST('2026-02-03 04:05:06.789123' AS "
                + engine.dialect().type(ScalarType.TIMESTAMP)
                + ") AS at, CAST(i AS DOUBLE) / 8 AS ratio, CASE WHEN i % 3"
                + " <> 0 THEN " + struct + " END AS place, " + list + " AS tags, " + map + " AS codes FROM " + numbers
                + " AS n";
    }

    private List<WrittenFile> write(Engine engine, int from, List<String> sortBy) {
        return engine.write(
                rows(engine, from),
                new WriteSpec(folder.toString(), "part", COLUMNS, sortBy, WriteSpec.FILE_BYTES_TARGET_DEFAULT, 32)
                        .withRowGroupRows(ROW_GROUP_ROWS));
    }

    private static RowPositions positions(long... values) {
        return new RowPositions() {
            @Override
            public long cardinality() {
                return values.length;
            }

            @Override
            public void forEach(LongConsumer consumer) {
                LongStream.of(values).forEach(consumer);
            }
        };
    }

    private DataFile file(WrittenFile file, RowPositions deleted, Optional<RowPositions> kept) {
        return new DataFile(folder.resolve(file.name()).toString(), file.sizeBytes(), Map.of(), deleted, kept);
    }

    private static FileScan scan(List<DataFile> files) {
        return new FileScan(COLUMNS, ColumnMapping.NONE, List.of(), files, Optional.of("__file"), Optional.of("__row"));
    }

    private static List<String> read(Engine engine, FileScan scan, String query) {
        engine.registerFiles("files", scan);
        List<String> rows = new ArrayList<>();
        engine.stream(query, row -> {
            rows.add(row.toString());
            return true;
        });
        engine.drop("files");
        return rows;
    }

    private void bothRead(FileScan scan, String query) {
        List<String> expected = read(duckDb, scan, query);
        assertThat(read(spark, scan, query)).isEqualTo(expected).isNotEmpty();
    }

    @Test
    void deletedRowsAreLeftOutAndPositionsTold() {
        WrittenFile first = write(duckDb, 0, List.of("id")).get(0);
        WrittenFile second = write(spark, ROWS, List.of("id")).get(0);
        FileScan scan = scan(List.of(
                file(
                        first,
                        positions(LongStream.range(0, ROWS)
                                .filter(i -> i % 3 == 0)
                                .toArray()),
                        Optional.empty()),
                file(second, positions(0, 4_999), Optional.empty())));
        bothRead(scan, "SELECT * FROM files ORDER BY __file, __row");
        bothRead(scan, "SELECT __row, name FROM files WHERE id > 4990 AND id < 5010 ORDER BY id");
        bothRead(scan, "SELECT count(*) AS n FROM files");
    }

    @Test
    void onlyWantedPositionsAreRead() {
        WrittenFile first = write(spark, 0, List.of("id")).get(0);
        WrittenFile second = write(duckDb, ROWS, List.of("id")).get(0);
        FileScan scan = scan(List.of(
                file(first, positions(1_200), Optional.of(positions(3, 499, 500, 1_200, 4_999))),
                file(second, RowPositions.NONE, Optional.of(positions(2_750)))));
        bothRead(scan, "SELECT * FROM files ORDER BY __file, __row");
    }

    @Test
    void rowsComeInTheOrderOfFilesAndPositions() {
        // The larger file comes second: Spark's own file source would read it first.
        WrittenFile small = spark.write(
                        "SELECT * FROM (" + rows(spark, 0) + ") AS r WHERE id < 40",
                        new WriteSpec(folder.toString(), "part", COLUMNS, List.of("id"), 1_000_000, 32))
                .get(0);
        WrittenFile large = write(spark, 100, List.of("id")).get(0);
        spark.registerFiles(
                "files",
                scan(List.of(
                        file(small, RowPositions.NONE, Optional.empty()),
                        file(large, RowPositions.NONE, Optional.empty()))));
        spark.materialize("numbered", "SELECT id FROM files", Optional.of("place"));
        List<Object> ids = new ArrayList<>();
        spark.stream("SELECT id FROM numbered ORDER BY place", row -> ids.add(row.get(0)));
        assertThat(ids)
                .isEqualTo(LongStream.concat(LongStream.range(0, 40), LongStream.range(100, 100 + ROWS))
                        .boxed()
                        .toList());
    }

    @Test
    void statisticsAreThoseOfTheEmbeddedEngine() {
        WrittenFile embedded = write(duckDb, 0, List.of("id")).get(0);
        WrittenFile distributed = write(spark, 0, List.of("id")).get(0);
        assertThat(distributed.rowCount()).isEqualTo(embedded.rowCount());
        Map<List<String>, String> expected = statistics(embedded);
        assertThat(statistics(distributed))
                .containsKeys(List.of("id"), List.of("name"), List.of("amount"), List.of("at"), List.of("place", "day"))
                .allSatisfy((path, text) -> assertThat(text).isEqualTo(expected.get(path)));
    }

    private static Map<List<String>, String> statistics(WrittenFile file) {
        Map<List<String>, String> texts = new java.util.HashMap<>();
        // Parquet's reader widens a bound of zero, as not all writers tell the two zeros apart.
        file.statistics()
                .forEach(column -> texts.put(
                        column.path(),
                        "min " + String.valueOf(column.bounds().get("min")).replaceFirst("^-0.0$", "0.0") + ", max "
                                + column.bounds().get("max") + ", " + column.nullCount() + " NULLs"));
        return texts;
    }

    @Test
    void largeResultsAreCutIntoSortedFiles() {
        List<WrittenFile> files = spark.write(
                rows(spark, 0), new WriteSpec(folder.toString(), "part", COLUMNS, List.of("id"), 40_000, 32));
        assertThat(files).hasSizeGreaterThan(2);
        List<Long> bounds = new ArrayList<>();
        for (WrittenFile file : files) {
            Map<String, Object> id = file.statistics().get(0).bounds();
            bounds.add((Long) id.get("min"));
            bounds.add((Long) id.get("max"));
        }
        assertThat(bounds).isSorted();
        assertThat(files.stream().mapToLong(WrittenFile::rowCount).sum()).isEqualTo(ROWS);
    }
}
