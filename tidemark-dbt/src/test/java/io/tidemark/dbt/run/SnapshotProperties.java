package io.tidemark.dbt.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tidemark.core.error.ErrorCode;
import io.tidemark.core.error.TextLocation;
import io.tidemark.core.error.TidemarkException;
import io.tidemark.dbt.project.SnapshotSettings;
import io.tidemark.dbt.project.SnapshotSettings.HardDeletes;
import io.tidemark.dbt.project.SnapshotSettings.MetaColumns;
import io.tidemark.dbt.project.SnapshotSettings.Strategy;
import io.tidemark.dbt.run.SnapshotResult.Status;
import io.tidemark.delta.storage.LocalStorage;
import io.tidemark.delta.storage.Storage;
import io.tidemark.testkit.FailingProxy;
import io.tidemark.testkit.Seeded;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What holds after every run, whatever the source did, whatever its times say, whatever the clock does, and if runs were
 * cut short: one current row of a key, intervals that neither overlap nor are empty, ids of their own, nothing written
 * without a change, and current rows that are the source's.
 */
class SnapshotProperties {
    private static final int CASES = 16;
    private static final int RUNS = 6;
    private static final int KEYS = 6;
    private static final LocalDateTime SENTINEL = LocalDateTime.parse("9999-12-31T00:00:00");
    private static final long DAY = 86_400;

    @TempDir
    private Path folder;

    /** A row of the source. */
    private record SourceRow(
            int id, @Nullable String v, @Nullable String w, LocalDateTime upd) {
        String sql() {
            return "SELECT " + id + ", " + text(v) + ", " + text(w) + ", TIMESTAMP '"
                    + upd.toString().replace('T', ' ') + "'";
        }

        private static String text(@Nullable String value) {
            return value == null ? "NULL" : "'" + value + "'";
        }
    }

    /** A row of the table. */
    private record Version(
            Object id,
            @Nullable Object v,
            @Nullable Object w,
            String scd,
            LocalDateTime from,
            @Nullable LocalDateTime to,
            boolean deleted) {
        boolean isCurrent() {
            return to == null || to.equals(SENTINEL);
        }
    }

    @Test
    void invariantsHoldAfterRandomRuns() {
        FailingProxy<Storage> disk = new FailingProxy<>(
                Storage.class,
                new LocalStorage(),
                () -> TidemarkException.of(ErrorCode.IO_FAILED, "the disk is gone")
                        .build());
        try (SnapshotLake lake = new SnapshotLake(folder, disk.get())) {
            Seeded.run(1, CASES, (random, seed) -> oneCase(lake, disk, random, "t" + seed));
        }
    }

    private static void oneCase(SnapshotLake lake, FailingProxy<Storage> disk, Random random, String table) {
        SnapshotSettings settings = settings(random);
        Map<Integer, SourceRow> source = new TreeMap<>();
        Instant time = Instant.parse("2024-03-01T00:00:00Z");
        List<Version> before = List.of();
        for (int run = 0; run < RUNS; run++) {
            mutate(random, source, time);
            // Clocks stand still and go back, too.
            time = time.plusSeconds((random.nextInt(6) - 1) * DAY);
            if (random.nextInt(4) == 0) {
                disk.failAfter(random.nextInt(40));
                try {
                    lake.run(table, settings, query(source), time);
                } catch (TidemarkException e) {
                    assertThat(e.primary()).contains("the disk is gone");
                } finally {
                    disk.heal();
                }
            }
            SnapshotResult result = lake.run(table, settings, query(source), time);
            List<Version> rows = rows(lake, table);
            check(settings, source, rows);
            if (result.status() != Status.UNCHANGED && sameTable(before, rows)) {
                throw new AssertionError("a commit that changed no row");
            }
            long version = lake.table(table).latestVersion();
            SnapshotResult again = lake.run(table, settings, query(source), time.plusSeconds(DAY / 2));
            assertThat(again.status())
                    .as("I5: an unchanged source writes nothing")
                    .isEqualTo(Status.UNCHANGED);
            assertThat(lake.table(table).latestVersion()).isEqualTo(version);
            before = rows;
        }
    }

    /** The first run makes an empty table, too. */
    private static boolean sameTable(List<Version> before, List<Version> after) {
        return !before.isEmpty() && new HashSet<>(before).equals(new HashSet<>(after));
    }

    private static SnapshotSettings settings(Random random) {
        boolean timestamp = random.nextBoolean();
        List<String> columns = random.nextBoolean() ? List.of("v", "w") : List.of("v");
        return new SnapshotSettings(
                timestamp ? Strategy.TIMESTAMP : Strategy.CHECK,
                List.of("id"),
                timestamp || random.nextBoolean() ? Optional.of("upd") : Optional.empty(),
                timestamp || random.nextInt(3) == 0 ? List.of() : columns,
                List.of(HardDeletes.IGNORE, HardDeletes.INVALIDATE, HardDeletes.NEW_RECORD)
                        .get(random.nextInt(3)),
                random.nextBoolean() ? Optional.of("TIMESTAMP '9999-12-31'") : Optional.empty(),
                MetaColumns.DEFAULT,
                true,
                false,
                random.nextBoolean(),
                TextLocation.NONE);
    }

    private static void mutate(Random random, Map<Integer, SourceRow> source, Instant time) {
        LocalDateTime now = LocalDateTime.ofInstant(time, java.time.ZoneOffset.UTC);
        int changes = random.nextInt(KEYS);
        for (int i = 0; i < changes; i++) {
            int id = random.nextInt(KEYS);
            if (source.containsKey(id) && random.nextInt(3) == 0) {
                source.remove(id);
            } else {
                String v = random.nextInt(4) == 0 ? null : "v" + random.nextInt(3);
                String w = random.nextInt(4) == 0 ? null : "w" + random.nextInt(3);
                // Times lie before, at and behind the run, and do not follow each other.
                source.put(id, new SourceRow(id, v, w, now.plusDays(random.nextInt(9) - 6)));
            }
        }
    }

    private static String query(Map<Integer, SourceRow> source) {
        List<String> selects = new ArrayList<>();
        selects.add(
                "SELECT NULL::INTEGER AS id, NULL::VARCHAR AS v, NULL::VARCHAR AS w, NULL::TIMESTAMP AS upd WHERE false");
        source.values().forEach(row -> selects.add(row.sql()));
        return String.join(" UNION ALL ", selects);
    }

    private static List<Version> rows(SnapshotLake lake, String table) {
        boolean marks = lake.table(table).snapshot().schema().has("dbt_is_deleted");
        List<Version> rows = new ArrayList<>();
        lake.sql("SELECT id, v, w, dbt_scd_id, dbt_valid_from, dbt_valid_to" + (marks ? ", dbt_is_deleted" : "")
                        + " FROM " + table)
                .forEach(row -> rows.add(new Version(
                        Objects.requireNonNull(row.get(0)),
                        row.get(1),
                        row.get(2),
                        (String) Objects.requireNonNull(row.get(3)),
                        (LocalDateTime) Objects.requireNonNull(row.get(4)),
                        (LocalDateTime) row.get(5),
                        marks && "True".equals(row.get(6)))));
        return rows;
    }

    private static void check(SnapshotSettings settings, Map<Integer, SourceRow> source, List<Version> rows) {
        Map<Object, List<Version>> byKey = new HashMap<>();
        Set<String> ids = new HashSet<>();
        for (Version row : rows) {
            byKey.computeIfAbsent(row.id(), key -> new ArrayList<>()).add(row);
            assertThat(ids.add(row.scd())).as("I4: ids are unique").isTrue();
            LocalDateTime to = row.to();
            assertThat(to == null || row.isCurrent() || row.from().isBefore(to))
                    .as("I2: no interval is empty or negative: " + row)
                    .isTrue();
        }
        Set<Object> alive = new HashSet<>();
        byKey.forEach((key, versions) -> {
            versions.sort(java.util.Comparator.comparing(Version::from));
            assertThat(versions.stream().filter(Version::isCurrent).count())
                    .as("I1: one current row at most: " + versions)
                    .isLessThanOrEqualTo(1);
            for (int i = 1; i < versions.size(); i++) {
                LocalDateTime end = versions.get(i - 1).to();
                assertThat(end != null && !end.isAfter(versions.get(i).from()))
                        .as("I3: intervals do not overlap: " + versions)
                        .isTrue();
            }
            versions.stream().filter(row -> row.isCurrent() && !row.deleted()).forEach(row -> alive.add(row.id()));
        });
        Set<Object> keys = new HashSet<>(source.keySet());
        if (settings.hardDeletes() == HardDeletes.IGNORE) {
            assertThat(alive).as("I6: the source's keys are current").containsAll(keys);
        } else {
            assertThat(alive)
                    .as("I6: the source's keys are current, and no others")
                    .isEqualTo(keys);
        }
        boolean data = settings.strategy() == Strategy.CHECK || settings.detectByHash();
        for (Version row : rows) {
            SourceRow given = source.get(row.id());
            if (row.isCurrent() && given != null && data) {
                assertThat(row.v()).as("I7: current rows are the source's").isEqualTo(given.v());
                if (!settings.checkColumns().equals(List.of("v"))) {
                    assertThat(row.w()).as("I7: current rows are the source's").isEqualTo(given.w());
                }
            }
        }
    }

    @Test
    void aRunAddsARowForEachKeyThatDiffersAndNoOther() {
        try (SnapshotLake lake = new SnapshotLake(folder)) {
            Seeded.run(101, CASES / 2, (random, seed) -> {
                SnapshotSettings settings = settings(random);
                Map<Integer, SourceRow> source = new TreeMap<>();
                Instant time = Instant.parse("2024-03-01T00:00:00Z");
                long rows = 0;
                for (int run = 0; run < RUNS; run++) {
                    mutate(random, source, time);
                    time = time.plusSeconds(DAY);
                    SnapshotResult.Counts counts =
                            lake.run("g" + seed, settings, query(source), time).counts();
                    long markers = settings.hardDeletes() == HardDeletes.NEW_RECORD ? counts.deletedKeys() : 0;
                    long expected = rows + counts.newKeys() + counts.changedKeys() + markers - counts.removedRows();
                    rows = rows(lake, "g" + seed).size();
                    assertThat(rows).as("I8: growth").isEqualTo(expected);
                }
            });
        }
    }
}
