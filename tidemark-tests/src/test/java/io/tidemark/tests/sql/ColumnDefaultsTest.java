package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TidemarkException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Default values of columns are refused, each where it is said, and nothing is done. */
class ColumnDefaultsTest extends ShellTest {
    @Test
    void defaultsAreRefusedWhereTheyStand() {
        shell.run("CREATE TABLE t (a INT, b INT); INSERT INTO t VALUES (1, 2)");
        for (String statement : List.of(
                "CREATE TABLE u (a INT DEFAULT 5)",
                "ALTER TABLE t ADD COLUMN c INT DEFAULT 7",
                "ALTER TABLE t ALTER COLUMN a SET DEFAULT 5",
                "ALTER TABLE t ALTER COLUMN a DROP DEFAULT",
                "INSERT INTO t VALUES (1, DEFAULT)",
                "INSERT INTO t (a, b) SELECT 1, DEFAULT",
                "UPDATE t SET a = DEFAULT",
                "MERGE INTO t USING (SELECT 9 AS a) s ON t.a = s.a WHEN NOT MATCHED THEN INSERT (a, b) VALUES (1, DEFAULT)")) {
            TidemarkException fault = shell.fault(statement);
            assertThat(fault.code()).as(statement).isEqualTo(ErrorCode.UNSUPPORTED_FEATURE);
            assertThat(fault.render())
                    .contains("DEFAULT is not supported", "s.sql:1:" + (statement.indexOf("DEFAULT") + 1));
        }
        assertThat(shell.version("t")).isEqualTo(1);
    }
}
