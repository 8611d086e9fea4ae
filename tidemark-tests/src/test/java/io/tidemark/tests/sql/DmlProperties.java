package io.tidemark.tests.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.testkit.Seeded;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random statements give the rows that an obvious program gives, however the table is stored. */
class DmlProperties {
    private static final int CASES = 16;
    private static final int STATEMENTS = 14;

    @TempDir
    Path folder = Path.of("");

    @Test
    void rowsAreThoseOfTheOracle() {
        Seeded.run(7_100, CASES, (random, seed) -> {
            try (Shell shell = new Shell(folder.resolve("s" + seed))) {
                run(shell, random, seed);
            }
        });
    }

    /** Runs random statements on a table whose storage the seed decides. */
    static void run(Shell shell, Random random, long seed) {
        boolean vectors = (seed & 1) == 0;
        boolean partitioned = (seed & 2) == 0;
        boolean feed = (seed & 4) == 0;
        shell.run("CREATE TABLE t (id INT, p STRING, v INT)" + (partitioned ? " PARTITIONED BY (p)" : "")
                + " TBLPROPERTIES ('delta.enableDeletionVectors' = '" + vectors + "', 'delta.enableChangeDataFeed' = '"
                + feed + "')");
        DmlOracle oracle = new DmlOracle(random);
        for (int i = 0; i < STATEMENTS; i++) {
            DmlOracle.Statement statement = oracle.next();
            if (statement.ambiguous()) {
                assertThat(shell.fault(statement.text()).code()).isEqualTo(ErrorCode.MERGE_AMBIGUOUS);
            } else {
                shell.run(statement.text());
            }
            assertThat(shell.rows("t")).as(statement.text()).isEqualTo(oracle.texts());
        }
    }
}
