package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.log.CdcFile;
import io.tidemark.tests.pipeline.Lake;
import io.tidemark.tests.spark.SparkSessions;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The changes of tables that Spark wrote, by statements of all kinds, are those that Spark reads. */
class ForeignChangesTest {
    private static final String WHOLE = "CREATE TABLE t (id BIGINT, city STRING, part INT) USING delta";

    /** Statements after the table's first rows; each is a version, or none if Spark finds nothing to do. */
    private static final List<String> STATEMENTS = List.of(
            "INSERT INTO t SELECT id, concat('c', id), id % 3 FROM range(0, 60, 1, 2)",
            "UPDATE t SET city = 'Kyoto' WHERE id IN (3, 31)",
            "DELETE FROM t WHERE id IN (4, 5, 40)",
            "DELETE FROM t WHERE id IN (6, 41)",
            """
            MERGE INTO t USING (SELECT id, id % 2 AS odd FROM range(55, 65)) AS s ON t.id = s.id
            WHEN MATCHED AND s.odd = 1 THEN DELETE
            WHEN MATCHED THEN UPDATE SET city = 'Lima'
            WHEN NOT MATCHED THEN INSERT (id, city, part) VALUES (s.id, 'Oslo', 7)
            """,
            "OPTIMIZE t",
            "MERGE INTO t USING (SELECT 1L AS id) AS s ON t.id = s.id WHEN MATCHED AND t.city = 'no' THEN DELETE",
            "ALTER TABLE t ADD COLUMN extra INT",
            "INSERT INTO t VALUES (100, 'Bern', NULL, 5)",
            "UPDATE t SET extra = 9, part = 1 WHERE id = 100",
            "DELETE FROM t WHERE part = 2",
            "INSERT OVERWRITE t SELECT id + 200, 'Rome', 0, NULL FROM range(3)",
            "RESTORE TABLE t TO VERSION AS OF 8",
            "DELETE FROM t");

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'delta.enableDeletionVectors' = 'true', partitioned",
                "'delta.enableDeletionVectors' = 'true', 'delta.enableInCommitTimestamps' = 'true',"
                        + " 'delta.columnMapping.mode' = 'name'",
                "'delta.enableDeletionVectors' = 'false', 'delta.columnMapping.mode' = 'id', partitioned"
            })
    void bothReadTheSameChanges(String properties) {
        Path table = folder.resolve("warehouse/default/t");
        boolean partitioned = properties.endsWith(", partitioned");
        spark(
                table,
                WHOLE + (partitioned ? " PARTITIONED BY (part)" : "")
                        + " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', "
                        + properties.replace(", partitioned", "") + ")");
        try (Lake lake = new Lake(folder)) {
            for (String statement : STATEMENTS) {
                spark(table, statement);
            }
            long last = lake.version("t");
            assertThat(last).isGreaterThanOrEqualTo(12);
            // Spark reads with the latest schema, Tidemark with that of the range's end: here they are the same.
            List<List<Long>> ranges = List.of(List.of(0L, last), List.of(4L, last - 1));
            for (List<Long> range : ranges) {
                RowBag ours = Changes.ours(lake, "t", range.get(0), range.get(1));
                assertThat(ours.count()).as(range.toString()).isPositive();
                Changes.spark(lake.table("t"), table, range.get(0), range.get(1))
                        .assertSameAs(ours, "changes of versions " + range);
            }
            assertThat(LongStream.rangeClosed(0, last)
                            .filter(version ->
                                    lake.table("t").actions(version).stream().anyMatch(CdcFile.class::isInstance))
                            .count())
                    .isBetween(3L, 8L);
        }
    }

    private static void spark(Path table, String statement) {
        SparkSessions.get()
                .sql(statement
                        .replaceFirst(
                                "(TABLE|INTO|UPDATE|FROM|OPTIMIZE|OVERWRITE) t\\b", "$1 delta.`" + table + "` AS t")
                        .replaceFirst("(TABLE|INSERT INTO|OPTIMIZE|OVERWRITE)( delta.`[^`]*`) AS t", "$1$2"))
                .collectAsList();
    }
}
