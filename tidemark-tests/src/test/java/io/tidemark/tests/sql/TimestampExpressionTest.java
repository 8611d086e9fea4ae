package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.delta.DeltaTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code TIMESTAMP AS OF} with expressions that have one value. */
class TimestampExpressionTest extends ShellTest {
    /** Version 0 is of 2024-01-01, version 1 of 60 hours ago, version 2 of 12 hours ago, version 3 of tomorrow. */
    @BeforeEach
    void versions() {
        shell.run(
                "CREATE TABLE t (id INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2); INSERT INTO t VALUES (3)");
        Instant now = Instant.now();
        age(0, Instant.parse("2024-01-01T00:00:00Z"));
        age(1, now.minus(Duration.ofHours(60)));
        age(2, now.minus(Duration.ofHours(12)));
        age(3, now.plus(Duration.ofHours(24)));
    }

    private void age(long version, Instant time) {
        DeltaTable table = shell.table("t");
        Path entry = Path.of(table.location(), "_delta_log", String.format("%020d.json", version));
        try {
            Files.setLastModifiedTime(entry, FileTime.from(time));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String count(String time) {
        return shell.run("SELECT count(*) FROM t TIMESTAMP AS OF " + time).get(0);
    }

    @Test
    void constantsAreEvaluated() {
        assertThat(count("current_timestamp()")).isEqualTo("2");
        assertThat(count("now() - INTERVAL 1 DAY")).isEqualTo("1");
        assertThat(count("current_timestamp() - INTERVAL '36' HOUR")).isEqualTo("1");
        assertThat(count("date '2024-01-02'")).isEqualTo("0");
        assertThat(count("date '2024-01-01' + INTERVAL 1 DAY")).isEqualTo("0");
        assertThat(count("date_sub(current_date(), 10)")).isEqualTo("0");
        assertThat(count("CAST('2024-01-02 10:00:00' AS TIMESTAMP)")).isEqualTo("0");
        assertThat(count("('2024-01-02')")).isEqualTo("0");
        assertThat(count("concat('2024-01', '-02')")).isEqualTo("0");
    }

    @Test
    void whatFollowsIsNotPartOfTheExpression() {
        assertThat(shell.run("SELECT a.id FROM t TIMESTAMP AS OF now() - INTERVAL 1 DAY AS a"
                        + " JOIN t FOR SYSTEM_TIME AS OF now() AS b ON a.id < b.id WHERE b.id = 2"))
                .containsExactly("1");
        assertThat(shell.run(
                        "SELECT (SELECT max(id) FROM t TIMESTAMP AS OF now()) + (SELECT count(*) FROM t TIMESTAMP AS OF"
                                + " '2024-01-02' WHERE id > 0)"))
                .containsExactly("2");
    }

    @Test
    void otherThingsAreRefused() {
        assertThat(shell.fault("SELECT * FROM t TIMESTAMP AS OF id").render())
                .contains("UNSUPPORTED_FEATURE", "takes a constant, not id", "1:33");
        assertThat(shell.fault("SELECT * FROM t TIMESTAMP AS OF (SELECT max(id) FROM t)")
                        .render())
                .contains("UNSUPPORTED_FEATURE", "It reads tables", "1:33");
        assertThat(shell.fault("SELECT * FROM t TIMESTAMP AS OF CAST(NULL AS TIMESTAMP)")
                        .code())
                .isEqualTo(ErrorCode.TIMESTAMP_OUT_OF_RANGE);
        assertThat(shell.fault("SELECT * FROM t TIMESTAMP AS OF").render()).contains("SYNTAX_ERROR", "1:32");
        assertThat(shell.fault("SELECT * FROM t TIMESTAMP AS OF nonsense(1)").render())
                .contains("1:33");
        assertThat(shell.fault("SELECT * FROM t TIMESTAMP AS OF now() + INTERVAL 3 DAYS")
                        .code())
                .isEqualTo(ErrorCode.TIMESTAMP_OUT_OF_RANGE);
    }
}
