package io.tidemark.tests.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.type.StructType;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.tests.pipeline.Lake;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code table_changes} in statements: rows, bounds and refusals. */
class ChangeFeedTest {
    private static final String FEED = "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')";
    private static final String PIPELINE = "CREATE OR REFRESH STREAMING TABLE people " + FEED + """
            ;
            CREATE FLOW people AS AUTO CDC INTO people FROM STREAM(events)
            KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op) STORED AS SCD TYPE 1;
            """;
    private static final String CHANGES = "SELECT _commit_version AS v, _change_type AS c, id, city FROM ";

    @TempDir
    Path folder;

    private Lake lake;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
    }

    @AfterEach
    void close() {
        lake.close();
    }

    /** Version 1 of people inserts 1 and 2, version 2 updates 1 and adds 3, version 3 deletes 2. */
    private void people() {
        lake.sql("CREATE TABLE events (op STRING, id INT, city STRING, seq INT)");
        for (String rows : List.of(
                "('I', 1, 'Rome', 1), ('I', 2, 'Oslo', 1)",
                "('U', 1, 'Bern', 2), ('I', 3, 'Kyiv', 2)",
                "('D', 2, NULL, 3)")) {
            lake.sql("INSERT INTO events VALUES " + rows);
            lake.run(PIPELINE);
        }
    }

    private List<String> changes(String relation) {
        return lake.sql(CHANGES + relation + " ORDER BY v, id, c DESC");
    }

    private AbstractThrowableAssert<?, ? extends Throwable> refused(String sql, ErrorCode code) {
        return assertThatThrownBy(() -> lake.sql(sql)).isInstanceOfSatisfying(TidemarkException.class, fault -> {
            assertThat(fault.code()).as(fault.render()).isEqualTo(code);
            assertThat(fault.hint()).isPresent();
            assertThat(fault.location()).isPresent();
        });
    }

    @Test
    void aRangeOfVersionsGivesItsChanges() {
        people();
        assertThat(changes("table_changes('people', 0)"))
                .containsExactly(
                        "1|insert|1|Rome",
                        "1|insert|2|Oslo",
                        "2|update_preimage|1|Rome",
                        "2|update_postimage|1|Bern",
                        "2|insert|3|Kyiv",
                        "3|delete|2|Oslo");
        assertThat(changes("table_changes('default.people', 2, 2)")).hasSize(3);
        assertThat(changes("table_changes('people', 0, 0)")).isEmpty();
        assertThat(lake.sql("SELECT * FROM table_changes('people', 3)"))
                .singleElement()
                .asString()
                .startsWith("2|Oslo|1|delete|3|");
        lake.sql("CREATE VIEW moved AS SELECT id, count(*) AS n FROM table_changes('people', 1) GROUP BY id");
        assertThat(lake.rows("moved")).containsExactly("1|3", "2|2", "3|1");
    }

    @Test
    void timesMeanTheVersionsBetweenThem() {
        people();
        List<Instant> times = lake.table("people").history().stream()
                .map(commit -> commit.timestamp())
                .sorted()
                .toList();
        assertThat(changes("table_changes('people', '" + times.get(2) + "')")).hasSize(4);
        assertThat(changes("table_changes('people', '" + times.get(1).plusNanos(1000) + "', '"
                        + times.get(3).minusNanos(1000) + "')"))
                .hasSize(3);
        assertThat(changes("table_changes('people', 1, '2100-01-01')")).hasSize(6);
        assertThat(
                        lake.sql(
                                "SELECT count(DISTINCT _commit_timestamp), min(_commit_timestamp) FROM table_changes('people', 1)"))
                .containsExactly("3|" + times.get(1));
        refused("SELECT * FROM table_changes('people', '2100-01-01')", ErrorCode.TIMESTAMP_OUT_OF_RANGE);
        refused("SELECT * FROM table_changes('people', 0, '2001-01-01')", ErrorCode.TIMESTAMP_OUT_OF_RANGE);
    }

    @Test
    void rangesThatAreNoneAreRefused() {
        people();
        refused("SELECT * FROM table_changes('people', 2, 1)", ErrorCode.CHANGE_RANGE_INVALID);
        refused("SELECT * FROM table_changes('people', 9)", ErrorCode.CHANGE_RANGE_INVALID)
                .hasMessageContaining("version 9");
        refused("SELECT * FROM table_changes('people', 1, 9)", ErrorCode.CHANGE_RANGE_INVALID);
        refused("SELECT * FROM table_changes('nobody', 1)", ErrorCode.UNKNOWN_TABLE);
        lake.sql("CREATE VIEW v AS SELECT 1 AS one");
        refused("SELECT * FROM table_changes('v', 1)", ErrorCode.UNSUPPORTED_FEATURE);
    }

    @Test
    void aVersionWithoutFeedIsNamed() {
        lake.sql("CREATE TABLE t (id INT, city STRING)");
        lake.sql("INSERT INTO t VALUES (1, 'Rome')");
        refused("SELECT * FROM table_changes('t', 1)", ErrorCode.CHANGE_FEED_OFF)
                .hasMessageContaining("version 1");
        lake.sql("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')");
        lake.sql("INSERT INTO t VALUES (2, 'Oslo')");
        assertThat(changes("table_changes('t', 2)")).containsExactly("3|insert|2|Oslo");
        assertThatThrownBy(() -> lake.sql("SELECT * FROM table_changes('t', 0)"))
                .isInstanceOfSatisfying(
                        TidemarkException.class,
                        fault -> assertThat(fault.hint())
                                .hasValueSatisfying(hint -> assertThat(hint).contains("from version 2")));
        lake.sql("ALTER TABLE t UNSET TBLPROPERTIES ('delta.enableChangeDataFeed')");
        refused("SELECT * FROM table_changes('t', 2)", ErrorCode.CHANGE_FEED_OFF)
                .hasMessageContaining("version 4");
    }

    @Test
    void filesAndLogEntriesThatAreGoneAreNamed() throws IOException {
        people();
        CdcFile file = lake.table("people").actions(2).stream()
                .filter(CdcFile.class::isInstance)
                .map(CdcFile.class::cast)
                .findFirst()
                .orElseThrow();
        Path table = folder.resolve("warehouse/default/people");
        Files.delete(table.resolve(file.path()));
        refused("SELECT * FROM table_changes('people', 1)", ErrorCode.CHANGE_FILE_GONE)
                .hasMessageContaining("version 2");
        assertThat(changes("table_changes('people', 3)")).containsExactly("3|delete|2|Oslo");
        lake.sql("CREATE TABLE many (id INT) " + FEED);
        for (int i = 0; i < 12; i++) {
            lake.sql("INSERT INTO many VALUES (" + i + ")");
        }
        for (int version = 0; version < 10; version++) {
            Files.delete(folder.resolve("warehouse/default/many/_delta_log/%020d.json".formatted(version)));
        }
        refused("SELECT * FROM table_changes('many', 4)", ErrorCode.CHANGE_LOG_GONE)
                .hasMessageContaining("version 4");
        assertThat(lake.sql("SELECT id FROM table_changes('many', 11)")).containsExactlyInAnyOrder("10", "11");
    }

    @Test
    void columnsMayBeAddedWithinARangeButNotDropped() {
        lake.sql("CREATE TABLE t (id INT, city STRING) " + FEED);
        lake.sql("INSERT INTO t VALUES (1, 'Rome')");
        Snapshot old = lake.table("t").snapshot();
        StructType more = old.schema();
        lake.sql("CREATE TABLE wide (id INT, city STRING, zip STRING)");
        old.begin("ADD COLUMNS")
                .setSchema(lake.table("wide").snapshot().schema())
                .commit();
        lake.sql("INSERT INTO t VALUES (2, 'Oslo', '0150')");
        assertThat(lake.sql("SELECT id, zip FROM table_changes('t', 0)")).containsExactlyInAnyOrder("1|null", "2|0150");
        lake.table("t").snapshot().begin("REPLACE COLUMNS").setSchema(more).commit();
        refused("SELECT * FROM table_changes('t', 0)", ErrorCode.CHANGE_SCHEMA_CHANGED)
                .hasMessageContaining("version 2");
        assertThat(lake.sql("SELECT * FROM table_changes('t', 0, 3)")).hasSize(2);
    }

    @Test
    void namesOfTheFeedAreReservedWhereItIsOn() {
        refused("CREATE TABLE t (_change_type STRING) " + FEED, ErrorCode.RESERVED_COLUMN);
        lake.sql("CREATE TABLE t (id INT, _Commit_Version BIGINT)");
        refused("ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')", ErrorCode.RESERVED_COLUMN)
                .hasMessageContaining("_Commit_Version");
    }
}
