package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.core.flow.TableName;
import io.tidemark.delta.DataFile;
import io.tidemark.delta.Snapshot;
import io.tidemark.delta.Transaction;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Change flows from files and tables into targets, over several runs. */
class ChangeFlowTest {
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

    @BeforeEach
    void open() {
        lake = new Lake(folder);
    }

    @AfterEach
    void close() {
        lake.close();
    }

    @Test
    void lateEventsOfALaterRunSplitTheHistory() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1", "U,1,Ada,Rome,5");
        List<FlowResult> first = lake.run(HISTORY);
        assertThat(first.get(0).metrics()).containsEntry("num_upserted_rows", 2L);
        lake.file("events/2.csv", HEADER, "U,1,Ada,Paris,3", "D,1,,,9");
        List<FlowResult> second = lake.run(HISTORY);
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|3", "1|Ada|Paris|3|5", "1|Ada|Rome|5|9");
        assertThat(second.get(0).metrics())
                .containsEntry("num_upserted_rows", 3L)
                .containsEntry("num_deleted_rows", 0L);
    }

    @Test
    void aRunWithoutNewInputCommitsNothing() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        long version = lake.version("people");
        List<FlowResult> again = lake.run(HISTORY);
        assertThat(again.get(0).status()).isEqualTo(FlowResult.Status.UNCHANGED);
        assertThat(lake.version("people")).isEqualTo(version);
    }

    @Test
    void inputWithoutVisibleChangeCommitsPositionsOnly() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,5");
        lake.run(LATEST);
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,3");
        List<FlowResult> late = lake.run(LATEST);
        assertThat(late.get(0).status()).isEqualTo(FlowResult.Status.UPDATED);
        assertThat(lake.table("people").actions(2).stream()
                        .map(action -> action.getClass().getSimpleName()))
                .doesNotContain("AddFile", "RemoveFile");
        assertThat(lake.rows("people")).containsExactly("1|Ada|London");
    }

    @Test
    void aDeleteThatComesFirstIsRememberedAcrossRuns() {
        lake.file("events/1.csv", HEADER, "D,1,,,5");
        lake.run(LATEST);
        lake.file("events/2.csv", HEADER, "I,1,Ada,London,3", "I,2,Bob,Oslo,3");
        lake.run(LATEST);
        assertThat(lake.rows("people")).containsExactly("2|Bob|Oslo");
    }

    @Test
    void addedColumnsReadNullInOldRows() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        String wider = HISTORY.replace("events/*.csv", "more/*.csv").replace("seq BIGINT'", "seq BIGINT, zip STRING'");
        lake.file("more/1.csv", HEADER + ",zip", "U,1,Ada,Rome,2,00100");
        lake.run(wider);
        assertThat(lake.sql("SELECT id, city, zip, __START_AT, __END_AT FROM people ORDER BY __START_AT"))
                .containsExactly("1|London|null|1|2", "1|Rome|00100|2|null");
    }

    @Test
    void changedKeysAreRefusedUntilAFullRefresh() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1", "I,2,Bob,London,2");
        lake.run(LATEST);
        String other = LATEST.replace("KEYS (id)", "KEYS (city)");
        assertThatThrownBy(() -> lake.run(other))
                .isInstanceOf(TidemarkException.class)
                .hasMessageContaining("FLOW_CHANGED")
                .hasMessageContaining("keys");
        lake.run(other, RunOptions.of("test").withFullRefresh(Set.of(TableName.of("people"))));
        assertThat(lake.rows("people")).containsExactly("2|Bob|London");
    }

    @Test
    void aFullRefreshReadsAllSourcesFromTheStartAndDropsHandMadeRows() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,2");
        lake.run(HISTORY);
        lake.sql("INSERT INTO people (id, name, city, __START_AT, __END_AT) VALUES (9, 'Eve', 'Bern', 1, NULL)");
        lake.run(HISTORY, RunOptions.of("test").withFullRefresh());
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|2", "1|Ada|Rome|2|null");
        lake.file("events/3.csv", HEADER, "D,1,,,3");
        lake.run(HISTORY);
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|2", "1|Ada|Rome|2|3");
    }

    @Test
    void handMadeOpenVersionsAreClosedByTheFlow() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        lake.sql(
                "INSERT INTO people (id, name, city, __START_AT, __END_AT) VALUES (123, 'Ada Byron', 'Ockham', 5, NULL)");
        lake.file("events/2.csv", HEADER, "U,123,Ada Lovelace,London,8");
        lake.run(HISTORY);
        assertThat(lake.rows("people"))
                .containsExactly("123|Ada Byron|Ockham|5|8", "123|Ada Lovelace|London|8|null", "1|Ada|London|1|null");
    }

    @Test
    void rowsDeletedByAnotherWriterStayDeletedUntilANewerEvent() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,5", "I,2,Bob,Oslo,5");
        lake.run(LATEST);
        deleteAllRows("DELETE");
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,3", "U,2,Bob,Bern,7");
        lake.run(LATEST);
        assertThat(lake.rows("people")).containsExactly("2|Bob|Bern");
    }

    @Test
    void aForeignRestoreStopsTheFlow() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        deleteAllRows("RESTORE");
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,2");
        assertThatThrownBy(() -> lake.run(HISTORY))
                .hasMessageContaining("TARGET_REWOUND")
                .hasMessageContaining("RESTORE");
        lake.run(HISTORY, RunOptions.of("test").withFullRefresh());
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|2", "1|Ada|Rome|2|null");
    }

    @Test
    void aForeignRestoreStopsFlowsThatOnlyAppend() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        String sql = "CREATE STREAMING TABLE people AS SELECT id, name FROM STREAM read_files('events/*.csv');";
        lake.run(sql);
        deleteAllRows("RESTORE");
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,2");
        assertThatThrownBy(() -> lake.run(sql))
                .hasMessageContaining("TARGET_REWOUND")
                .hasMessageContaining("RESTORE");
        lake.run(sql, RunOptions.of("test").withFullRefresh());
        assertThat(lake.rows("people")).hasSize(2);
        deleteAllRows("DELETE");
        lake.file("events/3.csv", HEADER, "U,1,Ada,Rome,2");
        lake.run(sql);
        assertThat(lake.rows("people")).hasSize(1);
    }

    @Test
    void hiddenEventsAreForgottenAfterTheirTime() {
        String sql = HISTORY.replace("people;", "people TBLPROPERTIES ('tidemark.cdc.hiddenEventRetention' = 'TIME');");
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1", "U,1,Ada,London,5");
        lake.run(sql.replace("TIME", "interval 30 days"));
        lake.file("events/2.csv", HEADER, "U,1,Ada,Paris,3");
        lake.run(sql.replace("TIME", "interval 30 days"));
        assertThat(lake.rows("people")).containsExactly("1|Ada|London|1|3", "1|Ada|London|5|null", "1|Ada|Paris|3|5");
        lake.file("events/3.csv", HEADER, "U,1,Ada,London,8", "I,2,Bob,Oslo,1", "U,2,Bob,Oslo,5");
        lake.run(sql.replace("TIME", "0"));
        lake.file("events/4.csv", HEADER, "I,3,Eve,Bern,21", "U,3,Eve,Bern,25");
        List<FlowResult> fourth = lake.run(sql.replace("TIME", "0"));
        assertThat(fourth.get(0).metrics()).doesNotContainKey("num_late_rows_after_forgotten");
        lake.file("events/5.csv", HEADER, "U,2,Bob,Rome,3");
        List<FlowResult> late = lake.run(sql.replace("TIME", "0"));
        assertThat(late.get(0).metrics()).containsEntry("num_late_rows_after_forgotten", 1L);
        assertThat(lake.rows("people")).contains("2|Bob|Oslo|1|3", "2|Bob|Rome|3|null");
    }

    private void deleteAllRows(String operation) {
        Snapshot snapshot = lake.table("people").snapshot();
        Transaction transaction = snapshot.begin(operation);
        for (DataFile file : snapshot.files()) {
            transaction.remove(file);
        }
        transaction.commit().version();
    }

    @Test
    void aMissingStateFileIsAnErrorAndNeverAnEmptyState() throws IOException {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        try (Stream<Path> files = Files.walk(folder.resolve("warehouse/default/people/_tidemark"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,2");
        assertThatThrownBy(() -> lake.run(HISTORY)).hasMessageContaining("STATE_MISSING");
    }

    @Test
    void aTableWithRowsAndWithoutStateMustBeAdopted() {
        lake.sql("CREATE TABLE people (id BIGINT, name STRING, city STRING)");
        lake.sql("INSERT INTO people VALUES (1, 'Ada', 'London'), (2, 'Bob', 'Oslo')");
        lake.file("events/1.csv", HEADER, "D,1,,,1");
        assertThatThrownBy(() -> lake.run(LATEST)).hasMessageContaining("FLOW_STATE_MISSING");
        lake.run(LATEST, new RunOptions("test", false, Set.of(), false, true, false));
        assertThat(lake.rows("people")).containsExactly("2|Bob|Oslo");
    }

    @Test
    void anotherPipelineMayNotRunTheSameFlow() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.run(HISTORY);
        lake.file("events/2.csv", HEADER, "U,1,Ada,Rome,2");
        assertThatThrownBy(() -> lake.run(HISTORY, RunOptions.of("other")))
                .hasMessageContaining("FOREIGN_PIPELINE")
                .hasMessageContaining("test");
    }

    @Test
    void twoFlowsFillOneTarget() {
        String second = HISTORY + """
                CREATE FLOW more AS AUTO CDC INTO people
                FROM STREAM read_files('more/*.csv', format => 'csv',
                  schema => 'op STRING, id BIGINT, name STRING, city STRING, seq BIGINT')
                KEYS (id) APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq
                COLUMNS * EXCEPT (op, seq) STORED AS SCD TYPE 2;
                """;
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1");
        lake.file("more/1.csv", HEADER, "U,1,Ada,Rome,4", "I,2,Bob,Oslo,2");
        lake.run(second);
        List<String> expected = List.of("1|Ada|London|1|4", "1|Ada|Rome|4|null", "2|Bob|Oslo|2|null");
        assertThat(lake.rows("people")).containsExactlyElementsOf(expected);
        lake.run(second, RunOptions.of("test").withFullRefresh());
        assertThat(lake.rows("people")).containsExactlyElementsOf(expected);
        String disagree = second.replaceFirst("KEYS \\(id\\) APPLY", "KEYS (city) APPLY");
        assertThatThrownBy(() -> lake.run(disagree)).hasMessageContaining("FLOWS_DISAGREE");
    }

    @Test
    void nullKeysAndSequencesFailTheUpdateOrAreDropped() {
        lake.file("events/1.csv", HEADER, "I,1,Ada,London,1", "I,,Bob,Oslo,2", "I,3,Eve,Bern,");
        assertThatThrownBy(() -> lake.run(LATEST))
                .hasMessageContaining("NULL_KEY")
                .hasMessageContaining("1 event");
        String drop = LATEST.replace(
                "STREAMING TABLE people;",
                "STREAMING TABLE people TBLPROPERTIES ('tidemark.cdc.onNullKeyOrSequence' = 'drop');");
        List<FlowResult> results = lake.run(drop);
        assertThat(results.get(0).metrics()).containsEntry("num_dropped_rows", 2L);
        assertThat(lake.rows("people")).containsExactly("1|Ada|London");
    }
}
