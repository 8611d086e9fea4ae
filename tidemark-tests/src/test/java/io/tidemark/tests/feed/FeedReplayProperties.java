package io.tidemark.tests.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.flow.TableName;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.pipeline.Lake;
import io.tidemark.tests.sql.DmlOracle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Change data feeds of plain tables, append-only tables, change targets and materialized views, over random statements,
 * updates, full refreshes, OPTIMIZE, RESTORE and TRUNCATE: the feed from one version to another one turns the rows of the
 * one into those of the other, and says as much as the table's data files say without the files of changes.
 */
class FeedReplayProperties {
    private static final int CASES = 3;
    private static final int STEPS = 10;
    private static final int RANGES = 3;
    private static final List<String> TABLES = List.of("t", "appended", "latest", "sums", "large");

    /** Of each table {@code %1$s} etc. says whether it has deletion vectors. */
    private static final String PIPELINE = """
            CREATE OR REFRESH STREAMING TABLE appended CLUSTER BY (p) %1$s;
            CREATE FLOW some AS INSERT INTO appended BY NAME SELECT id, p, v FROM STREAM(events) WHERE v < 8;
            CREATE FLOW others AS INSERT INTO appended BY NAME SELECT id, 'o' AS p, v FROM STREAM(events) WHERE v >= 8;
            CREATE OR REFRESH STREAMING TABLE latest %2$s;
            CREATE FLOW latest AS AUTO CDC INTO latest FROM STREAM(events) KEYS (id) APPLY AS DELETE WHEN v = 3
              SEQUENCE BY v STORED AS SCD TYPE 1;
            CREATE OR REFRESH MATERIALIZED VIEW sums %3$s AS SELECT p, count(*) AS n, sum(v) AS total FROM t GROUP BY p;
            CREATE OR REFRESH MATERIALIZED VIEW large CLUSTER BY (p) %1$s
              AS SELECT t.id, t.p, l.v FROM t JOIN latest AS l ON t.id = l.id WHERE t.v > 5;
            """;

    @TempDir
    Path folder;

    @Test
    void theFeedTurnsOneVersionIntoAnother() {
        Map<String, Integer> left = new TreeMap<>();
        Seeded.run(8_500, CASES, (random, seed) -> {
            try (Lake lake = new Lake(folder.resolve("s" + seed))) {
                work(lake, random);
                for (String table : TABLES) {
                    Path schema = folder.resolve("s" + seed + "/warehouse/default");
                    left.merge(table, check(lake, schema, table, random), Integer::sum);
                }
            }
        });
        assertThat(left.get("t")).as("files of changes of statements").isPositive();
        assertThat(left.get("latest")).as("files of changes of a flow").isPositive();
    }

    private static String properties(boolean vectors) {
        return "TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '" + vectors
                + "')";
    }

    private static void work(Lake lake, Random random) {
        String pipeline = PIPELINE.formatted(
                properties(random.nextBoolean()), properties(random.nextBoolean()), properties(random.nextBoolean()));
        lake.sql("CREATE TABLE t (id INT, p STRING, v INT) " + (random.nextBoolean() ? "PARTITIONED BY (p) " : "")
                + properties(random.nextBoolean()));
        lake.sql("CREATE TABLE events (id INT, p STRING, v INT)");
        DmlOracle statements = new DmlOracle(random);
        for (int step = 0; step < STEPS; step++) {
            if (random.nextInt(3) > 0) {
                lake.sql("INSERT INTO events " + rows(random));
            }
            for (int i = random.nextInt(3); i >= 0; i--) {
                DmlOracle.Statement statement = statements.next();
                if (!statement.ambiguous()) {
                    lake.sql(statement.text());
                }
            }
            boolean refresh = random.nextInt(5) == 0;
            TableName refreshed = TableName.of(TABLES.get(1 + random.nextInt(TABLES.size() - 1)));
            RunOptions options = RunOptions.of("test");
            lake.run(pipeline, refresh ? options.withFullRefresh(Set.of(refreshed)) : options);
            rare(lake, random);
        }
    }

    private static String rows(Random random) {
        List<String> rows = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            rows.add(
                    "(" + random.nextInt(10) + ", " + (random.nextInt(4) == 0 ? "NULL" : "'p" + random.nextInt(3) + "'")
                            + ", " + random.nextInt(14) + ")");
        }
        return "VALUES " + String.join(", ", rows);
    }

    private static void rare(Lake lake, Random random) {
        String any = TABLES.get(random.nextInt(TABLES.size()));
        String statement = switch (random.nextInt(9)) {
            case 0, 1 -> "OPTIMIZE " + any;
            case 2, 3 -> "RESTORE " + any + " TO VERSION AS OF " + (1 + random.nextInt((int) lake.version(any)));
            case 4 -> "TRUNCATE TABLE " + TABLES.get(random.nextInt(3));
            case 5 -> "INSERT OVERWRITE t SELECT id, p, v + 1 FROM t WHERE id > 1";
            case 6 -> "DELETE FROM appended WHERE v IN (5, 9)";
            case 7 -> "UPDATE appended SET v = v + 100 WHERE id = 2";
            default -> "DELETE FROM latest WHERE id = 4";
        };
        lake.sql(statement);
    }

    /** Returns how many files of changes the table's log names. */
    private static int check(Lake lake, Path schema, String table, Random random) throws IOException {
        long last = lake.version(table);
        Map<Long, Map<String, Integer>> changes = changes(lake, table);
        List<Map<String, Integer>> rows = new ArrayList<>();
        for (long version = 0; version <= last; version++) {
            rows.add(counted(lake.rows(table + " VERSION AS OF " + version)));
        }
        for (int version = 1; version <= last; version++) {
            assertThat(sum(rows.get(version - 1), changes.getOrDefault((long) version, Map.of())))
                    .as("%s version %d", table, version)
                    .isEqualTo(rows.get(version));
        }
        for (int i = 0; i < RANGES && last > 0; i++) {
            int from = random.nextInt((int) last);
            int to = from + 1 + random.nextInt((int) last - from);
            Map<String, Integer> all = rows.get(from);
            for (Map<String, Integer> more : changes(lake, table, from + 1, to).values()) {
                all = sum(all, more);
            }
            assertThat(all).as("%s from %d to %d", table, from, to).isEqualTo(rows.get(to));
        }
        int left = withoutChangeFiles(schema.resolve(table), schema.resolve(table + "_bare"));
        assertThat(changes(lake, table + "_bare"))
                .as("%s without files of changes", table)
                .isEqualTo(changes);
        assertThat(last).as(table).isGreaterThan(3);
        return left;
    }

    private static Map<Long, Map<String, Integer>> changes(Lake lake, String table) {
        return changes(lake, table, 0, lake.version(table));
    }

    /** For each version how often each row came, less how often it went, where that is not nothing. */
    private static Map<Long, Map<String, Integer>> changes(Lake lake, String table, long from, long to) {
        Map<Long, Map<String, Integer>> changes = new HashMap<>();
        for (String row : lake.sql("SELECT _commit_version, _change_type,"
                + " * EXCEPT (_change_type, _commit_version, _commit_timestamp) FROM table_changes('" + table + "', "
                + from + ", " + to + ")")) {
            String[] parts = row.split("\\|", 3);
            int sign = switch (parts[1]) {
                case "insert", "update_postimage" -> 1;
                case "delete", "update_preimage" -> -1;
                default -> throw new AssertionError(row);
            };
            changes.computeIfAbsent(Long.valueOf(parts[0]), version -> new TreeMap<>())
                    .merge(parts[2], sign, Integer::sum);
        }
        changes.values().forEach(version -> version.values().removeIf(count -> count == 0));
        changes.values().removeIf(Map::isEmpty);
        return changes;
    }

    private static Map<String, Integer> counted(List<String> rows) {
        Map<String, Integer> counts = new TreeMap<>();
        rows.forEach(row -> counts.merge(row, 1, Integer::sum));
        return counts;
    }

    private static Map<String, Integer> sum(Map<String, Integer> left, Map<String, Integer> right) {
        Map<String, Integer> sum = new TreeMap<>(left);
        right.forEach((row, count) -> sum.merge(row, count, Integer::sum));
        sum.values().removeIf(count -> count == 0);
        return sum;
    }

    /** Copies a table, without what its log says of files of changes; returns how many it says. */
    private static int withoutChangeFiles(Path table, Path copy) throws IOException {
        int left = 0;
        try (Stream<Path> files = Files.walk(table)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Path target = copy.resolve(table.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else if (file.toString().matches(".*/_delta_log/\\d{20}\\.json")) {
                    List<String> lines = new ArrayList<>(Files.readAllLines(file));
                    int all = lines.size();
                    lines.removeIf(line -> line.startsWith("{\"cdc\""));
                    left += all - lines.size();
                    Files.write(target, lines);
                } else if (!file.toString().contains("_change_data")) {
                    Files.copy(file, target);
                }
            }
        }
        return left;
    }
}
