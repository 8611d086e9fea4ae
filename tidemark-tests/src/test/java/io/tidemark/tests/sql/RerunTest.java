package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Another writer commits between a statement's reading and its commit. */
class RerunTest extends ShellTest {
    private Shell rival;
    private final AtomicInteger runs = new AtomicInteger();

    @BeforeEach
    void makeTable() {
        rival = new Shell(folder);
        rival.run("CREATE TABLE t (id INT, v INT) TBLPROPERTIES ('delta.enableDeletionVectors' = 'true');"
                + " INSERT INTO t SELECT id, id * 10 FROM range(10)");
    }

    @AfterEach
    void closeRival() {
        rival.close();
    }

    /** Runs a statement; the rival's comes first in each of its first runs. */
    private void race(String statement, String first, int losses) {
        shell.session().beforeCommit(() -> {
            if (runs.incrementAndGet() <= losses) {
                rival.run(first);
            }
        });
        shell.run(statement);
    }

    @Test
    void differentRowsOfOneFileNeedNoSecondRun() {
        race("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 2", 1);
        assertThat(runs).hasValue(1);
        assertThat(shell.run("SELECT count(*) FROM t")).containsExactly("8");
    }

    @Test
    void oneRowIsReadAgain() {
        race("UPDATE t SET v = v + 1 WHERE id = 1", "UPDATE t SET v = v + 100 WHERE id = 1", 3);
        assertThat(runs).hasValue(4);
        assertThat(shell.run("SELECT v FROM t WHERE id = 1")).containsExactly("311");
    }

    @Test
    void aMergeSeesKeysThatCameFirst() {
        race(
                "MERGE INTO t USING (SELECT 50 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
                "INSERT INTO t VALUES (50, 1)",
                1);
        // the second run finds the key and has nothing to commit
        assertThat(runs).hasValue(1);
        assertThat(shell.run("SELECT * FROM t WHERE id = 50")).containsExactly("50|1");
        runs.set(0);
        race(
                "MERGE INTO t USING (SELECT 60 AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)",
                "INSERT INTO t VALUES (70, 1)",
                1);
        assertThat(runs).hasValue(1);
    }

    @Test
    void appendsDoNotMatterUnlessSerializable() {
        race("DELETE FROM t WHERE id >= 0", "INSERT INTO t VALUES (99, 1)", 1);
        assertThat(runs).hasValue(1);
        assertThat(shell.rows("t")).containsExactly("99|1");
        rival.run("ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')");
        runs.set(0);
        race("DELETE FROM t WHERE id >= 0", "INSERT INTO t VALUES (98, 1)", 1);
        assertThat(runs).hasValue(2);
        assertThat(shell.rows("t")).isEmpty();
    }

    @Test
    void theLastErrorNamesTheWinner() {
        shell.run("SET tidemark.commit.attempts = 2; SET tidemark.commit.maxWaitMillis = 1");
        TidemarkException fault = catchThrowableOfType(
                TidemarkException.class,
                () -> race("UPDATE t SET v = 0 WHERE id = 1", "UPDATE t SET v = v + 1 WHERE id = 1", 9));
        assertThat(runs).hasValue(2);
        assertThat(fault.code()).isEqualTo(ErrorCode.CONCURRENT_APPEND);
        assertThat(fault.render()).contains("version 3 (UPDATE)", "Files: part-", "ConcurrentAppendException");
        assertThat(shell.table("t").snapshot().files()).isNotEmpty();
        assertThat(shell.fault("SET tidemark.commit.attempts = 0").code()).isEqualTo(ErrorCode.INVALID_SETTING);
    }
}
