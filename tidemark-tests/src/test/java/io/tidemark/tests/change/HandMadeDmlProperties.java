package io.tidemark.tests.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.flow.ScdType;
import io.tidemark.spark.engine.value.SparkDialect;
import io.tidemark.testkit.Seeded;
import io.tidemark.tests.change.Histories.Partial;
import io.tidemark.tests.change.Histories.Setup;
import io.tidemark.tests.pipeline.Lake;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * UPDATE, DELETE, INSERT and MERGE on targets between the updates of their flows, through the whole product: the flow
 * carries on as if the list of events had been edited, and statements that leave rows which contradict each other are
 * refused with the key's name and change nothing.
 */
class HandMadeDmlProperties {
    private static final int FLOWS = 4;
    private static final int KEYS = 9;
    private static final int EVENTS_PER_KEY_MAX = 7;
    private static final int REPLAYED = 5;

    private static final String EVENTS = "CREATE TABLE events (op STRING, k STRING, a STRING, b STRING, c STRING,"
            + " seq BIGINT, sys BIGINT, upd ARRAY<STRING>)";

    @TempDir
    Path folder;

    @Test
    void typeOne() {
        check(21_000, ScdType.SCD1, Partial.NONE);
    }

    @Test
    void typeOnePartial() {
        check(22_000, ScdType.SCD1, Partial.IGNORE_NULLS);
    }

    @Test
    void typeTwo() {
        check(23_000, ScdType.SCD2, Partial.NONE);
    }

    @Test
    void typeTwoPartial() {
        check(24_000, ScdType.SCD2, Partial.COLUMNS_TO_UPDATE);
    }

    @Test
    void bitemporal() {
        check(25_000, ScdType.BITEMPORAL, Partial.NONE);
    }

    private void check(long firstSeed, ScdType type, Partial partial) {
        int[] done = new int[2];
        Seeded.run(firstSeed, FLOWS, (random, seed) -> {
            try (Lake lake = new Lake(folder.resolve("s" + seed))) {
                boolean sequenceInTarget = type == ScdType.SCD1 && random.nextBoolean();
                List<String> tracked = random.nextBoolean() ? Histories.COLUMNS : List.of("a", "b");
                Setup setup = new Setup(type, partial, tracked, sequenceInTarget, false, false);
                LakeTarget target = run(lake, random, setup);
                done[0] += target.changes();
                done[1] += target.refusals();
            }
        });
        if (Long.getLong(Seeded.SEED_PROPERTY) == null) {
            assertThat(done[0]).as("changes by hand").isGreaterThan(FLOWS * 2);
            assertThat(done[1]).as("refused changes").isGreaterThan(FLOWS);
        }
    }

    private static LakeTarget run(Lake lake, Random random, Setup setup) {
        List<String> keys = IntStream.range(0, KEYS).mapToObj(i -> "k" + i).toList();
        lake.sql(EVENTS);
        String pipeline = pipeline(setup, random);
        lake.run(pipeline);
        LakeTarget target = new LakeTarget(lake, random);
        List<Oracle.Event> arrived = new ArrayList<>();
        List<List<Oracle.Event>> batches = new ArrayList<>(
                Histories.random(random, setup, KEYS, EVENTS_PER_KEY_MAX).batches());
        List<Oracle.Event> all = batches.stream().flatMap(List::stream).toList();
        // Without new events a flow makes no update and leaves what was made by hand as it is.
        batches.removeIf(List::isEmpty);
        batches.add(random.ints(REPLAYED, 0, all.size()).mapToObj(all::get).toList());
        for (int i = 0; i < batches.size(); i++) {
            lake.sql("INSERT INTO events " + Histories.sql(batches.get(i), new SparkDialect()));
            lake.run(pipeline);
            arrived.addAll(batches.get(i));
            assertThat(lake.rows("t"))
                    .as("%s after update %d", setup, i)
                    .containsExactlyElementsOf(Histories.expected(setup, arrived));
            new HandChanges(random, setup, target, arrived).change(keys);
            refusals(setup, target);
        }
        return target;
    }

    /** Statements that would leave rows which contradict each other. */
    private static void refusals(Setup setup, LakeTarget target) {
        List<List<@Nullable Object>> rows = target.rows();
        if (rows.isEmpty()) {
            return;
        }
        Object key = rows.get(0).get(0);
        String named = "k = '" + key + "'";
        if (setup.type() == ScdType.BITEMPORAL) {
            target.refused("UPDATE t SET a = 'x' WHERE k = '" + key + "'", "send an event");
            return;
        }
        target.refused("INSERT INTO t SELECT * FROM t WHERE k = '" + key + "'", named);
        target.refused("UPDATE t SET k = NULL WHERE k = '" + key + "'", "a key is NULL");
        if (setup.type() == ScdType.SCD2) {
            target.refused("UPDATE t SET __END_AT = __START_AT WHERE k = '" + key + "'", named);
            target.refused("UPDATE t SET __START_AT = NULL WHERE k = '" + key + "'", named);
        }
    }

    private static String pipeline(Setup setup, Random random) {
        String out = setup.sequenceInTarget() ? "op, sys, upd" : "op, sys, upd, seq";
        boolean tracksSome = setup.type() != ScdType.SCD1 && setup.tracked().size() < Histories.COLUMNS.size();
        return "CREATE OR REFRESH STREAMING TABLE t TBLPROPERTIES ('delta.enableChangeDataFeed' = '"
                + random.nextBoolean() + "'); CREATE FLOW t AS AUTO CDC INTO t FROM STREAM(events) KEYS (k)"
                + (setup.partial() == Partial.IGNORE_NULLS ? " IGNORE NULL UPDATES" : "")
                + " APPLY AS DELETE WHEN op = 'D' SEQUENCE BY seq"
                + (setup.type() == ScdType.BITEMPORAL ? " SYSTEM SEQUENCE BY sys" : "")
                + " COLUMNS * EXCEPT (" + out + ") STORED AS "
                + switch (setup.type()) {
                    case SCD1 -> "SCD TYPE 1";
                    case SCD2 -> "SCD TYPE 2";
                    case BITEMPORAL -> "BITEMPORAL";
                }
                + (tracksSome ? " TRACK HISTORY ON (" + String.join(", ", setup.tracked()) + ")" : "")
                + (setup.partial() == Partial.COLUMNS_TO_UPDATE ? " COLUMNS TO UPDATE upd" : "") + ";";
    }
}
