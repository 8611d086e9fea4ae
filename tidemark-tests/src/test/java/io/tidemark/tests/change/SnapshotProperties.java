package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.flow.ScdType;
import io.tidemark.pipeline.run.FlowResult;
import io.tidemark.pipeline.run.RunOptions;
import io.tidemark.spark.engine.value.SparkDialect;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random sequences of snapshots through the whole product: after each update the target is what the oracle says, also
 * when rows were changed by hand in between, and when events feed the same target.
 */
class SnapshotProperties {
    private static final List<ScdType> TYPES = List.of(ScdType.SCD1, ScdType.SCD2, ScdType.BITEMPORAL);
    private static final int FLOWS = 2;
    private static final int KEYS = 8;
    private static final int UPDATES = 4;
    private static final int EVENTS_PER_KEY_MAX = 4;
    private static final @Nullable String[] DOMAIN = {"p", "q", null};
    private static final Pattern VERSION = Pattern.compile("\"version\":\"([^\"]*)\"");
    private static final String SOURCES = "CREATE TABLE snaps (v BIGINT, k STRING, a STRING, b STRING, c STRING);"
            + " CREATE TABLE versions (v BIGINT);"
            + " CREATE TABLE events (op STRING, k STRING, a STRING, b STRING, c STRING,"
            + " seq BIGINT, sys BIGINT, upd ARRAY<STRING>)";
    private static final String VERSIONED = "FROM SNAPSHOT (SELECT k, a, b, c FROM snaps"
            + " WHERE v = current_snapshot_version()) WITH VERSION (SELECT v FROM versions"
            + " WHERE last_snapshot_version() IS NULL OR v > last_snapshot_version() ORDER BY v LIMIT 1)";

    @TempDir
    Path folder;

    @Test
    void typeOne() {
        check(31_000, ScdType.SCD1, Feed.NONE);
    }

    @Test
    void typeTwo() {
        check(32_000, ScdType.SCD2, Feed.NONE);
    }

    @Test
    void bitemporal() {
        check(33_000, ScdType.BITEMPORAL, Feed.NONE);
    }

    @Test
    void typeOneWithEvents() {
        check(34_000, ScdType.SCD1, Feed.WHOLE);
    }

    @Test
    void typeOneWithPartialEvents() {
        check(35_000, ScdType.SCD1, Feed.PARTIAL);
    }

    @Test
    void typeTwoWithEvents() {
        check(36_000, ScdType.SCD2, Feed.WHOLE);
    }

    @Test
    void typeTwoWithPartialEvents() {
        check(39_000, ScdType.SCD2, Feed.PARTIAL);
    }

    @Test
    void bitemporalWithEvents() {
        check(37_000, ScdType.BITEMPORAL, Feed.WHOLE);
    }

    @Test
    void periodic() {
        Seeded.run(38_000, FLOWS + 1, (random, seed) -> {
            try (Lake lake = new Lake(folder.resolve("s" + seed))) {
                periodic(lake, random, TYPES.get(random.nextInt(TYPES.size())));
            }
        });
    }

    /** What else feeds the target. */
    private enum Feed {
        NONE,
        WHOLE,
        PARTIAL
    }

    private void check(long firstSeed, ScdType type, Feed feed) {
        int[] changes = new int[1];
        Seeded.run(firstSeed, FLOWS, (random, seed) -> {
            try (Lake lake = new Lake(folder.resolve("s" + seed))) {
                boolean sequenceInTarget = feed != Feed.NONE && type == ScdType.SCD1 && random.nextBoolean();
                List<String> tracked = random.nextBoolean() ? Histories.COLUMNS : List.of("a", "b");
                Partial partial = feed == Feed.PARTIAL ? Partial.IGNORE_NULLS : Partial.NONE;
                changes[0] += versioned(
                        lake, random, new Setup(type, partial, tracked, sequenceInTarget, false, false), feed);
            }
        });
        if (Long.getLong(Seeded.SEED_PROPERTY) == null) {
            assertThat(changes[0]).as("changes by hand").isGreaterThan(FLOWS);
        }
    }

    private static int versioned(Lake lake, Random random, Setup setup, Feed feed) {
        lake.sql(SOURCES);
        // Changes by hand are edits of one list of events, which the values of partial ones do not allow beside others.
        boolean byHand = feed == Feed.NONE;
        List<Oracle.Event> arrived = new ArrayList<>();
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
        String pipeline = pipeline(setup, random, feed);
        long version = 0;
        int changes = 0;
        Map<String, Map<String, @Nullable Object>> rows = new TreeMap<>();
        for (int update = 0; update < UPDATES; update++) {
            int snapshots = 1 + random.nextInt(2);
            if (feed != Feed.NONE) {
                List<Oracle.Event> batch = Histories.random(random, setup, KEYS, EVENTS_PER_KEY_MAX)
                        .batches()
                        .get(0);
                if (!batch.isEmpty()) {
                    lake.sql("INSERT INTO events " + Histories.sql(batch, new SparkDialect()));
                    arrived.addAll(batch);
                }
            }
            for (int i = 0; i < snapshots; i++) {
                version += 1 + random.nextInt(4);
                rows = next(random, keys, rows);
                insert(lake, version, rows);
                arrived.addAll(SnapshotOracle.events(setup, arrived, version, rows));
            }
            List<FlowResult> results = lake.run(pipeline);
            assertThat(results.stream().filter(result -> result.name().equals("from_snapshots")))
                    .as("one commit for each snapshot")
                    .hasSize(snapshots)
                    .allMatch(result -> result.status() == FlowResult.Status.UPDATED)
                    .allMatch(result -> result.metrics().isEmpty());
            assertThat(lake.rows("t"))
                    .as("%s after update %d", setup, update)
                    .containsExactlyElementsOf(Histories.expected(setup, arrived));
            if (byHand) {
                LakeTarget target = new LakeTarget(lake, random);
                new HandChanges(random, setup, target, arrived).change(keys);
                changes += target.changes();
            } else {
                changes += 2;
            }
        }
        if (!byHand) {
            long before = lake.version("t");
            lake.run(pipeline);
            assertThat(lake.version("t")).as("nothing new").isEqualTo(before);
        }
        return changes;
    }

    /** A snapshot that has much in common with the one before. */
    static Map<String, Map<String, @Nullable Object>> next(
            Random random, List<String> keys, Map<String, Map<String, @Nullable Object>> before) {
        Map<String, Map<String, @Nullable Object>> rows = new TreeMap<>(before);
        for (String key : keys) {
            int what = random.nextInt(5);
            if (what == 0) {
                rows.remove(key);
            } else if (what < 3) {
                Map<String, @Nullable Object> values = new LinkedHashMap<>();
                Histories.COLUMNS.forEach(column -> values.put(column, DOMAIN[random.nextInt(DOMAIN.length)]));
                rows.put(key, values);
            }
        }
        return rows;
    }

    private static void insert(Lake lake, long version, Map<String, Map<String, @Nullable Object>> rows) {
        List<String> values = new ArrayList<>();
        rows.forEach((key, row) -> values.add("(" + version + ", '" + key + "', "
                + String.join(
                        ", ",
                        row.values().stream().map(SnapshotProperties::literal).toList()) + ")"));
        if (!values.isEmpty()) {
            lake.sql("INSERT INTO snaps VALUES " + String.join(", ", values));
        }
        lake.sql("INSERT INTO versions VALUES (" + version + ")");
    }

    private static String literal(@Nullable Object value) {
        return value == null ? "CAST(NULL AS STRING)" : "'" + value + "'";
    }

    private static String pipeline(Setup setup, Random random, Feed feed) {
        String table = "CREATE OR REFRESH STREAMING TABLE t TBLPROPERTIES ('delta.enableChangeDataFeed' = '"
                + random.nextBoolean() + "'); ";
        String stored = " STORED AS " + setup.type().sql() + tracked(setup);
        String snapshots = "CREATE FLOW from_snapshots AS AUTO CDC INTO t " + VERSIONED + " KEYS (k)" + stored + "; ";
        String out = setup.sequenceInTarget() ? "op, sys, upd" : "op, sys, upd, seq";
        String events = "CREATE FLOW from_events AS AUTO CDC INTO t FROM STREAM(events) KEYS (k)"
                + (feed == Feed.PARTIAL ? " IGNORE NULL UPDATES" : "")
                + " APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq"
                + (setup.type() == ScdType.BITEMPORAL ? " SYSTEM SEQUENCE BY sys" : "")
                + " COLUMNS * EXCEPT (" + out + ")" + stored + ";";
        // Flows run in the order of the text, and the oracle takes the events first.
        return table + (feed == Feed.NONE ? snapshots : events + " " + snapshots);
    }

    private static String tracked(Setup setup) {
        boolean some = setup.type() != ScdType.SCD1 && setup.tracked().size() < Histories.COLUMNS.size();
        return some ? " TRACK HISTORY ON (" + String.join(", ", setup.tracked()) + ")" : "";
    }

    private static void periodic(Lake lake, Random random, ScdType type) {
        Setup setup = new Setup(type, Partial.NONE, Histories.COLUMNS, false, false, false);
        lake.sql("CREATE TABLE source (k STRING, a STRING, b STRING, c STRING)");
        String pipeline = "CREATE OR REFRESH STREAMING TABLE t; CREATE FLOW t AS AUTO CDC INTO t"
                + " FROM SNAPSHOT (SELECT * FROM source) KEYS (k) STORED AS " + type.sql() + ";";
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
        List<Oracle.Event> arrived = new ArrayList<>();
        Map<String, Map<String, @Nullable Object>> rows = new TreeMap<>();
        long last = Long.MIN_VALUE;
        for (int update = 0; update < UPDATES; update++) {
            rows = next(random, keys, rows);
            List<String> values = new ArrayList<>();
            rows.forEach((key, row) -> values.add("('" + key + "', "
                    + String.join(
                            ", ",
                            row.values().stream()
                                    .map(SnapshotProperties::literal)
                                    .toList()) + ")"));
            lake.sql("DELETE FROM source");
            if (!values.isEmpty()) {
                lake.sql("INSERT INTO source VALUES " + String.join(", ", values));
            }
            lake.run(pipeline);
            long version = lastVersion(lake);
            assertThat(version).as("versions grow").isGreaterThan(last);
            last = version;
            arrived.addAll(SnapshotOracle.events(setup, arrived, version, rows));
            List<String> expected = Histories.expected(setup, arrived).stream()
                    .map(SnapshotProperties::withTimes)
                    .sorted()
                    .toList();
            assertThat(lake.rows("t")).as("%s after update %d", setup, update).containsExactlyElementsOf(expected);
            long commits = lake.version("t");
            assertThat(lake.run(pipeline)).extracting(FlowResult::status).containsOnly(FlowResult.Status.UNCHANGED);
            assertThat(lake.version("t")).isEqualTo(commits);
            if (random.nextInt(3) == 0) {
                last = refreshed(lake, pipeline, setup, arrived, rows);
            }
        }
    }

    /** A full refresh forgets all earlier snapshots. */
    private static long refreshed(
            Lake lake,
            String pipeline,
            Setup setup,
            List<Oracle.Event> arrived,
            Map<String, Map<String, @Nullable Object>> rows) {
        lake.run(pipeline, RunOptions.of("test").withFullRefresh());
        arrived.clear();
        long version = lastVersion(lake);
        arrived.addAll(SnapshotOracle.events(setup, arrived, version, rows));
        List<String> expected = Histories.expected(setup, arrived).stream()
                .map(SnapshotProperties::withTimes)
                .sorted()
                .toList();
        assertThat(lake.rows("t")).as("after a refresh").containsExactlyElementsOf(expected);
        return version;
    }

    private static long lastVersion(Lake lake) {
        String entry = lake.table("t").snapshot().domain("tidemark.flow.t").orElseThrow();
        Matcher found = VERSION.matcher(entry);
        assertThat(found.find()).as(entry).isTrue();
        Instant time = LocalDateTime.parse(
                        found.group(1).replaceFirst("\\+00:00$", ""),
                        DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss[.SSSSSS][.SSSSS][.SSSS][.SSS][.SS][.S]"))
                .toInstant(ZoneOffset.UTC);
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    private static String withTimes(String row) {
        Matcher numbers = Pattern.compile("\\d{15,}").matcher(row);
        return numbers.replaceAll(number -> Instant.EPOCH
                .plus(Long.parseLong(number.group()), ChronoUnit.MICROS)
                .toString());
    }
}
