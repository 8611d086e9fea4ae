package io.tidemark.tests.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.engine.InputScan;
import io.tidemark.core.engine.InputScan.Format;
import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.ArrayType;
import io.tidemark.core.type.DataType;
import io.tidemark.core.type.DecimalType;
import io.tidemark.core.type.MapType;
import io.tidemark.core.type.ScalarType;
import io.tidemark.core.type.StructField;
import io.tidemark.core.type.StructType;
import io.tidemark.duckdb.DuckDbEngine;
import io.tidemark.duckdb.DuckDbSettings;
import io.tidemark.files.FileRows;
import io.tidemark.spark.engine.input.SparkInput;
import io.tidemark.spark.engine.value.SparkValues;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.functions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Source files give the same columns, rows and errors on Spark as with the embedded engine. */
class SparkInputTest {
    private static final TextLocation PLACE = new TextLocation("pipeline.sql", 3, 14);
    private static final StructType PEOPLE = StructType.of(
            StructField.of("id", ScalarType.LONG),
            StructField.of("name", ScalarType.STRING),
            StructField.of("price", new DecimalType(9, 2)),
            StructField.of("day", ScalarType.DATE),
            StructField.of("seen", ScalarType.TIMESTAMP),
            StructField.of("local", ScalarType.TIMESTAMP_NTZ),
            StructField.of("ratio", ScalarType.DOUBLE),
            StructField.of("small", ScalarType.SHORT),
            StructField.of("flag", ScalarType.BOOLEAN),
            StructField.of("raw", ScalarType.BINARY));

    @TempDir
    Path folder;

    private SparkSession spark;
    private DuckDbEngine embedded;

    @BeforeEach
    void open() {
        spark = (SparkSession) SparkSessions.get();
        embedded = DuckDbEngine.open(DuckDbSettings.defaults(folder.resolve("engine")));
    }

    @AfterEach
    void close() {
        embedded.close();
    }

    private String file(String name, String... lines) throws IOException {
        Path path = folder.resolve(name);
        try (OutputStream plain = Files.newOutputStream(path);
                OutputStream stream = name.endsWith(".gz") ? new GZIPOutputStream(plain) : plain) {
            stream.write(String.join("\n", lines).getBytes(StandardCharsets.UTF_8));
        }
        return path.toString();
    }

    private InputScan scan(Format format, @Nullable StructType schema, Map<String, String> options, String... files) {
        return new InputScan(format, Optional.ofNullable(schema), options, List.of(files), folder.toString(), PLACE);
    }

    private static List<List<@Nullable Object>> onSpark(org.apache.spark.sql.Dataset<org.apache.spark.sql.Row> rows) {
        return rows.collectAsList().stream()
                .map(row -> comparable(SparkValues.values(row)))
                .toList();
    }

    private static List<@Nullable Object> comparable(List<? extends @Nullable Object> values) {
        List<@Nullable Object> row = new ArrayList<>();
        values.forEach(value -> row.add(value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value));
        return row;
    }

    /** Reads the files with both engines; returns the rows, which must be the same, without the facts of their files. */
    private List<List<@Nullable Object>> both(InputScan scan) {
        StructType expectedSchema = embedded.registerInput("input", scan);
        List<List<@Nullable Object>> expected = new ArrayList<>();
        embedded.stream("SELECT * FROM input", row -> expected.add(comparable(row)));
        embedded.drop("input");

        SparkInput input = SparkInput.of(spark, scan);
        assertThat(input.schema()).isEqualTo(expectedSchema);
        assertThat(SparkInput.describe(spark, scan)).isEqualTo(expectedSchema);
        List<List<@Nullable Object>> rows = onSpark(input.rows());
        assertThat(rows).isEqualTo(expected);
        return rows.stream().map(row -> row.subList(0, row.size() - 1)).toList();
    }

    @Test
    void csvOverSeveralLines() throws IOException {
        String first = file(
                "a.csv",
                "id,name,price,day,seen,local,ratio,small,flag,raw",
                "1,\"Ada, \"\"the",
                "first\"\"\",1.005,2026-01-02,2026-01-02 03:04:05.123456,2026-01-02 03:04:05,0.5,7,true,abc",
                "2,,,,,,,,,",
                "",
                "3,Zoë,-12,1582-10-04,0001-01-01 00:00:00Z,9999-12-31 23:59:59.999999,-Infinity,-1,false,ü");
        String second = file("b.csv", "name,id,unknown", "Grace,4,x");
        List<List<@Nullable Object>> rows = both(scan(Format.CSV, PEOPLE, Map.of("multiline", "true"), first, second));
        assertThat(rows).extracting(row -> row.get(0)).containsExactly(1L, 2L, 3L, 4L);
        assertThat(rows).extracting(row -> row.get(1)).containsExactly("Ada, \"the\nfirst\"", null, "Zoë", "Grace");
    }

    @Test
    void csvWithoutSchema() throws IOException {
        String first = file("a.csv", "id;when", "1;2026-01-02");
        String second = file("b.csv", "id;when;more", "2;2026-01-03;x");
        assertThat(both(scan(Format.CSV, null, Map.of("sep", ";"), first, second)))
                .extracting(row -> row.get(2))
                .containsExactly(null, "x");
    }

    @Test
    void nestedJson() throws IOException {
        DataType inner = StructType.of(
                StructField.of("a", ScalarType.INTEGER), StructField.of("b", new ArrayType(ScalarType.STRING, true)));
        StructType schema = StructType.of(
                StructField.of("id", ScalarType.LONG),
                StructField.of("one", inner),
                StructField.of("many", new ArrayType(inner, true)),
                StructField.of("days", new MapType(ScalarType.STRING, ScalarType.DATE, true)));
        String lines = file(
                "a.json",
                "{\"id\": 1, \"one\": {\"a\": 5, \"b\": [\"x\", null]}, \"many\": [{\"a\": 1}, null, {\"b\": []}]}",
                "{\"id\": 2, \"one\": null, \"days\": {\"k\": \"2026-01-02\", \"l\": null}}");
        String array = file("b.json", "[{\"id\": 3},", " {\"ID\": 4, \"one\": {}}]");
        assertThat(both(scan(Format.JSON, schema, Map.of(), lines, array)))
                .extracting(row -> row.get(0))
                .containsExactly(1L, 2L, 3L, 4L);
        assertThat(both(scan(Format.JSON, null, Map.of(), lines))).hasSize(2);
    }

    @Test
    void packedEventsOfDebezium() throws IOException {
        StructType schema =
                StructType.of(StructField.of("id", ScalarType.INTEGER), StructField.of("name", ScalarType.STRING));
        String packed = file(
                "a.json.gz",
                "{\"op\": \"c\", \"ts_ms\": 5, \"after\": {\"id\": 1, \"name\": \"Ada\"}, \"source\": {\"lsn\": 9,"
                        + " \"table\": \"people\", \"schema\": \"public\"}}",
                "{\"key\": {\"id\": 1}, \"value\": null}",
                "{\"key\": {\"id\": 1}, \"value\": {\"op\": \"d\", \"before\": {\"id\": 1}}}");
        String plain = file("b.json", "{\"payload\": {\"op\": \"u\", \"after\": {\"id\": 2}}}", "{\"op\": \"t\"}");
        List<List<@Nullable Object>> rows = both(scan(Format.DEBEZIUM, schema, Map.of(), packed, plain));
        assertThat(rows).extracting(row -> row.get(2)).containsExactly("c", "d", "u", "t");
        assertThat(rows)
                .extracting(row -> row.get(6))
                .containsExactly(
                        "a.json.gz#000000000001",
                        "a.json.gz#000000000003",
                        "b.json#000000000001",
                        "b.json#000000000002");
    }

    /** Writes rows of Spark SQL to one Parquet file. */
    private String parquet(String name, String query) throws IOException {
        Path written = folder.resolve(name + ".written");
        SparkSession writer = spark.newSession();
        // The other form that Spark writes does not tell whether times have a zone.
        writer.conf().set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS");
        writer.sql(query).coalesce(1).write().parquet(written.toString());
        Path target = folder.resolve(name);
        try (Stream<Path> files = Files.list(written)) {
            Path data = files.filter(file -> file.toString().endsWith(".parquet"))
                    .findFirst()
                    .orElseThrow();
            Files.move(data, target);
        }
        return target.toString();
    }

    @Test
    void parquetFilesOfDifferentColumns() throws IOException {
        String first = parquet(
                "a.parquet",
                "SELECT CAST(id AS INT) AS id, named_struct('x', id, 'y', 'o') AS s, array(id) AS l,"
                        + " TIMESTAMP '2026-01-02 03:04:05' AS t FROM range(0, 3)");
        String second = parquet("b.parquet", "SELECT id, 'b' AS name, DATE '2026-01-02' AS day FROM range(3, 5)");
        String third = parquet("c.parquet", "SELECT id, 'c' AS name, DATE '2026-01-03' AS day FROM range(5, 7)");
        List<List<@Nullable Object>> rows = both(scan(Format.PARQUET, null, Map.of(), first, second, third));
        assertThat(rows).extracting(row -> row.get(0)).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L);
        assertThat(rows).extracting(row -> row.get(4)).containsExactly(null, null, null, "b", "b", "c", "c");
    }

    @Test
    void parquetWithADeclaredSchema() throws IOException {
        StructType schema = StructType.of(
                StructField.of("NAME", ScalarType.STRING),
                StructField.of("id", new DecimalType(12, 1)),
                StructField.of("missing", ScalarType.DATE));
        String first = parquet("a.parquet", "SELECT CAST(id AS INT) AS id, 7 AS name FROM range(0, 2)");
        String second = parquet("b.parquet", "SELECT 'x' AS name, '2.5' AS id");
        assertThat(both(scan(Format.PARQUET, schema, Map.of(), first, second)))
                .extracting(row -> row.get(0))
                .containsExactly("7", "7", "x");
        assertThat(both(scan(Format.PARQUET, schema, Map.of()))).isEmpty();
    }

    @Test
    void fieldsOfStructsAreFoundByName() throws IOException {
        StructType schema = StructType.of(StructField.of(
                "s",
                StructType.of(
                        StructField.of("b", ScalarType.LONG),
                        StructField.of("none", ScalarType.STRING),
                        StructField.of("a", ScalarType.STRING))));
        String file = parquet("a.parquet", "SELECT named_struct('a', 'x', 'b', 1) AS s UNION ALL SELECT NULL");
        List<List<@Nullable Object>> rows = onSpark(SparkInput.of(spark, scan(Format.PARQUET, schema, Map.of(), file))
                .rows());
        Map<String, @Nullable Object> expected = new LinkedHashMap<>();
        expected.put("b", 1L);
        expected.put("none", null);
        expected.put("a", "x");
        assertThat(rows).extracting(row -> row.get(0)).containsExactlyInAnyOrder(expected, null);
    }

    /** Numbers that grow along partitions follow the order of files and lines: what a target's order hangs on. */
    @Test
    void partitionsFollowTheFiles() throws IOException {
        List<String> files = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            // Names and sizes fall, so that nothing but the scan says the order.
            String[] lines = new String[1 + 40 * (3 - i)];
            lines[0] = "id";
            for (int line = 1; line < lines.length; line++) {
                lines[line] = String.valueOf(1000 * i + line);
            }
            files.add(file("part" + (9 - i) + ".csv", lines));
        }
        StructType schema = StructType.of(StructField.of("id", ScalarType.LONG));
        InputScan scan = scan(Format.CSV, schema, Map.of(), files.toArray(new String[0]));
        var rows = SparkInput.of(spark, scan).rows();
        assertThat(rows.rdd().getNumPartitions()).isEqualTo(2);
        List<Long> ids = rows
                .withColumn("place", functions.monotonically_increasing_id())
                .orderBy("place")
                .select("id")
                .collectAsList()
                .stream()
                .map(row -> row.getLong(0))
                .toList();
        assertThat(ids).hasSize(240).isSorted();
    }

    @Test
    void onlyWhatIsAskedForIsMade() throws IOException {
        String first = file("a.csv", "id,name", "1,x", "2,y");
        String second = file("b.csv", "id,name", "3,z");
        StructType schema =
                StructType.of(StructField.of("id", ScalarType.LONG), StructField.of("name", ScalarType.STRING));
        var rows = SparkInput.of(spark, scan(Format.CSV, schema, Map.of(), first, second))
                .rows();
        assertThat(rows.count()).isEqualTo(3);
        assertThat(onSpark(rows.selectExpr("_metadata.file_name", "id")))
                .containsExactly(List.of("a.csv", 1L), List.of("a.csv", 2L), List.of("b.csv", 3L));
        assertThat(onSpark(
                        SparkInput.of(spark, scan(Format.CSV, schema, Map.of())).rows()))
                .isEmpty();
    }

    private static TidemarkException cause(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TidemarkException found) {
                return found;
            }
        }
        throw new AssertionError("an error of Spark's own", failure);
    }

    @Test
    void errorsOfTasksArriveWhole() throws IOException {
        StructType schema =
                StructType.of(StructField.of("id", ScalarType.LONG), StructField.of("name", ScalarType.STRING));
        String good = file("a.csv", "id,name", "1,x");
        String wrongValue = file("b.csv", "id,name", "2,x", "three,y");
        String malformed = file("c.csv", "id,name", "4,\"x");
        String noJson = file("d.json", "{\"id\": 1}", "{\"id\": ");
        for (InputScan scan : List.of(
                scan(Format.CSV, schema, Map.of(), good, wrongValue),
                scan(Format.CSV, schema, Map.of(), good, malformed),
                scan(Format.JSON, schema, Map.of(), noJson))) {
            TidemarkException expected =
                    catchThrowableOfType(TidemarkException.class, () -> embedded.registerInput("input", scan));
            Throwable failure =
                    catchThrowable(() -> SparkInput.of(spark, scan).rows().collectAsList());
            assertThat(cause(failure).render()).isEqualTo(expected.render());
            assertThat(cause(failure).location()).contains(PLACE);
        }
        Throwable failure =
                catchThrowable(() -> SparkInput.of(spark, scan(Format.CSV, schema, Map.of(), good, wrongValue))
                        .rows()
                        .collectAsList());
        assertThat(cause(failure).primary()).isEqualTo(wrongValue + ":3: column id holds 'three', which is no BIGINT");
    }

    @Test
    void errorsBeforeAnyTask() throws IOException {
        String text = file("a.csv", "id", "1");
        assertRefused(scan(Format.CSV, null, Map.of("nonsense", "1"), text), ErrorCode.INVALID_SETTING);
        assertRefused(scan(Format.PARQUET, null, Map.of("header", "true"), text), ErrorCode.INVALID_SETTING);
        assertRefused(scan(Format.CSV, null, Map.of(), folder.resolve("no.csv").toString()), ErrorCode.FILE_NOT_FOUND);
        assertRefused(scan(Format.PARQUET, null, Map.of(), text), ErrorCode.FILE_UNREADABLE);
        assertRefused(
                scan(Format.CSV, StructType.of(StructField.of(FileRows.METADATA, ScalarType.STRING)), Map.of(), text),
                ErrorCode.RESERVED_COLUMN);
    }

    private void assertRefused(InputScan scan, ErrorCode code) {
        for (TidemarkException refused : List.of(
                catchThrowableOfType(TidemarkException.class, () -> SparkInput.of(spark, scan)),
                catchThrowableOfType(TidemarkException.class, () -> embedded.registerInput("input", scan)))) {
            assertThat(refused.code()).isEqualTo(code);
            assertThat(refused.location()).contains(PLACE);
        }
    }
}
