package io.tidemark.sql.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that insert at the same time: statements that lose a conflict run again on the new version. */
class ConcurrentInsertTest {
    private static final int SESSIONS = 4;

    @TempDir
    Path folder = Path.of("");

    @Test
    void oneKeyIsInsertedOnceAndOthersGetThrough() throws Exception {
        try (TestSession session = new TestSession(folder)) {
            session.run("CREATE TABLE t (id INT, who INT)");
            String entry = "{\"storedAs\": \"SCD TYPE 1\", \"keyColumns\": [\"id\"]}";
            session.table("t")
                    .snapshot()
                    .begin("UPDATE")
                    .setDomain("tidemark.target", entry)
                    .commit()
                    .version();
            List<String> outcomes = insertTogether();
            assertThat(outcomes.stream().filter("inserted"::equals)).hasSize(1);
            assertThat(outcomes.stream().filter(ErrorCode.TARGET_ROWS_INVALID.name()::equals))
                    .hasSize(SESSIONS - 1);
            assertThat(session.run("SELECT count(*) FROM t WHERE id = 1; SELECT count(*) FROM t WHERE id > 1"))
                    .containsExactly("1", String.valueOf(SESSIONS));
        }
    }

    private List<String> insertTogether() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
        try {
            List<Callable<String>> tasks = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                int number = i;
                tasks.add(() -> insert(number));
            }
            List<String> outcomes = new ArrayList<>();
            for (Future<String> outcome : threads.invokeAll(tasks)) {
                outcomes.add(outcome.get());
            }
            return outcomes;
        } finally {
            threads.shutdownNow();
        }
    }

    private String insert(int number) {
        try (TestSession session = new TestSession(folder)) {
            session.run("INSERT INTO t VALUES (" + (number + 10) + ", " + number + ")");
            session.run("INSERT INTO t VALUES (1, " + number + ")");
            return "inserted";
        } catch (TidemarkException fault) {
            return fault.code().name();
        }
    }
}
