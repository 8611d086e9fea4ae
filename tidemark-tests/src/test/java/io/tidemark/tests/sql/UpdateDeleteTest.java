package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.CommitRecord;
import io.tidemark.delta.Snapshot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UpdateDeleteTest extends ShellTest {
    private static final String PEOPLE = """
            CREATE TABLE people (id INT NOT NULL, name STRING, age INT, born DATE)
              TBLPROPERTIES ('delta.enableDeletionVectors' = '%s');
            INSERT INTO people VALUES (1, 'Ada', 36, DATE '1815-12-10'), (2, 'Bob', NULL, NULL);
            INSERT INTO people VALUES (3, 'Eve', 20, DATE '2000-02-29'), (4, NULL, 50, DATE '1970-01-01');
            """;

    private void people(boolean vectors) {
        shell.run(PEOPLE.formatted(vectors));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void updateSeesOldValues(boolean vectors) {
        people(vectors);
        assertThat(shell.say("UPDATE people SET age = id, id = age + 1 WHERE age > 30"))
                .containsExactly("updated 2 rows in people");
        assertThat(shell.rows("people"))
                .containsExactly(
                        "2|Bob|null|null", "37|Ada|1|1815-12-10", "3|Eve|20|2000-02-29", "51|null|4|1970-01-01");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deleteUsesThreeValuedLogic(boolean vectors) {
        people(vectors);
        assertThat(shell.say("DELETE FROM people WHERE NOT (age > 30)")).containsExactly("deleted 1 row from people");
        assertThat(shell.say("DELETE FROM people WHERE name <> 'Ada'")).containsExactly("deleted 1 row from people");
        assertThat(shell.rows("people")).containsExactly("1|Ada|36|1815-12-10", "4|null|50|1970-01-01");
        assertThat(shell.say("DELETE FROM people AS p WHERE p.name IS NULL OR P.ID = 1"))
                .containsExactly("deleted 2 rows from people");
        assertThat(shell.rows("people")).isEmpty();
        assertThat(shell.table("people").snapshot().files()).isEmpty();
    }

    @Test
    void nothingMatchedIsNoCommit() {
        people(true);
        long version = shell.version("people");
        assertThat(shell.say("DELETE FROM people WHERE id = 99; UPDATE people SET age = 1 WHERE id = NULL;"
                        + " DELETE FROM people WHERE NULL"))
                .containsExactly(
                        "deleted 0 rows from people", "updated 0 rows in people", "deleted 0 rows from people");
        assertThat(shell.version("people")).isEqualTo(version);
    }

    @Test
    void wholeFilesGoWithoutVectors() {
        people(true);
        shell.run("DELETE FROM people WHERE id <= 2");
        Snapshot now = shell.table("people").snapshot();
        assertThat(now.files()).hasSize(1);
        assertThat(now.files().get(0).deletionVector()).isEmpty();
        assertThat(shell.say("TRUNCATE TABLE people")).containsExactly("deleted 2 rows from people");
        assertThat(shell.say("DELETE FROM people")).containsExactly("deleted 0 rows from people");
        assertThat(shell.rows("people")).isEmpty();
    }

    @Test
    void subqueries() {
        people(true);
        shell.run("CREATE TABLE banned (name STRING, since INT); INSERT INTO banned VALUES ('Eve', 19), ('Zoe', 1)");
        assertThat(
                        shell.say(
                                "UPDATE people SET age = (SELECT max(since) FROM banned) WHERE name IN (SELECT name FROM banned)"))
                .containsExactly("updated 1 row in people");
        assertThat(
                        shell.say(
                                "DELETE FROM people p WHERE EXISTS (SELECT 1 FROM banned b WHERE b.name = p.name AND b.since = p.age)"))
                .containsExactly("deleted 1 row from people");
        assertThat(shell.say("DELETE FROM people WHERE age = (SELECT max(age) FROM people)"))
                .containsExactly("deleted 1 row from people");
        assertThat(shell.rows("people")).containsExactly("1|Ada|36|1815-12-10", "2|Bob|null|null");
    }

    @Test
    void storeAssignment() {
        people(false);
        shell.run("UPDATE people SET age = 7.0, name = id, born = NULL WHERE id = 1");
        assertThat(shell.run("SELECT * FROM people WHERE id = 1")).containsExactly("1|1|7|null");
        assertThat(shell.fault("UPDATE people SET age = 7.5").code()).isEqualTo(ErrorCode.QUERY_FAILED);
        assertThat(shell.fault("UPDATE people SET id = NULL WHERE id = 1").code())
                .isEqualTo(ErrorCode.NOT_NULL_VIOLATED);
        assertThat(shell.fault("UPDATE people SET\n age = name").render())
                .startsWith("s.sql:2:8: error SCHEMA_MISMATCH");
    }

    @Test
    void faultsHavePlaces() {
        people(false);
        shell.run("CREATE VIEW v AS SELECT * FROM people");
        assertThat(shell.fault("UPDATE peple SET age = 1").render())
                .startsWith("s.sql:1:8: error UNKNOWN_TABLE")
                .contains("did you mean people?");
        assertThat(shell.fault("UPDATE people SET agee = 1").render()).isEqualTo("""
                        s.sql:1:19: error UNKNOWN_COLUMN: the table people has no column agee
                          UPDATE people SET agee = 1
                                            ^
                          hint: did you mean age?""");
        assertThat(shell.fault("DELETE FROM people\nWHERE id = 1\n  AND nme = 'x'")
                        .render())
                .startsWith("s.sql:3:7: error UNKNOWN_COLUMN")
                .contains("    AND nme = 'x'\n        ^");
        assertThat(shell.fault("DELETE FROM people WHERE id").code()).isEqualTo(ErrorCode.QUERY_INVALID);
        assertThat(shell.fault("DELETE FROM people WHERE id = 1 AND").code()).isEqualTo(ErrorCode.QUERY_INVALID);
        assertThat(shell.fault("DELETE FROM people WHERE id IN (SELECT id FROM nobody)")
                        .render())
                .startsWith("s.sql:1:48: error UNKNOWN_TABLE");
        assertThat(shell.fault("DELETE FROM v WHERE id = 1").code()).isEqualTo(ErrorCode.UNSUPPORTED_STATEMENT);
        assertThat(shell.fault("UPDATE people SET age = 1, AGE = 2").code()).isEqualTo(ErrorCode.DUPLICATE_NAME);
        assertThat(shell.fault("UPDATE people SET name.x = 1").code()).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
        assertThat(shell.fault("UPDATE people WHERE id = 1").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
        assertThat(shell.fault("DELETE people").code()).isEqualTo(ErrorCode.SYNTAX_ERROR);
    }

    @Test
    void historyTellsWhatWasDone() {
        people(true);
        shell.run("UPDATE people SET age = 1 WHERE id = 1; DELETE FROM people WHERE id = 3");
        CommitRecord delete = shell.table("people").history().get(0);
        CommitRecord update = shell.table("people").history().get(1);
        assertThat(delete.operation()).contains("DELETE");
        assertThat(delete.info().operationParameters()).containsEntry("predicate", "[\"(id = 3)\"]");
        assertThat(delete.info().operationMetrics()).containsEntry("numDeletedRows", "1");
        assertThat(delete.info().isBlindAppend()).contains(false);
        assertThat(update.operation()).contains("UPDATE");
        assertThat(update.info().operationParameters()).containsEntry("predicate", "[\"(id = 1)\"]");
        assertThat(update.info().operationMetrics())
                .containsEntry("numUpdatedRows", "1")
                .containsEntry("numAddedFiles", "1");
    }
}
