package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.tests.pipeline.Lake;
import io.tidemark.tests.spark.SparkSessions;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spark changes targets of change flows between updates; the flows respect what it did. */
class ForeignDmlTest {
    private static final String HISTORY = """
            CREATE OR REFRESH STREAMING TABLE people;
            CREATE FLOW people AS AUTO CDC INTO people
            FROM STREAM read_files('events/*.csv', format => 'csv',
              schema => 'op STRING, id BIGINT, name STRING, city STRING, seq BIGINT')
            KEYS (id)
            APPLY AS DELETE WHEN op = 'D'
            SEQUENCE BY seq
            COLUMNS * EXCEPT (op, seq)
            STORED AS SCD TYPE 2;
            """;
    private static final String LATEST = HISTORY.replace("SCD TYPE 2", "SCD TYPE 1");
    private static final String HEADER = "op,id,name,city,seq";

    @TempDir
    Path folder;

    private Lake lake;
    private int files;

    @BeforeEach
    void open() {
        lake = new Lake(folder);
    }

    @AfterEach
    void close() {
        lake.close();
    }

    /** Delivers events and runs the pipeline. */
    private List<FlowResult> deliver(String pipeline, String... events) {
        files++;
        String[] lines = new String[events.length + 1];
        lines[0] = HEADER;
        System.arraycopy(events, 0, lines, 1, events.length);
        lake.file("events/" + files + ".csv", lines);
        return lake.run(pipeline);
    }

    /** Lets Spark execute a statement; {@code people} stands for the target. */
    private void spark(String statement) {
        String table = "delta.`" + folder.resolve("warehouse/default/people") + "`";
        SparkSessions.get().sql(statement.replaceAll("\\bpeople\\b", table)).collectAsList();
    }

    private String lastOperation() {
        return lake.table("people").history(1).get(0).operation().orElse("");
    }

    @Test
    void anUpdatedRowOfTypeOneCountsAtItsSequence() {
        deliver(LATEST, "I,1,Ada,London,5", "I,2,Bob,Oslo,5");
        spark("UPDATE people SET city = 'Kyoto' WHERE id = 1");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto", "2|Bob|Oslo");
        deliver(LATEST, "U,1,Ada,Rome,3", "U,2,Bob,Bern,4");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto", "2|Bob|Oslo");
        deliver(LATEST, "U,1,Ada,Paris,7");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Paris", "2|Bob|Oslo");
    }

    @Test
    void aDeletedRowOfTypeOneStaysDeletedUntilANewerEvent() {
        deliver(LATEST, "I,1,Ada,London,5", "I,2,Bob,Oslo,5", "I,3,Eve,Bern,5");
        spark("DELETE FROM people WHERE id < 3");
        deliver(LATEST, "U,1,Ada,Rome,3");
        assertThat(lake.rows("people")).containsExactly("3|Eve|Bern");
        deliver(LATEST, "U,2,Bob,Bern,7", "U,1,Ada,Rome,4");
        assertThat(lake.rows("people")).containsExactly("2|Bob|Bern", "3|Eve|Bern");
    }

    @Test
    void aMergeIntoTypeOneInsertsUpdatesAndDeletes() {
        deliver(LATEST, "I,1,Ada,London,5", "I,2,Bob,Oslo,5");
        spark("""
                MERGE INTO people AS t
                USING (SELECT * FROM VALUES (1L, 'Ada', 'Kyoto'), (2L, NULL, NULL), (9L, 'Mia', 'Lima')
                       AS v(id, name, city)) AS s
                ON t.id = s.id
                WHEN MATCHED AND s.name IS NULL THEN DELETE
                WHEN MATCHED THEN UPDATE SET city = s.city
                WHEN NOT MATCHED THEN INSERT (id, name, city) VALUES (s.id, s.name, s.city)
                """);
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto", "9|Mia|Lima");
        deliver(LATEST, "U,1,Ada,Rome,4", "U,2,Bob,Rome,4", "U,9,Mia,Rome,1");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto", "9|Mia|Rome");
        deliver(LATEST, "D,1,,,6", "I,2,Bob,Oslo,6");
        assertThat(lake.rows("people")).containsExactly("2|Bob|Oslo", "9|Mia|Rome");
    }

    @Test
    void anUpdatedVersionWinsOverItsRememberedEvents() {
        deliver(HISTORY, "I,1,Ada,London,1", "U,1,Ada,Rome,5", "U,1,Ada,Rome,6");
        spark("UPDATE people SET city = 'Kyoto' WHERE __START_AT = 5");
        deliver(HISTORY, "U,1,Ada,Paris,3");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto|5|null", "1|Ada|London|1|3", "1|Ada|Paris|3|5");
        deliver(HISTORY, "U,1,Ada,Bern,9");
        assertThat(lake.rows("people"))
                .containsExactly("1|Ada|Bern|9|null", "1|Ada|Kyoto|5|9", "1|Ada|London|1|3", "1|Ada|Paris|3|5");
    }

    @Test
    void theSpanOfADeletedVersionStaysEmptyUntilANewerEvent() {
        deliver(HISTORY, "I,1,Ada,London,1", "U,1,Ada,Rome,5", "I,2,Bob,Oslo,2");
        spark("DELETE FROM people WHERE __START_AT = 5");
        deliver(HISTORY, "U,1,Ada,Paris,3");
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|3", "1|Ada|Paris|3|5", "2|Bob|Oslo|2|null");
        deliver(HISTORY, "U,1,Ada,Bern,8");
        assertThat(lake.rows("people"))
                .containsExactly("1|Ada|Bern|8|null", "1|Ada|London|1|3", "1|Ada|Paris|3|5", "2|Bob|Oslo|2|null");
    }

    @Test
    void aMergedVersionIsClosedByTheFlow() {
        deliver(HISTORY, "I,1,Ada,London,1");
        spark("""
                MERGE INTO people AS t
                USING (SELECT * FROM VALUES (1L, 'Ada', 'Kyoto', 1L), (7L, 'Mia', 'Lima', 5L)
                       AS v(id, name, city, start)) AS s
                ON t.id = s.id AND t.__START_AT = s.start
                WHEN MATCHED THEN UPDATE SET city = s.city
                WHEN NOT MATCHED THEN INSERT (id, name, city, __START_AT, __END_AT)
                  VALUES (s.id, s.name, s.city, s.start, NULL)
                """);
        deliver(HISTORY, "U,7,Mia,Rome,8", "D,1,,,6");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto|1|6", "7|Mia|Lima|5|8", "7|Mia|Rome|8|null");
    }

    @Test
    void contradictingVersionsStopTheFlow() {
        deliver(HISTORY, "I,1,Ada,London,1");
        spark("INSERT INTO people SELECT 1L, 'Ada', 'Rome', 3L, CAST(NULL AS BIGINT)");
        assertThatThrownBy(() -> deliver(HISTORY, "U,1,Ada,Bern,8")).hasMessageContaining("TARGET_ROWS_INVALID");
    }

    @Test
    void optimizeAndVacuumDoNotDisturbTheFlow() {
        deliver(HISTORY, "I,1,Ada,London,1", "I,2,Bob,Oslo,1");
        deliver(HISTORY, "I,3,Eve,Bern,1");
        deliver(HISTORY, "U,1,Ada,Rome,5", "D,2,,,4");
        spark("OPTIMIZE people");
        assertThat(lastOperation()).isEqualTo("OPTIMIZE");
        deliver(HISTORY, "U,1,Ada,Paris,3");
        List<String> expected = List.of(
                "1|Ada|London|1|3", "1|Ada|Paris|3|5", "1|Ada|Rome|5|null", "2|Bob|Oslo|1|4", "3|Eve|Bern|1|null");
        assertThat(lake.rows("people")).containsExactlyElementsOf(expected);
        spark("VACUUM people RETAIN 0 HOURS");
        assertThat(lake.rows("people")).containsExactlyElementsOf(expected);
        deliver(HISTORY, "U,2,Bob,Oslo,2", "D,3,,,9");
        assertThat(lake.rows("people"))
                .containsExactly(
                        "1|Ada|London|1|3", "1|Ada|Paris|3|5", "1|Ada|Rome|5|null", "2|Bob|Oslo|1|4", "3|Eve|Bern|1|9");
    }

    /** The rows before the change are gone from disk, so the flow cannot tell what was changed. */
    @Test
    void vacuumedRowsBeforeAChangeStopTheFlow() {
        deliver(LATEST, "I,1,Ada,London,5", "I,2,Bob,Oslo,5");
        spark("UPDATE people SET city = 'Kyoto'");
        spark("VACUUM people RETAIN 0 HOURS");
        assertThatThrownBy(() -> deliver(LATEST, "U,1,Ada,Rome,3")).hasMessageContaining("FLOW_HISTORY_GONE");
        lake.run(LATEST, new RunOptions("test", false, Set.of(), false, true, false));
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto", "2|Bob|Kyoto");
    }

    @Test
    void aRestoreStopsTheFlowUntilItResumesThere() {
        deliver(HISTORY, "I,1,Ada,London,1", "I,2,Bob,Oslo,1");
        long restored = lake.version("people");
        deliver(HISTORY, "U,1,Ada,Rome,5", "D,2,,,4");
        List<String> before = lake.rows("people");
        spark("RESTORE TABLE people TO VERSION AS OF " + restored);
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|null", "2|Bob|Oslo|1|null");
        assertThatThrownBy(() -> lake.run(HISTORY))
                .hasMessageContaining("TARGET_REWOUND")
                .hasMessageContaining("RESTORE");
        RunOptions resume = new RunOptions("test", false, Set.of(), true, false, false);
        lake.run(HISTORY, resume);
        assertThat(lake.rows("people")).isEqualTo(before);
        deliver(HISTORY, "U,1,Ada,Paris,3");
        assertThat(lake.rows("people"))
                .containsExactly("1|Ada|London|1|3", "1|Ada|Paris|3|5", "1|Ada|Rome|5|null", "2|Bob|Oslo|1|4");
    }
}
