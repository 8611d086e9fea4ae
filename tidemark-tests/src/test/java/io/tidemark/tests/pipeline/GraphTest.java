package io.tidemark.tests.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.pipeline.run.FlowResult;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Datasets that read each other, streams of tables, views and materialized views. */
class GraphTest {
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
    void theExampleOfAOnceFlowAndABitemporalTargetRunsAsItStands() {
        lake.run("""
                CREATE OR REFRESH STREAMING TABLE quotes;
                CREATE FLOW quotes AS AUTO CDC INTO
                  quotes
                FROM
                  stream(quote_events)
                KEYS
                  (id)
                SEQUENCE BY
                  happened
                SYSTEM SEQUENCE BY
                  learned
                STORED AS
                  BITEMPORAL;
                CREATE OR REFRESH STREAMING TABLE quote_events;
                CREATE FLOW quote_events AS INSERT INTO ONCE
                  quote_events BY NAME
                SELECT * FROM VALUES
                  (7, 'p1', 'q1', 100, 1000),
                  (7, 'p2', 'q2', 200, 2000)
                  AS e(id, p, q, happened, learned);
                """);
        assertThat(lake.sql("SELECT p, q, __START_AT, __END_AT, __SYSTEM_START_AT, __SYSTEM_END_AT FROM quotes"))
                .containsExactlyInAnyOrder(
                        "p1|q1|100|null|1000|2000", "p1|q1|100|200|2000|null", "p2|q2|200|null|2000|null");
    }

    @Test
    void theExampleOfColumnsToUpdateRunsAsItStands() {
        lake.sql("CREATE TABLE contact_events (contact_id INT, mail STRING, phone STRING, event_no INT,"
                + " changed_columns ARRAY<STRING>)");
        lake.sql("INSERT INTO contact_events VALUES (1, 'a@x', '11', 1, NULL), (1, NULL, '22', 2, array('phone')),"
                + " (1, NULL, NULL, 3, array('mail'))");
        lake.run("""
                CREATE OR REFRESH STREAMING TABLE contacts;
                CREATE FLOW apply_contacts AS AUTO CDC INTO
                  contacts
                FROM
                  stream(contact_events)
                KEYS
                  (contact_id)
                SEQUENCE BY
                  event_no
                STORED AS
                  SCD TYPE 1
                COLUMNS TO UPDATE
                  changed_columns;
                """);
        assertThat(lake.rows("contacts")).containsExactly("1|null|22|3");
    }

    @Test
    void aMaterializedViewCommitsOnlyRowsThatDiffer() {
        lake.sql("CREATE TABLE sales (shop STRING, amount INT)");
        lake.sql("INSERT INTO sales VALUES ('a', 1), ('a', 2), ('b', 5)");
        String sql = "CREATE MATERIALIZED VIEW totals AS SELECT shop, sum(amount) AS total FROM sales GROUP BY shop;";
        lake.run(sql);
        assertThat(lake.rows("totals")).containsExactly("a|3", "b|5");
        long version = lake.version("totals");
        assertThat(lake.run(sql).get(0).status()).isEqualTo(FlowResult.Status.UNCHANGED);
        assertThat(lake.version("totals")).isEqualTo(version);
        lake.sql("INSERT INTO sales VALUES ('b', 1)");
        List<FlowResult> changed = lake.run(sql);
        assertThat(changed.get(0).metrics()).containsEntry("num_output_rows", 1L);
        assertThat(lake.rows("totals")).containsExactly("a|3", "b|6");
    }

    @Test
    void aStreamOfATableReadsEachCommitOnce() {
        lake.sql("CREATE TABLE raw (id INT, v STRING)");
        lake.sql("INSERT INTO raw VALUES (1, 'a')");
        String sql = """
                CREATE TEMPORARY VIEW upper AS SELECT id, upper(v) AS v FROM STREAM(raw);
                CREATE STREAMING TABLE copy AS SELECT * FROM upper;
                """;
        lake.run(sql);
        lake.sql("INSERT INTO raw VALUES (2, 'b')");
        lake.run(sql);
        lake.run(sql);
        assertThat(lake.rows("copy")).containsExactly("1|A", "2|B");
    }

    @Test
    void aStreamedTableWhoseRowsChangedIsRefusedNamingTheVersion() {
        lake.sql("CREATE TABLE raw (id INT)");
        lake.sql("INSERT INTO raw VALUES (1)");
        String sql = "CREATE STREAMING TABLE copy AS SELECT * FROM STREAM(raw);";
        lake.run(sql);
        var snapshot = lake.table("raw").snapshot();
        var transaction = snapshot.begin("DELETE");
        snapshot.files().forEach(transaction::remove);
        transaction.commit().version();
        lake.sql("INSERT INTO raw VALUES (3)");
        assertThatThrownBy(() -> lake.run(sql))
                .hasMessageContaining("SOURCE_CHANGED")
                .hasMessageContaining("version 2")
                .hasMessageContaining("raw");
        lake.run("SET tidemark.skipChangeCommits = 'raw';" + sql);
        assertThat(lake.rows("copy")).containsExactly("1", "3");
    }

    @Test
    void circlesAreRefusedNamingBothEnds() {
        assertThatThrownBy(() -> lake.run("""
                        CREATE MATERIALIZED VIEW a AS SELECT * FROM b;
                        CREATE MATERIALIZED VIEW b AS SELECT * FROM a;
                        """))
                .hasMessageContaining("GRAPH_CYCLE")
                .hasMessageContaining("a")
                .hasMessageContaining("b");
    }

    @Test
    void unknownNamesAndTargetsAreRefused() {
        assertThatThrownBy(() -> lake.run("CREATE MATERIALIZED VIEW a AS SELECT * FROM nowhere;"))
                .hasMessageContaining("UNKNOWN_TABLE")
                .hasMessageContaining("nowhere");
        assertThatThrownBy(() -> lake.run("CREATE FLOW f AS INSERT INTO nowhere BY NAME SELECT * FROM STREAM(x);"))
                .hasMessageContaining("UNKNOWN_TARGET");
    }
}
