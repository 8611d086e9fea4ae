package io.tidemark.sql.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.DeltaTable;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** INSERT into tables that change flows write. */
class TargetInsertTest {
    @TempDir
    Path folder = Path.of("");

    private TestSession session = new TestSession(Path.of("target/unused"));

    @BeforeEach
    void open() {
        session.close();
        session = new TestSession(folder);
    }

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void latestVersionOnly() {
        session.run("CREATE TABLE t (id INT, region STRING, v INT); INSERT INTO t VALUES (1, 'a', 1)");
        makeTarget("SCD TYPE 1", "id", "region");
        assertThat(session.run("INSERT INTO t VALUES (1, 'b', 2), (2, 'a', 3)")).hasSize(1);
        assertThat(session.table("t").history().get(0).info().isBlindAppend()).contains(false);
        refused("INSERT INTO t VALUES (1, 'a', 9)", "(id = 1, region = 'a')");
        refused("INSERT INTO t VALUES (5, 'a', 9), (5, 'a', 8)", "(id = 5, region = 'a')");
        refused("INSERT INTO t VALUES (NULL, 'a', 9)", "id = NULL");
    }

    @Test
    void history() {
        session.run("CREATE TABLE t (id INT, name STRING, __START_AT INT, __END_AT INT);"
                + " INSERT INTO t VALUES (1, 'a', 1, 5), (1, 'b', 5, NULL)");
        makeTarget("SCD TYPE 2", "id");
        session.run("INSERT INTO t (id, name, __START_AT, __END_AT) VALUES (123, 'Ada Byron', 5, NULL)");
        session.run("INSERT INTO t VALUES (1, 'before', -1, 1), (7, 'x', 1, 2), (7, 'y', 2, 3)");
        refused("INSERT INTO t VALUES (1, 'c', 9, NULL)", "__START_AT = 9, __END_AT = NULL) meets (id = 1");
        refused("INSERT INTO t VALUES (1, 'c', 0, 2)", "meets");
        refused("INSERT INTO t VALUES (8, 'c', 0, 2), (8, 'd', 1, 3)", "meets");
        refused("INSERT INTO t VALUES (8, 'c', NULL, 2)", "__START_AT = NULL");
        refused("INSERT INTO t VALUES (8, 'c', 2, 2)", "__END_AT = 2");
        refused("INSERT INTO t VALUES (NULL, 'c', 2, 3)", "id = NULL");
        assertThat(session.run("SELECT count(*) FROM t")).containsExactly("6");
    }

    @Test
    void otherNamesForThePeriodAndAHandMadeVersion() {
        session.run("CREATE TABLE customers_scd2 (id INT, name STRING, __START_AT INT, __END_AT INT)");
        session.run("""
                -- 3. other names for the period columns, by a view; 4. a hand-made open version
                CREATE VIEW customers_v AS SELECT *, __START_AT AS valid_from, __END_AT AS valid_to FROM customers_scd2;
                INSERT INTO customers_scd2 (id, name, __START_AT, __END_AT) VALUES (123, 'Ada Byron', 5, NULL);
                """);
        assertThat(session.run("SELECT id, name, valid_from, valid_to FROM customers_v"))
                .containsExactly("123|Ada Byron|5|null");
    }

    @Test
    void beliefs() {
        session.run("CREATE TABLE t (id INT, v STRING, __START_AT INT, __END_AT INT, __SYSTEM_START_AT INT,"
                + " __SYSTEM_END_AT INT); INSERT INTO t VALUES (1, 'a', 10, NULL, 1, 2), (1, 'a', 10, 20, 2, NULL)");
        makeTarget("BITEMPORAL", "id");
        session.run("INSERT INTO t VALUES (1, 'b', 20, 30, 5, NULL), (2, 'c', 1, 2, 3, NULL)");
        refused("INSERT INTO t VALUES (1, 'b', 40, NULL, 1, NULL)", "meets");
        refused("INSERT INTO t VALUES (1, 'b', 15, 16, 9, NULL)", "meets");
        refused("INSERT INTO t VALUES (1, 'b', 50, 60, 5, 6)", "__SYSTEM_END_AT = 6");
        refused("INSERT INTO t VALUES (1, 'b', 50, 60, NULL, NULL)", "__SYSTEM_START_AT = NULL");
    }

    private void refused(String text, String sample) {
        TidemarkException fault = session.fault(text);
        assertThat(fault.code()).as(text).isEqualTo(ErrorCode.TARGET_ROWS_INVALID);
        assertThat(fault.detail().orElse("")).as(text).contains(sample);
    }

    private void makeTarget(String storedAs, String... keys) {
        DeltaTable table = session.table("t");
        String names = String.join("\", \"", List.of(keys));
        String entry = "{\"manifest\": \"m\", \"storedAs\": \"" + storedAs + "\", \"keyColumns\": [\"" + names + "\"]}";
        table.snapshot()
                .begin("UPDATE")
                .setDomain("tidemark.target", entry)
                .commit()
                .version();
    }
}
