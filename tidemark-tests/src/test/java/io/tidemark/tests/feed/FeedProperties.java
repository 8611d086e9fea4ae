package io.tidemark.tests.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.testkit.Seeded;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Targets of change flows with a change data feed, over random histories: the feed replayed gives every version of the
 * table, says nothing of rows that did not change, and pairs the images of an update by the row's identity. A flow that
 * reads the feed of a history keeps the latest rows equal to those of a flow over the events themselves.
 */
class FeedProperties {
    private static final int HISTORIES = 6;
    private static final int BATCHES = 5;
    private static final int KEYS = 6;
    private static final int EVENTS_MAX = 12;

    private static final String FLOW = """
            CREATE OR REFRESH STREAMING TABLE %1$s
              TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true', 'delta.enableDeletionVectors' = '%2$s');
            CREATE FLOW %1$s AS AUTO CDC INTO %1$s FROM STREAM(events) KEYS (id)
            APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq COLUMNS * EXCEPT (op, seq, known) STORED AS %3$s;
            """;
    private static final String LATEST = """
            CREATE OR REFRESH STREAMING TABLE latest;
            CREATE FLOW latest AS AUTO CDC INTO latest
            FROM (SELECT * FROM STREAM table_changes('two') WHERE __END_AT IS NULL)
            KEYS (id)
            APPLY AS DELETE WHEN _change_type IN ('delete', 'update_preimage')
            SEQUENCE BY _commit_version
            COLUMNS id, a, b;
            """;

    @TempDir
    Path folder;

    @Test
    void theFeedReplaysTheTable() {
        Seeded.run(8_000, HISTORIES, (random, seed) -> {
            try (Lake lake = new Lake(folder.resolve(Long.toString(seed)))) {
                check(lake, random);
            }
        });
    }

    private static void check(Lake lake, Random random) {
        String pipeline = FLOW.formatted("one", random.nextBoolean(), "SCD TYPE 1")
                + FLOW.formatted("two", random.nextBoolean(), "SCD TYPE 2")
                + FLOW.formatted("both", random.nextBoolean(), "BITEMPORAL SYSTEM SEQUENCE BY known")
                + LATEST;
        lake.sql("CREATE TABLE events (op STRING, id INT, a INT, b STRING, seq INT, known INT)");
        for (int batch = 0; batch < BATCHES; batch++) {
            lake.sql("INSERT INTO events VALUES " + events(random, batch));
            lake.run(pipeline);
            assertThat(lake.rows("latest")).as("after batch %d", batch).isEqualTo(lake.rows("one"));
        }
        replay(lake, "one", "id");
        replay(lake, "two", "concat(id, '/', coalesce(__START_AT, __END_AT))");
        replay(lake, "both", "concat(id, '/', __START_AT, '/', __SYSTEM_START_AT)");
    }

    private static String events(Random random, int batch) {
        List<String> events = new ArrayList<>();
        int count = 1 + random.nextInt(EVENTS_MAX);
        for (int i = 0; i < count; i++) {
            events.add("('%s', %d, %d, '%s', %d, %d)"
                    .formatted(
                            random.nextInt(4) == 0 ? "D" : "U",
                            random.nextInt(KEYS),
                            random.nextInt(2),
                            random.nextBoolean() ? "x" : "y",
                            random.nextInt(20),
                            batch * EVENTS_MAX + i));
        }
        return String.join(", ", events);
    }

    private static void replay(Lake lake, String table, String identity) {
        Map<Long, List<String[]>> changes = new HashMap<>();
        for (String row : lake.sql("SELECT _commit_version, _change_type, " + identity
                + ", * EXCEPT (_change_type, _commit_version, _commit_timestamp) FROM table_changes('" + table
                + "', 0)")) {
            String[] parts = row.split("\\|", 4);
            changes.computeIfAbsent(Long.parseLong(parts[0]), version -> new ArrayList<>())
                    .add(parts);
        }
        List<String> rows = new ArrayList<>();
        for (long version = 0; version <= lake.version(table); version++) {
            List<String> came = new ArrayList<>();
            List<String> went = new ArrayList<>();
            Map<String, List<String>> types = new HashMap<>();
            for (String[] change : changes.getOrDefault(version, List.of())) {
                boolean isNew = change[1].equals("insert") || change[1].equals("update_postimage");
                (isNew ? came : went).add(change[3]);
                types.computeIfAbsent(change[2], key -> new ArrayList<>()).add(change[1]);
            }
            for (String row : went) {
                assertThat(rows.remove(row))
                        .as("%s %d had %s", table, version, row)
                        .isTrue();
            }
            rows.addAll(came);
            rows.sort(null);
            String place = table + " version " + version;
            assertThat(lake.rows(table + " VERSION AS OF " + version)).as(place).isEqualTo(rows);
            assertThat(went.stream().filter(came::contains)).as(place).isEmpty();
            types.forEach((key, found) -> assertThat(found.stream().sorted().toList())
                    .as("%s identity %s", place, key)
                    .isIn(List.of("insert"), List.of("delete"), List.of("update_postimage", "update_preimage")));
        }
    }
}
