package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.CdcFile;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of change flows' targets that are changed by hand; the flows carry on. */
class FlowTargetTest {
    private static final String HISTORY = """
            CREATE OR REFRESH STREAMING TABLE people TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');
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
    private static final String BELIEFS = HISTORY.replace("SEQUENCE BY seq", "SEQUENCE BY seq SYSTEM SEQUENCE BY seq")
            .replace("SCD TYPE 2", "BITEMPORAL");

    @TempDir
    Path folder = Path.of("");

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

    private void deliver(String pipeline, String... events) {
        files++;
        String[] lines = new String[events.length + 1];
        lines[0] = "op,id,name,city,seq";
        System.arraycopy(events, 0, lines, 1, events.length);
        lake.file("events/" + files + ".csv", lines);
        lake.run(pipeline);
    }

    private void refused(String statement, String... texts) {
        assertThatThrownBy(() -> lake.sql(statement))
                .satisfies(fault ->
                        assertThat(((TidemarkException) fault).render()).contains(texts));
    }

    @Test
    void latestVersions() {
        deliver(LATEST, "I,1,Ada,London,5", "I,2,Bob,Oslo,5", "I,3,Eve,Bern,5");
        lake.sql("UPDATE people SET city = 'Kyoto' WHERE id = 1; DELETE FROM people WHERE id = 3");
        deliver(LATEST, "U,1,Ada,Rome,3", "U,3,Eve,Rome,4");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Kyoto", "2|Bob|Oslo");
        lake.sql("""
                MERGE INTO people t USING (SELECT * FROM VALUES (1, 'Ada', 'Lima'), (2, NULL, NULL), (9, 'Mia', 'Lima')
                  AS v(id, name, city)) s ON t.id = s.id
                WHEN MATCHED AND s.name IS NULL THEN DELETE
                WHEN MATCHED THEN UPDATE SET city = s.city
                WHEN NOT MATCHED THEN INSERT *
                """);
        deliver(LATEST, "U,1,Ada,Paris,7", "U,2,Bob,Bern,4", "U,9,Mia,Rome,1");
        assertThat(lake.rows("people")).containsExactly("1|Ada|Paris", "9|Mia|Rome");
        refused("UPDATE people SET id = 9", "TARGET_ROWS_INVALID", "a key exists already", "id = 9");
        refused("UPDATE people SET id = NULL WHERE id = 9", "TARGET_ROWS_INVALID", "a key is NULL");
        refused(
                "MERGE INTO people t USING (SELECT 9 AS id, 'x' AS name) s ON t.name = s.name"
                        + " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (id, name)",
                "TARGET_ROWS_INVALID",
                "id = 9");
        lake.sql("UPDATE people SET id = 10 - id");
        assertThat(lake.rows("people")).containsExactly("1|Mia|Rome", "9|Ada|Paris");
    }

    @Test
    void history() {
        deliver(HISTORY, "I,1,Ada,London,1", "U,1,Ada,Rome,5", "U,1,Ada,Rome,6", "I,2,Bob,Oslo,2");
        lake.sql("UPDATE people SET city = 'Kyoto' WHERE __START_AT = 5; DELETE FROM people WHERE id = 2");
        deliver(HISTORY, "U,1,Ada,Paris,3", "U,2,Bob,Rome,1");
        assertThat(lake.rows("people")).contains("1|Ada|Kyoto|5|null", "1|Ada|London|1|3", "1|Ada|Paris|3|5");
        refused(
                "UPDATE people SET __START_AT = 2 WHERE __START_AT = 3 AND id = 1",
                "a version overlaps another one",
                "id = 1");
        refused("UPDATE people SET __END_AT = 5 WHERE __START_AT = 5", "is not before");
        refused("UPDATE people SET __START_AT = NULL", "__START_AT is NULL");
        refused("ALTER TABLE people ADD COLUMN x INT", "TARGET_OF_FLOW");
        refused("ALTER TABLE people ALTER COLUMN name SET NOT NULL", "TARGET_OF_FLOW");
        lake.sql("UPDATE people SET __START_AT = 4, __END_AT = 5 WHERE __START_AT = 3 AND id = 1;"
                + " ALTER TABLE people SET TBLPROPERTIES ('note' = 'x')");
        deliver(HISTORY, "U,1,Ada,Bern,9");
        assertThat(lake.rows("people"))
                .contains("1|Ada|Bern|9|null", "1|Ada|Kyoto|5|9", "1|Ada|London|1|3", "1|Ada|Paris|4|5");
    }

    @Test
    void aMovedStartIsADeleteAndAnInsert() {
        deliver(HISTORY, "I,1,Ada,London,1", "I,2,Bob,Oslo,2");
        lake.sql(
                "UPDATE people SET __START_AT = __START_AT + 1 WHERE id = 1; UPDATE people SET city = 'x' WHERE id = 2");
        assertThat(changes(lake.version("people") - 1)).containsExactlyInAnyOrder("delete|1|1", "insert|1|2");
        assertThat(changes(lake.version("people")))
                .containsExactlyInAnyOrder("update_preimage|2|2", "update_postimage|2|2");
    }

    /** The kinds, keys and starts in the change files of a version. */
    private List<String> changes(long version) {
        List<String> paths = lake.table("people").actions(version).stream()
                .filter(CdcFile.class::isInstance)
                .map(action -> lake.table("people").location() + "/" + ((CdcFile) action).path())
                .toList();
        return lake.sql(
                "SELECT _change_type, id, __START_AT FROM read_files('" + paths.get(0) + "', format => 'parquet')");
    }

    @Test
    void overwriteStopsTheFlow() {
        deliver(LATEST, "I,1,Ada,London,5");
        lake.sql("INSERT OVERWRITE people VALUES (7, 'Mia', 'Lima')");
        assertThatThrownBy(() -> deliver(LATEST, "U,1,Ada,Rome,6")).hasMessageContaining("TARGET_REWOUND");
        lake.sql("DROP TABLE people");
        lake.run(LATEST);
        assertThat(lake.rows("people")).containsExactly("1|Ada|Rome");
    }

    @Test
    void truncatedRowsStayAway() {
        deliver(LATEST, "I,1,Ada,London,5", "I,2,Bob,Oslo,5");
        lake.sql("TRUNCATE TABLE people");
        deliver(LATEST, "U,1,Ada,Rome,3", "U,2,Bob,Rome,6");
        assertThat(lake.rows("people")).containsExactly("2|Bob|Rome");
    }

    @Test
    void beliefs() {
        deliver(BELIEFS, "I,1,Ada,London,1", "U,1,Ada,Rome,5", "I,2,Bob,Oslo,2");
        refused("UPDATE people SET city = 'x'", "TARGET_ROWS_INVALID", "send an event");
        refused(
                "MERGE INTO people t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET city = 'x'",
                "send an event");
        refused(
                "DELETE FROM people WHERE id = 1 AND __SYSTEM_END_AT IS NULL",
                "other rows of a deleted key would stay");
        lake.sql("DELETE FROM people WHERE id = 1");
        lake.sql("INSERT INTO people VALUES (7, 'Mia', 'Lima', 3, NULL, 3, NULL)");
        deliver(BELIEFS, "U,2,Bob,Bern,9");
        assertThat(lake.sql("SELECT DISTINCT id FROM people ORDER BY id")).containsExactly("2", "7");
    }
}
