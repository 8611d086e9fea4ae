package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.delta.Snapshot;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tables that a pipeline filled over several runs, with values of all types, are read alike by a session of Tidemark, by
 * Delta Kernel and by Spark.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReadBackTest {
    private static final String EVENTS = """
            CREATE TABLE events (op STRING, id BIGINT, `größe 日本` STRING, `first name` STRING, amount DECIMAL(20, 4),
              big DECIMAL(38, 10), day DATE, moment TIMESTAMP, local TIMESTAMP_NTZ, bytes BINARY, flag BOOLEAN,
              tiny TINYINT, short SMALLINT, whole INT, ratio FLOAT, real DOUBLE,
              person STRUCT<`full name`: STRING, age: INT, home: STRUCT<city: STRING>>, tags ARRAY<STRING>,
              points ARRAY<STRUCT<x: INT, y: DOUBLE>>, marks MAP<STRING, INT>,
              places MAP<INT, STRUCT<city: STRING, since: DATE>>, seq BIGINT, part BIGINT)
            """;

    /** One round of events; {@code %1$s} is the operation, {@code %2$d} the sequence, {@code %3$s} the keys. */
    private static final String ROUND = """
            INSERT INTO events SELECT '%1$s', i,
              IF(i %% 7 = 0, NULL, concat('Zoë ''%2$d'' 日本 😀 ', i)),
              IF(i %% 11 = 0, '', concat('n', i)),
              CAST(concat(i, '.', %2$d, '005') AS DECIMAL(20, 4)),
              IF(i %% 3 = 0, NULL, CAST('-1234567890123456789012345678.0123456789' AS DECIMAL(38, 10))),
              IF(i %% 5 = 0, DATE '0001-01-01', date_add(DATE '1969-12-20', CAST(i AS INT))),
              IF(i %% 4 = 0, TIMESTAMP '1955-11-05 06:15:00.123456', TIMESTAMP '2038-01-19 03:14:08.000001'),
              IF(i %% 4 = 1, TIMESTAMP_NTZ '1582-10-04 23:59:59.999999', TIMESTAMP_NTZ '2026-03-29 02:30:00'),
              IF(i %% 6 = 0, NULL, IF(i %% 6 = 1, X'', X'00ff80')),
              IF(i %% 3 = 0, NULL, i %% 3 = 1),
              CAST(i %% 128 - 64 AS TINYINT), CAST(-i AS SMALLINT), CAST(i * 1000003 AS INT),
              IF(i %% 4 = 0, CAST('NaN' AS FLOAT), IF(i %% 4 = 1, CAST('-Infinity' AS FLOAT), CAST(0.1 AS FLOAT))),
              IF(i %% 5 = 0, CAST('NaN' AS DOUBLE), IF(i %% 5 = 1, NULL, CAST(i AS DOUBLE) / 3)),
              IF(i %% 6 = 0, NULL, named_struct('full name', IF(i %% 6 = 1, NULL, 'Ada'), 'age', CAST(%2$d AS INT),
                'home', IF(i %% 6 = 2, NULL, named_struct('city', 'Köln')))),
              IF(i %% 8 = 0, NULL, IF(i %% 8 = 1, CAST(array() AS ARRAY<STRING>), array('a', NULL, 'b,c'))),
              IF(i %% 9 = 0, NULL, array(named_struct('x', CAST(i AS INT), 'y', CAST('NaN' AS DOUBLE)), NULL)),
              IF(i %% 10 = 0, NULL, map('ä', CAST(i AS INT), 'b', NULL)),
              IF(i %% 9 = 0, NULL, map(1, named_struct('city', 'Oslo', 'since', DATE '2020-02-29'), 2, NULL)),
              %2$d, %2$d %% 2
            FROM (SELECT explode(sequence(%3$s)) AS i)
            """;

    private static final String FLOW = """
            CREATE OR REFRESH STREAMING TABLE %s TBLPROPERTIES ('delta.enableChangeDataFeed' = '%s');
            CREATE FLOW %s AS AUTO CDC INTO %s FROM STREAM(events) KEYS (id) APPLY AS DELETE WHEN op = 'D'
            SEQUENCE BY %s;
            """;
    private static final String COLUMNS = "seq COLUMNS * EXCEPT (op) STORED AS ";
    private static final List<String> TARGETS =
            List.of("one", "one_feed", "two", "two_feed", "two_struct", "both_times", "appended");
    private static final String PIPELINE = "CREATE OR REFRESH STREAMING TABLE appended AS SELECT * FROM STREAM(events);"
            + flow("one", false, COLUMNS + "SCD TYPE 1")
            + flow("one_feed", true, COLUMNS + "SCD TYPE 1")
            + flow("two", false, COLUMNS + "SCD TYPE 2")
            + flow("two_feed", true, COLUMNS + "SCD TYPE 2")
            + flow("two_struct", true, "struct(seq, part) COLUMNS * EXCEPT (op) STORED AS SCD TYPE 2")
            + flow(
                    "both_times",
                    false,
                    "seq SYSTEM SEQUENCE BY moment COLUMNS * EXCEPT (op, moment) STORED AS BITEMPORAL");

    /** Static, since it must be there before all tests. */
    @TempDir
    static Path folder;

    private Lake lake;

    private static String flow(String table, boolean feed, String rest) {
        return FLOW.formatted(table, feed, table, table, rest);
    }

    @BeforeAll
    void fill() {
        lake = new Lake(folder);
        lake.sql(EVENTS);
        round("I", 2, "1, 300");
        round("U", 4, "1, 40");
        round("D", 5, "30, 60");
        round("U", 6, "55, 70");
        round("U", 3, "35, 36");
        round("U", 1, "299, 301");
    }

    private void round(String operation, int sequence, String keys) {
        lake.sql(ROUND.formatted(operation, sequence, keys));
        lake.run(PIPELINE);
    }

    @AfterAll
    void close() {
        lake.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"one", "one_feed", "two", "two_feed", "two_struct", "both_times", "appended", "events"})
    void threeReadersAgree(String name) {
        Snapshot snapshot = lake.table(name).snapshot();
        RowBag ours = new RowBag();
        lake.query("SELECT * FROM " + name, rows -> {
            assertThat(rows.schema().names()).isEqualTo(snapshot.schema().names());
            rows.rows().forEach(row -> {
                ours.add(RowTexts.ofEngine(row, snapshot.schema()));
                return true;
            });
        });
        assertThat(ours.count()).isGreaterThan(250);
        Path table = folder.resolve("warehouse/default").resolve(name);
        Readers.kernel(table, snapshot.schema()).assertSameAs(ours, name + " read by Delta Kernel");
        Readers.spark(table, snapshot.schema()).assertSameAs(ours, name + " read by Spark");
    }

    @ParameterizedTest
    @ValueSource(strings = {"one_feed", "two_feed", "two_struct"})
    void sparkReadsTheSameChanges(String name) {
        long last = lake.version(name);
        RowBag ours = Changes.ours(lake, name, 0, last);
        assertThat(ours.count()).isGreaterThan(300);
        Path table = folder.resolve("warehouse/default").resolve(name);
        Changes.spark(lake.table(name), table, 0, last).assertSameAs(ours, "changes of " + name + " read by Spark");
    }

    @Test
    void rowsWereDeletedByVectors() {
        for (String name : TARGETS) {
            Snapshot snapshot = lake.table(name).snapshot();
            long deleted = snapshot.files().stream()
                    .mapToLong(file -> snapshot.deletedRows(file).cardinality())
                    .sum();
            if (name.equals("appended")) {
                assertThat(deleted).isZero();
            } else {
                assertThat(deleted).as(name).isPositive();
            }
        }
    }
}
