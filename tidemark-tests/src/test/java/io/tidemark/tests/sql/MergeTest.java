package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.CommitRecord;
import org.junit.jupiter.api.Test;

class MergeTest extends ShellTest {
    private void tables() {
        shell.run("""
                CREATE TABLE stock (id INT, name STRING, pieces INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');
                INSERT INTO stock VALUES (1, 'nail', 10), (2, 'bolt', 20);
                INSERT INTO stock VALUES (3, 'gear', 30), (NULL, 'lost', 0);
                CREATE TABLE news (id INT, name STRING, pieces INT);
                INSERT INTO news VALUES (1, 'nail', 5), (2, NULL, NULL), (7, 'cord', 70), (NULL, 'void', 1);
                """);
    }

    @Test
    void firstClauseThatFitsWins() {
        tables();
        assertThat(shell.say("""
                        MERGE INTO stock AS t USING news AS s ON t.id = s.id
                        WHEN MATCHED AND s.name IS NULL THEN DELETE
                        WHEN MATCHED AND s.pieces > 100 THEN UPDATE SET *
                        WHEN MATCHED THEN UPDATE SET pieces = t.pieces + s.pieces
                        WHEN NOT MATCHED AND s.id IS NOT NULL THEN INSERT (name, id) VALUES (upper(s.name), s.id)
                        """)).containsExactly("merged into stock: 1 inserted, 1 updated, 1 deleted");
        assertThat(shell.rows("stock")).containsExactly("1|nail|15", "3|gear|30", "7|CORD|null", "null|lost|0");
    }

    @Test
    void starsAndRowsThatTheSourceLacks() {
        tables();
        assertThat(shell.say("""
                        MERGE INTO stock USING (SELECT pieces, id, name FROM news WHERE id <> 2) n ON stock.id = n.id
                        WHEN MATCHED THEN UPDATE SET *
                        WHEN NOT MATCHED BY TARGET THEN INSERT *
                        WHEN NOT MATCHED BY SOURCE AND stock.id = 3 THEN DELETE
                        WHEN NOT MATCHED BY SOURCE THEN UPDATE SET stock.name = concat(name, '?')
                        """)).containsExactly("merged into stock: 1 inserted, 3 updated, 1 deleted");
        assertThat(shell.rows("stock")).containsExactly("1|nail|5", "2|bolt?|20", "7|cord|70", "null|lost?|0");
    }

    @Test
    void severalSourceRowsForOneTargetRow() {
        tables();
        shell.run("INSERT INTO news VALUES (1, 'nail', 6)");
        String on = "MERGE INTO stock t USING news s ON t.id = s.id ";
        TidemarkException fault = shell.fault(on + "WHEN MATCHED THEN UPDATE SET pieces = s.pieces");
        assertThat(fault.code()).isEqualTo(ErrorCode.MERGE_AMBIGUOUS);
        assertThat(fault.detail().orElse("")).contains("2 source rows belong to (id = 1, name = 'nail', pieces = 10)");
        assertThat(shell.fault(on + "WHEN MATCHED AND s.pieces > 0 THEN DELETE").code())
                .isEqualTo(ErrorCode.MERGE_AMBIGUOUS);
        shell.run(on + "WHEN MATCHED AND s.pieces > 5 THEN UPDATE SET pieces = s.pieces");
        assertThat(shell.rows("stock")).contains("1|nail|6");
        assertThat(shell.say(on + "WHEN MATCHED THEN DELETE"))
                .containsExactly("merged into stock: 0 inserted, 0 updated, 2 deleted");
        assertThat(shell.rows("stock")).containsExactly("3|gear|30", "null|lost|0");
    }

    @Test
    void sourcesOfAllKinds() {
        tables();
        shell.run("MERGE INTO stock t USING (VALUES (9, 'x')) AS v(a, b) ON t.id = v.a"
                + " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (a, b)");
        shell.run("MERGE INTO stock t USING stock@v1 ON t.id = stock.id WHEN MATCHED THEN DELETE");
        shell.run(
                "MERGE INTO stock t USING news VERSION AS OF 0 n ON t.id = n.id WHEN NOT MATCHED BY SOURCE AND t.id = 3"
                        + " THEN DELETE");
        assertThat(shell.rows("stock")).containsExactly("9|x|null", "null|lost|0");
    }

    @Test
    void joinsOnAnything() {
        tables();
        shell.run("MERGE INTO stock t USING news s ON t.id <=> s.id AND t.pieces < 5 OR t.name = lower(s.name)"
                + " WHEN MATCHED THEN UPDATE SET pieces = -1");
        assertThat(shell.rows("stock")).containsExactly("1|nail|-1", "2|bolt|20", "3|gear|30", "null|lost|-1");
    }

    @Test
    void columnsMayBearAnyName() {
        shell.run("CREATE TABLE t (file INT, pos INT, src STRING, clause STRING, kind STRING)"
                + " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true');"
                + " INSERT INTO t VALUES (1, 2, 'a', 'b', 'c'), (3, 4, 'd', 'e', 'f'), (5, 6, 'g', 'h', 'i');"
                + " UPDATE t SET file = pos, clause = src WHERE pos = 2; DELETE FROM t WHERE file = 5;"
                + " MERGE INTO t USING (SELECT 2 AS file, 9 AS pos, 'x' AS src, 'y' AS clause, 'z' AS kind) s"
                + " ON t.file = s.file WHEN MATCHED AND t.clause = 'a' THEN UPDATE SET pos = s.pos, src = s.src"
                + " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET kind = clause");
        assertThat(shell.rows("t")).containsExactly("2|9|x|a|c", "3|4|d|e|e");
    }

    @Test
    void faults() {
        tables();
        String merge = "MERGE INTO stock t USING news s ON t.id = s.id\n";
        assertThat(shell.fault(merge + "WHEN MATCHED THEN UPDATE SET piece = 1").render())
                .startsWith("s.sql:2:30: error UNKNOWN_COLUMN")
                .contains("did you mean pieces?");
        assertThat(shell.fault(merge + "WHEN MATCHED AND s.nam = 'x' THEN DELETE")
                        .render())
                .startsWith("s.sql:2:20: error UNKNOWN_COLUMN");
        assertThat(shell.fault(merge + "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (1)")
                        .code())
                .isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        assertThat(shell.fault(merge + "WHEN NOT MATCHED THEN DELETE").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(shell.fault(merge + "WHEN MATCHED THEN DELETE WHEN MATCHED THEN DELETE")
                        .code())
                .isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(shell.fault(merge + "WHEN NOT MATCHED THEN INSERT (id) VALUES (t.id)")
                        .code())
                .isEqualTo(ErrorCode.UNKNOWN_COLUMN);
        assertThat(shell.fault(merge + "WHEN MATCHED THEN UPDATE SET id = 'a' || s.name")
                        .code())
                .isEqualTo(ErrorCode.SCHEMA_MISMATCH);
        assertThat(shell.fault("MERGE INTO stock USING nws ON true WHEN MATCHED THEN DELETE")
                        .render())
                .startsWith("s.sql:1:24: error UNKNOWN_TABLE");
        assertThat(shell.fault(merge).code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
    }

    @Test
    void historyTellsWhatWasDone() {
        tables();
        shell.run("MERGE INTO stock t USING news s ON t.id = s.id WHEN MATCHED AND s.name IS NULL THEN DELETE"
                + " WHEN NOT MATCHED THEN INSERT *");
        CommitRecord merge = shell.table("stock").history().get(0);
        assertThat(merge.operation()).contains("MERGE");
        assertThat(merge.info().isBlindAppend()).contains(false);
        assertThat(merge.info().operationParameters())
                .containsEntry("predicate", "[\"(t.id = s.id)\"]")
                .containsEntry("matchedPredicates", "[{\"predicate\":\"s.name IS NULL\",\"actionType\":\"delete\"}]")
                .containsEntry("notMatchedPredicates", "[{\"actionType\":\"insert\"}]");
        assertThat(merge.info().operationMetrics())
                .containsEntry("numTargetRowsInserted", "2")
                .containsEntry("numTargetRowsDeleted", "1")
                .containsEntry("numSourceRows", "4");
    }
}
