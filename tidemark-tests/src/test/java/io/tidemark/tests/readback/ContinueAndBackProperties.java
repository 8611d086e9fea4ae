package io.tidemark.tests.readback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tidemark.core.error.TidemarkException;
import io.tidemark.delta.log.AddFile;
import io.tidemark.delta.log.CommitInfo;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.pipeline.Lake;
import io.tidemark.tests.spark.SparkSessions;
import io.tidemark.tests.sql.DmlOracle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tidemark and Spark take turns on one table with statements of all kinds. After each step both read the rows that an
 * obvious program holds, and at the end both give one change feed, which replayed gives the rows of every version.
 */
class ContinueAndBackProperties {
    private static final int STEPS = 30;

    /** Properties of the table of each case; Tidemark makes the first one, partitioned, and Spark the second one. */
    private static final List<String> TABLES = List.of(
            "'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true'",
            "'delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = 'true', "
                    + "'delta.checkpointPolicy' = 'v2', 'delta.enableInCommitTimestamps' = 'true'");

    @TempDir
    Path folder;

    @Test
    void rowsAndChangesAreThoseOfTheOracle() {
        Set<String> vectorWriters = new HashSet<>();
        Seeded.run(9_300, TABLES.size(), (random, seed) -> {
            Path home = folder.resolve("s" + seed);
            try (Lake lake = new Lake(home)) {
                int table = (int) (seed % TABLES.size());
                new Turns(lake, home.resolve("warehouse/default/t"), random)
                        .run(TABLES.get(table), table, vectorWriters);
            }
        });
        assertThat(vectorWriters).as("who deleted by vectors").hasSize(2);
    }

    /** One table and its history. */
    private static final class Turns {
        private final Lake lake;
        private final Path table;
        private final Random random;
        private final DmlOracle oracle;
        private final Map<Long, List<DmlOracle.Row>> versions = new HashMap<>();
        private final List<String> steps = new ArrayList<>();

        Turns(Lake lake, Path table, Random random) {
            this.lake = lake;
            this.table = table;
            this.random = random;
            this.oracle = new DmlOracle(random);
        }

        void run(String properties, int number, Set<String> writers) {
            execute(
                    number != 0,
                    "CREATE TABLE t (id INT, p STRING, v INT)" + (number == 0 ? "" : " USING delta")
                            + (number == 0 ? " PARTITIONED BY (p)" : "") + " TBLPROPERTIES (" + properties
                            + ", 'delta.checkpointInterval' = '7')");
            remember();
            for (int i = 0; i < STEPS; i++) {
                step(random.nextBoolean());
                remember();
                assertThat(lake.rows("t")).as("Tidemark, after %s", steps).isEqualTo(oracle.texts());
                assertThat(sparkRows()).as("Spark, after %s", steps).isEqualTo(oracle.texts());
            }
            long last = lake.version("t");
            RowBag ours = Changes.ours(lake, "t", 0, last);
            Changes.spark(lake.table("t"), table, 0, last).assertSameAs(ours, "changes after " + steps);
            replay(last);
            writers.addAll(vectorWriters(last));
        }

        private Set<String> vectorWriters(long last) {
            Set<String> writers = new HashSet<>();
            lake.table("t").commits(0, last, commit -> {
                if (commit.actions().stream()
                        .anyMatch(action -> action instanceof AddFile file && file.deletionVector() != null)) {
                    writers.add(commit.info().flatMap(CommitInfo::engineInfo).orElse(""));
                }
            });
            return writers;
        }

        /** Versions since the last step, of which some may be compactions that followed it. */
        private void remember() {
            for (long version = versions.size(); version <= lake.version("t"); version++) {
                versions.put(version, oracle.rows());
            }
        }

        private void step(boolean spark) {
            switch (random.nextInt(12)) {
                case 0 -> execute(spark, "OPTIMIZE t");
                case 1 ->
                    execute(
                            spark,
                            "ALTER TABLE t SET TBLPROPERTIES ('delta.checkpointInterval' = '" + (1 + random.nextInt(4))
                                    + "', 'delta.enableDeletionVectors' = '" + (random.nextInt(3) > 0) + "')");
                case 2 -> execute(spark, "VACUUM t RETAIN 168 HOURS");
                case 3 -> {
                    long version = random.nextInt(versions.size());
                    execute(spark, "RESTORE TABLE t TO VERSION AS OF " + version);
                    oracle.restore(versions.getOrDefault(version, List.of()));
                }
                default -> change(spark);
            }
        }

        private void change(boolean spark) {
            DmlOracle.Statement statement = oracle.next();
            if (!statement.ambiguous()) {
                execute(spark, statement.text());
                return;
            }
            assertThatThrownBy(() -> execute(false, statement.text()))
                    .isInstanceOf(TidemarkException.class)
                    .hasMessageContaining("MERGE_AMBIGUOUS");
            assertThatThrownBy(() -> execute(true, statement.text()))
                    .hasMessageContaining("DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE");
        }

        private void execute(boolean spark, String statement) {
            steps.add((spark ? "Spark: " : "Tidemark: ") + statement);
            if (!spark) {
                lake.sql(statement);
                return;
            }
            String name = "delta.`" + table + "`";
            SparkSessions.get()
                    .sql(statement
                            .replaceFirst("^(MERGE INTO|UPDATE) t ", "$1 " + name + " AS t ")
                            .replaceFirst(
                                    "^(CREATE TABLE|INSERT INTO|DELETE FROM|OPTIMIZE|VACUUM|ALTER TABLE|RESTORE TABLE) t\\b",
                                    "$1 " + name))
                    .collectAsList();
        }

        private List<String> sparkRows() {
            List<String> rows = new ArrayList<>();
            for (Row row : SparkSessions.get()
                    .read()
                    .format("delta")
                    .load(table.toString())
                    .collectAsList()) {
                rows.add(row.get(0) + "|" + row.get(1) + "|" + row.get(2));
            }
            return rows.stream().sorted().toList();
        }

        private void replay(long last) {
            Map<Long, List<String>> changes = new HashMap<>();
            for (String row :
                    lake.sql("SELECT _commit_version, IF(_change_type IN ('insert', 'update_postimage'), '+', '-'),"
                            + " id, p, v FROM table_changes('t', 0)")) {
                String[] parts = row.split("\\|", 2);
                changes.computeIfAbsent(Long.valueOf(parts[0]), version -> new ArrayList<>())
                        .add(parts[1]);
            }
            List<String> rows = new ArrayList<>();
            for (long version = 0; version <= last; version++) {
                // Rows that went come first: a minus sorts after a plus.
                List<String> here = new ArrayList<>(changes.getOrDefault(version, List.of()));
                here.sort((left, right) -> right.compareTo(left));
                for (String change : here) {
                    String row = change.substring(2);
                    assertThat(change.startsWith("-") ? rows.remove(row) : rows.add(row))
                            .as("version %d: %s after %s", version, change, steps)
                            .isTrue();
                }
                assertThat(rows.stream().sorted().toList())
                        .as("version %d after %s", version, steps)
                        .isEqualTo(versions.getOrDefault(version, List.of()).stream()
                                .map(DmlOracle.Row::text)
                                .sorted()
                                .toList());
            }
        }
    }
}
